import { type Bound, statement } from '../plan/bound-statement.ts'
import { type Dialect, ident, idents } from '../plan/dialect.ts'
import { allRows } from '../store/run-statement.ts'
import { statementParts } from '../store/statement-parts.ts'
import type { Transaction, Value } from '../store/store.ts'

/** A key, how often it was counted, and when last. */
export type CountRow = readonly [...string[], number, number]

/** A table of counts: its key, then `calls` and `last_seen`. */
export interface CountTable {
  readonly name: string
  readonly key: readonly string[]
}

export const usageTable: CountTable = {
  name: 'nounkit_usage',
  key: ['account_id', 'consumer', 'version', 'day', 'operation'],
}
export const detailTable: CountTable = {
  name: 'nounkit_usage_details',
  key: ['account_id', 'consumer', 'version', 'day', 'resource', 'kind', 'name'],
}

/** Adds counts to those that are already in the store. PostgreSQL refuses to update a row twice in one statement, so each key comes once. */
export async function addCounts(
  tx: Transaction,
  table: CountTable,
  rows: readonly CountRow[],
): Promise<void> {
  for (const part of statementParts(rows)) await allRows(tx, upsert(tx.dialect, table, part))
}

function upsert(dialect: Dialect, table: CountTable, rows: readonly CountRow[]): Bound {
  const columns = [...table.key, 'calls', 'last_seen']
  const mine = (column: string) => `${ident(table.name)}.${ident(column)}`
  return statement(dialect, (bind) => {
    const cell = (value: Value, at: number) => bind(at < table.key.length ? 'string' : 'integer', value)
    return [
      `INSERT INTO ${ident(table.name)} (${idents(columns)})`,
      `VALUES ${rows.map((row) => `(${row.map(cell).join(', ')})`).join(', ')}`,
      `ON CONFLICT (${idents(table.key)}) DO UPDATE SET "calls" = ${mine('calls')} + excluded."calls",`,
      `"last_seen" = CASE WHEN excluded."last_seen" > ${mine('last_seen')} THEN excluded."last_seen" ELSE ${mine('last_seen')} END`,
    ].join(' ')
  })
}
