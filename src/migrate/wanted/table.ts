import type { CodecName } from '../../declare/change.ts'
import type { FieldKind } from '../../kinds/kinds.ts'
import type { SearchNames } from '../../plan/dialect.ts'

/** A table as data: what the model wants, the same for every database. */
export interface Table {
  readonly name: string
  readonly columns: readonly Column[]
  readonly primaryKey: readonly string[]
  readonly indexes: readonly Index[]
  /** Sets of fields that are searched for words. Their columns and the indexes of those are among the others. */
  readonly searches?: readonly SearchNames[]
  readonly foreignKeys: readonly ForeignKey[]
  readonly checks: readonly Check[]
  /** On Citus: the column by which rows are distributed, or that they are copied to every node. */
  readonly spread: 'account_id' | 'id' | 'hash' | 'everywhere'
  /** Rows may be long, so that SQLite does not store them in the primary key's tree. */
  readonly longRows?: boolean
  /** NOT NULL goes by itself: the store is served by published versions, so that every version says what a missing value means. */
  readonly relaxes?: boolean
  /** A newer declaration has been served: what it allows, this one allows in the store too. */
  readonly isOlder?: boolean
}

export interface Column {
  readonly name: string
  readonly kind: FieldKind
  readonly nullable: boolean
  /** PostgreSQL numbers the rows, in the order in which they are inserted. */
  readonly numbersRows?: boolean
  /** It stays NOT NULL until processes of a newer declaration, which requires the field, know that rows may lack it. */
  readonly requiredByNewer?: boolean
  /** Its type in an older version, from `changeType`. */
  readonly was?: FormerType
  /** For rows that an older release writes without the column; `undefined` for none. */
  readonly default: unknown
}

export interface FormerType {
  readonly codec: CodecName
  /** The newest version that still shows the older type, and the next one. */
  readonly version: string
  readonly newer: string
}

export interface Index {
  readonly name: string
  readonly unique: boolean
  readonly columns: readonly IndexColumn[]
  /** The index has the words of its column. SQLite has a table in its place: sqlite/index-of-words.ts. */
  readonly ofWords?: boolean
  /** The index has the primary keys of rows that wait for their words: rows whose version differs from the one in its column. */
  readonly ofWaiting?: readonly string[]
  /** Serves the sweeper of expired rows. PostgreSQL does without it: see `oldest` of the dialect. */
  readonly forSweeper?: boolean
}

export interface IndexColumn {
  readonly name: string
  /** Lists are sorted with NULLs first, and an index of a nullable column must be too. */
  readonly nullable: boolean
}

export interface ForeignKey {
  readonly name: string
  readonly columns: readonly string[]
  readonly table: string
  readonly references: readonly string[]
  readonly onDelete: 'refuse' | 'cascade'
}

/** The columns of a unique index, for messages about rows that violate it; of any other index none. */
export const uniqueColumns = ({ columns }: Table, index: Index): { readonly unique?: readonly Column[] } =>
  index.unique
    ? { unique: index.columns.flatMap(({ name }) => columns.find((column) => column.name === name) ?? []) }
    : {}

/** The values a text column may hold. */
export interface Check {
  readonly name: string
  readonly column: string
  readonly values: readonly string[]
}
