import type { Resource } from '../compile/model.ts'

/** Some references of one row, by the names of their fields. */
export interface RowReferences {
  readonly resource: Resource
  readonly account: string
  readonly id: string
  readonly fields: readonly string[]
}

/**
 * The references of one row to rows that come later in the file. The row is inserted without them, one version lower, and gets them
 * with its version when the last of those rows is there.
 */
export interface HeldBack extends Omit<RowReferences, 'fields'> {
  /** The line of the row itself. */
  readonly line: number
  /** The id of the other row, by field. */
  readonly references: { readonly [field: string]: string }
  /** The line of the last row that is waited for; 0 where none is. */
  readonly until: number
}
