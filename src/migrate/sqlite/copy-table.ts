import { kinds } from '../../kinds/kinds.ts'
import { ident } from '../../plan/dialect.ts'
import { StoreRefused } from '../../store/store.ts'
import type { FollowSql } from '../follow/follow-sql.ts'
import { sqliteTable, sqliteType } from './ddl.ts'
import { sqliteAdditions } from './migrate.ts'
import { readSqlite, type SqliteTable } from './read-tables.ts'

/** Rebuilds tables as SQLite's manual says (lang_altertable.html, section 7). Foreign keys are off in a session. */
export const sqliteFollow: FollowSql = {
  read: readSqlite,
  differences: (tables, present) => sqliteAdditions(tables, present as ReadonlyMap<string, SqliteTable>),
  createCopy: (table, name) => sqliteTable(table, name),
  afterRename: () => [],
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
