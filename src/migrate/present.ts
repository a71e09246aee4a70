/** A table as it is found in a database. */
export interface PresentTable {
  readonly name: string
  readonly columns: ReadonlyMap<string, PresentColumn>
  readonly indexes: ReadonlyMap<string, PresentIndex>
  /** By their columns, joined by commas: SQLite does not report their names. */
  readonly foreignKeys: ReadonlyMap<string, PresentForeignKey>
  /** By name; PostgreSQL only. */
  readonly checks: ReadonlyMap<string, PresentCheck>
  /** Whether Citus has distributed it, or copied it to every node. */
  readonly spread: boolean
}

export type Present = ReadonlyMap<string, PresentTable>

/** The table of a resource has these columns, whatever its fields. Other tables in a PostgreSQL schema are another program's. */
export const isOfResource = ({ columns }: PresentTable): boolean =>
  ['id', 'created_at', 'updated_at', 'version'].every((column) => columns.has(column))

export interface PresentColumn {
  readonly name: string
  /** The spelling of the database, in lower case and without collation. */
  readonly type: string
  readonly nullable: boolean
  readonly default: string | null
}

export interface PresentIndex {
  readonly unique: boolean
  /** False for the rest of a CREATE INDEX CONCURRENTLY that failed. */
  readonly valid: boolean
}

export interface PresentForeignKey {
  readonly name: string | null
  readonly table: string
  readonly references: readonly string[]
  readonly onDelete: 'refuse' | 'cascade'
  readonly valid: boolean
}

export interface PresentCheck {
  readonly values: ReadonlySet<string>
  readonly valid: boolean
}

/** A table of which nothing is known yet, to be filled in. */
export const emptyTable = (name: string, spread: boolean) => ({
  name,
  columns: new Map<string, PresentColumn>(),
  indexes: new Map<string, PresentIndex>(),
  foreignKeys: new Map<string, PresentForeignKey>(),
  checks: new Map<string, PresentCheck>(),
  spread,
})
