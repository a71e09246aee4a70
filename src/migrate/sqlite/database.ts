import { kinds } from '../../kinds/kinds.ts'
import { ident } from '../../plan/dialect.ts'
import { sqlite } from '../../plan/sqlite.ts'
import { StoreRefused } from '../../store/store.ts'
import type { TableSql } from '../plan/table-sql.ts'
import { sqliteAdditions } from './add-missing.ts'
import { sqliteConversions } from './conversions.ts'
import { sqliteType } from './ddl.ts'
import { readSqlite, type SqliteTable } from './read-tables.ts'
import { renamedIndexes, renamedSqlite, reshapeSqlite } from './reshape.ts'

/** Foreign keys are off in a session. */
export const sqliteTables: TableSql = {
  dialect: sqlite,
  conversions: sqliteConversions,
  read: readSqlite,
  differences: (tables, present) => sqliteAdditions(tables, present as ReadonlyMap<string, SqliteTable>),
  renamedTable: (table, name, columns) => renamedSqlite(table as SqliteTable, name, columns),
  renamedObjects: (reshape, found) => renamedIndexes(reshape, found as SqliteTable),
  reshaped: (reshape, found) => reshapeSqlite(reshape, found as SqliteTable, sqliteTables),
  releaseReferences: () => [],
  columnType: sqliteType,
  keyType: 'TEXT',
  literal: (value, kind) => (value === null ? 'NULL' : kinds[kind].sqlite.literal(value)),
  empty: (tables) => tables.map((table) => `DELETE FROM ${ident(table)}`),
  async locked(_store, session, _tables, work) {
    await session.script('BEGIN IMMEDIATE')
    try {
      const result = await work()
      const broken = await session.all('PRAGMA foreign_key_check')
      if (broken.length > 0)
        throw new StoreRefused(
          `The new references of ${broken[0]?.[0]} would lead to rows that do not exist. Nothing was changed.`,
        )
      await session.script('COMMIT')
      return result
    } catch (error) {
      await session.script('ROLLBACK')
      throw error
    }
  },
}
