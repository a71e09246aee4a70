import type { CodecName } from '../../declare/change.ts'
import type { FieldKind } from '../../kinds/kinds.ts'

/** A table as data: what the model wants, in no database's words. */
export interface Table {
  readonly name: string
  readonly columns: readonly Column[]
  readonly primaryKey: readonly string[]
  readonly indexes: readonly Index[]
  readonly foreignKeys: readonly ForeignKey[]
  readonly checks: readonly Check[]
  /** Where its rows live when there are many machines: with their account, or on each. */
  readonly spread: 'by-account' | 'everywhere'
  /** Rows may be long, so that they are not kept in the primary key's tree (SQLite). */
  readonly longRows?: boolean
}

export interface Column {
  readonly name: string
  readonly kind: FieldKind
  readonly nullable: boolean
  /** What `changeType` says it was in an older version. */
  readonly was?: FormerType
  /** For rows written by those who do not know the column yet; `undefined` where there is none. */
  readonly default: unknown
}

export interface FormerType {
  readonly codec: CodecName
  /** The newest version that still shows the older type. */
  readonly version: string
}

export interface Index {
  readonly name: string
  readonly unique: boolean
  readonly columns: readonly IndexColumn[]
  /** Serves the sweeper of expired rows. PostgreSQL does without it: see `Places` of the dialect. */
  readonly forSweeper?: boolean
}

export interface IndexColumn {
  readonly name: string
  /** Lists are sorted with NULLs first, so an index must be too to serve them. */
  readonly nullable: boolean
}

export interface ForeignKey {
  readonly name: string
  readonly columns: readonly string[]
  readonly table: string
  readonly references: readonly string[]
  readonly onDelete: 'refuse' | 'cascade'
}

/** The values a text column may hold. */
export interface Check {
  readonly name: string
  readonly column: string
  readonly values: readonly string[]
}
