import type { FieldKind } from '../kinds/kinds.ts'
import type { ValueMap } from './value-map.ts'

/** A sum that is added up when it is read: the rows that it adds up, and how. */
export interface CountedSum {
  readonly source: {
    readonly table: string
    readonly shared: boolean
    readonly field: ReadonlyMap<string, ColumnOfField>
  }
  readonly feed: {
    readonly on: { readonly table: string }
    /** The reference that leads to the row with the sum. */
    readonly by: { readonly field: string }
    readonly of: readonly string[]
  }
}

/** How a field is stored: see `Field`. */
export interface ColumnOfField {
  readonly column: string
  readonly kind: FieldKind
  readonly stored: ValueMap | null
  readonly whenNone: unknown
  readonly mayLack: boolean
}
