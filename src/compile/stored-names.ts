import type { CodecName } from '../declare/change.ts'

/**
 * What the names of each version stand for in a store. It is recorded in the store, because a table, a column and a value keep the name
 * that they were made with: a declaration that renames them is bound to the store by this record, and so is an older one.
 */
export interface StoredNames {
  readonly [version: string]: { readonly [resource: string]: NamedTable }
}

export interface NamedTable {
  readonly table: string
  readonly fields: { readonly [field: string]: NamedColumn }
}

export interface NamedColumn {
  readonly column: string
  /** Values of the version → what a write of them stores, and stored values → what the version shows, where they differ. */
  readonly up?: { readonly [shown: string]: string }
  readonly down?: { readonly [stored: string]: string }
  /** The version shows the stored values in another type. */
  readonly codec?: CodecName
}

/** All that a store has recorded of its names. */
export interface NamesRecord {
  readonly versions: StoredNames
  /** What `nounkit migrate --tidy` has renamed, the oldest first. Events keep the names that they were written with. */
  readonly moves: readonly Renaming[]
  /** What was converted, so that older declarations cannot use it: each with the version that it was converted for. */
  readonly converted: readonly Conversion[]
  /**
   * References, as `table.column`, whose rows go along with the row that they refer to, and that were added after a declaration without them was served: the store restricts such a
   * delete, so that a process which does not know the reference deletes nothing unseen.
   */
  readonly restricting: readonly string[]
  /** The references of `restricting` that some process may not know: every process refuses such a delete, so that all answer alike. */
  readonly refusing: readonly string[]
  /** Columns, as `table.column`, of fields that are required now and were not always. */
  readonly absent: { readonly [column: string]: AbsentValue }
  /** Sums, as `table.column`, that some process may not keep: they are added up when they are read. */
  readonly counting: readonly string[]
}

export interface AbsentValue {
  /** What rows without a value show in versions that require one, as the store has it. */
  readonly value: unknown
  /**
   * `open`: rows may have none, so that every process shows the value in its place. `checked`: the same, while the database is made to refuse
   * rows without a value. `filled`: the column is NOT NULL.
   */
  readonly state: 'open' | 'checked' | 'filled'
}

export const noNames: NamesRecord = Object.freeze({
  versions: {},
  moves: [],
  converted: [],
  restricting: [],
  refusing: [],
  absent: {},
  counting: [],
})

/** Old names → new ones. Columns by their table's old name, values by `table.column` in old names. */
export interface Renaming {
  readonly tables: { readonly [table: string]: string }
  readonly columns: { readonly [table: string]: { readonly [column: string]: string } }
  readonly values: { readonly [column: string]: { readonly [value: string]: string } }
}

export interface Conversion {
  readonly version: string
  /** `orders.status` */
  readonly what: string
}
