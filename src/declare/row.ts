import type { FieldValues } from './field.ts'
import type { ReferenceValues } from './relation.ts'

/** A row of the resource with all that the server adds, as hooks, rules and tests see it. */
export type RowOf<F, R> = ServerValues & ReferenceValues<R> & FieldValues<F>

/** What the server adds to every row. An interface would have no index signature, and a row could not be given as a record. */
export type ServerValues = {
  readonly id: string
  readonly created_at: string
  readonly updated_at: string
}
