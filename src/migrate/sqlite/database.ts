import { kinds } from '../../kinds/kinds.ts'
import { ident } from '../../plan/dialect.ts'
import { sqlite } from '../../plan/sqlite.ts'
import type { TableSql } from '../plan/table-sql.ts'
import { sqliteAdditions } from './add-missing.ts'
import { carryOutOnSqlite } from './carry-out.ts'
import { sqliteConversions } from './change-of-type.ts'
import { sqliteType } from './ddl.ts'
import { readSqlite, type SqliteTable } from './read-tables.ts'
import { renamedIndexes, renamedSqlite, reshapeSqlite } from './reshape.ts'

/** Foreign keys are off in a session. */
export const sqliteTables: TableSql = {
  dialect: sqlite,
  conversions: sqliteConversions,
  read: readSqlite,
  differences: (tables, present) => sqliteAdditions(tables, present as ReadonlyMap<string, SqliteTable>),
  additions: async (_session, tables, present) =>
    sqliteAdditions(tables, present as ReadonlyMap<string, SqliteTable>),
  renamedTable: (table, name, columns) => renamedSqlite(table as SqliteTable, name, columns),
  renamedObjects: (reshape, found) => renamedIndexes(reshape, found as SqliteTable),
  reshaped: (reshape, found) => reshapeSqlite(reshape, found as SqliteTable, sqliteTables),
  releaseReferences: () => [],
  columnType: sqliteType,
  literal: (value, kind) => (value === null ? 'NULL' : kinds[kind].sqlite.literal(value)),
  empty: (tables) => tables.map((table) => `DELETE FROM ${ident(table)}`),
  carryOut: carryOutOnSqlite,
}
