import type { Resource } from '../compile/model.ts'

/**
 * The references of one row to rows that come later in the file. The row is inserted without them, one version lower, and gets them
 * with its version when those rows are there.
 */
export interface HeldBack {
  /** The line of the row itself. */
  readonly line: number
  readonly resource: Resource
  readonly account: string
  readonly id: string
  /** The id of the other row, by field. */
  readonly references: { readonly [field: string]: string }
  /** The line of the last row that is waited for. */
  readonly until: number
}
