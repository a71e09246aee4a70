import { ident } from '../../plan/dialect.ts'
import { keyTable } from '../../plan/keys.ts'
import { forgetMeta } from '../../store/meta.ts'
import type { Step } from '../migration-step.ts'
import type { PresentTable } from '../present.ts'
import type { Table } from '../wanted/table.ts'
import { sqliteIndex, sqliteTable } from './ddl.ts'

/** The column of row numbers, which only the log had. */
const logColumn = 'place'
const logTables = [`${keyTable}_runs`, `${keyTable}_places`]

/**
 * Earlier releases kept Idempotency-Keys in SQLite as a log, with tables of their own to look keys up. This step copies the keys
 * into the plain table. Null for a file without the log.
 */
export function replaceKeyLog(
  tables: readonly Table[],
  present: ReadonlyMap<string, PresentTable>,
): Step | null {
  const table = tables.find(({ name }) => name === keyTable)
  if (!table || !present.get(keyTable)?.columns.has(logColumn)) return null
  const temporary = `nounkit_new_${keyTable}`
  const columns = table.columns.map(({ name }) => ident(name)).join(', ')
  const statements = [
    sqliteTable(table, temporary),
    // The log held each key once. Should a key be there twice, the newest response is kept.
    `INSERT OR IGNORE INTO ${ident(temporary)} (${columns}) SELECT ${columns} FROM ${ident(keyTable)} ORDER BY ${ident(logColumn)} DESC`,
    `DROP TABLE ${ident(keyTable)}`,
    `ALTER TABLE ${ident(temporary)} RENAME TO ${ident(keyTable)}`,
    ...table.indexes.map((index) => sqliteIndex(keyTable, index)),
    ...logTables.map((name) => `DROP TABLE IF EXISTS ${ident(name)}`),
    forgetMeta('keys-used'),
  ]
  const why = 'Idempotency-Keys are kept in a plain table'
  return { table: keyTable, sql: statements.join(';\n'), additive: true, why }
}
