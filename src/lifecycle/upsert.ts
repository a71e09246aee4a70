import { type Bound, statement } from '../plan/bound-statement.ts'
import { type Dialect, ident, idents } from '../plan/dialect.ts'
import { allRows } from '../store/run-statement.ts'
import type { Transaction, Value } from '../store/store.ts'

type CountRow = readonly [...string[], number, number]

/** A table of counts: its key, then `calls` and `last_seen`. */
interface CountTable {
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

/** Rows of one statement. Only these sizes, so that few statements are prepared. */
const sizes = [50, 10, 1]

/** Adds counts to those that are already in the store. */
export async function addCounts(
  tx: Transaction,
  table: CountTable,
  rows: readonly CountRow[],
): Promise<void> {
  let at = 0
  while (at < rows.length) {
    const size = sizes.find((one) => one <= rows.length - at) ?? 1
    await allRows(tx, upsert(tx.dialect, table, rows.slice(at, at + size)))
    at += size
  }
}

/**
 * Sorted by key, so that processes that write the same rows at once lock them in the same order; and each key once, because
 * PostgreSQL refuses to update a row twice in one statement.
 */
export function inOrder<R extends CountRow>(rows: readonly R[]): readonly R[] {
  const merged = new Map<string, R>()
  for (const row of rows) {
    const key = row.slice(0, -2).join('\n')
    const same = merged.get(key)
    merged.set(key, same ? sumOf(same, row) : row)
  }
  return [...merged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

function sumOf<R extends CountRow>(a: R, b: R): R {
  const [callsA, seenA] = a.slice(-2).map(Number)
  const [callsB, seenB] = b.slice(-2).map(Number)
  const sums = [(callsA ?? 0) + (callsB ?? 0), Math.max(seenA ?? 0, seenB ?? 0)]
  return [...a.slice(0, -2), ...sums] as readonly Value[] as R
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
