import type { FieldValues } from './field.ts'
import type { ReferenceValues } from './relation.ts'

/** A row of the resource with all that the server adds, as hooks, rules and tests see it. */
export type RowOf<F, R> = {
  readonly id: string
  readonly created_at: string
  readonly updated_at: string
} & Readonly<ReferenceValues<R>> &
  Readonly<FieldValues<F>>
