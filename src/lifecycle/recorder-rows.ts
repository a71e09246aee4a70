import { type Dialect, ident } from '../plan/dialect.ts'
import type { Store, Transaction } from '../store/store.ts'

/** A process that has not flushed for this long counts as dead, and its counts since the last flush as lost. */
export const lostAfterMs = 12_000

export interface RecorderRow {
  readonly id: string
  readonly startedAt: number
  readonly flushes: number
  readonly lastFlushAt: number
  readonly lost: boolean
  /** What it always gives a value, as `table.column`, the sums that it keeps, and the cascades that it knows; nothing is known of a process of an earlier release. */
  readonly requires: readonly string[]
}

/** A time in which calls may be missing, because the process that counted them died before it wrote them. */
export interface Gap {
  readonly from: number
  readonly until: number
}

const table = ident('nounkit_recorders')

const statements = (dialect: Dialect) => {
  const text = (n: number) => dialect.param(n, 'string')
  const number = (n: number) => dialect.param(n, 'integer')
  return {
    insert: `INSERT INTO ${table} ("id", "started_at", "flushes", "last_flush_at", "ended_at", "requires") VALUES (${text(1)}, ${number(2)}, ${number(3)}, ${number(4)}, ${number(5)}, ${text(6)})`,
    flushes: `SELECT "flushes" FROM ${table} WHERE "id" = ${text(1)}`,
    // A process that writes is alive, even if it was marked as lost.
    wrote: `UPDATE ${table} SET "flushes" = ${number(2)}, "last_flush_at" = ${number(3)}, "ended_at" = ${number(4)}, "lost_at" = NULL WHERE "id" = ${text(1)}`,
    numbered: `UPDATE ${table} SET "flushes" = ${number(2)} WHERE "id" = ${text(1)}`,
    unended: `SELECT "id", "started_at", "flushes", "last_flush_at", "lost_at", "requires" FROM ${table} WHERE "ended_at" IS NULL ORDER BY "id"`,
    lose: `UPDATE ${table} SET "lost_at" = ${number(3)} WHERE "id" = ${text(1)} AND "flushes" = ${number(2)} AND "ended_at" IS NULL AND "lost_at" IS NULL`,
    lost: `SELECT "last_flush_at" FROM ${table} WHERE "lost_at" IS NOT NULL AND "last_flush_at" >= ${number(1)} ORDER BY "last_flush_at"`,
  }
}

export const insertRecorder = async (
  tx: Transaction,
  id: string,
  { startedAt, flushes, at, endedAt, requires }: RecorderWrite & Pick<RecorderRow, 'startedAt' | 'requires'>,
): Promise<void> => {
  const values = [id, startedAt, flushes, at ?? startedAt, endedAt, JSON.stringify(requires)]
  await tx.all(statements(tx.dialect).insert, values)
}

export interface RecorderWrite {
  readonly flushes: number
  /** Everything counted before this moment is written; null while more of it is to come. */
  readonly at: number | null
  readonly endedAt: number | null
}

/** How many writes of this process the store has seen; null when its row is gone. */
export const readFlushes = async (tx: Transaction, id: string): Promise<number | null> => {
  const row = await tx.first(statements(tx.dialect).flushes, [id])
  return row ? Number(row[0]) : null
}

export const updateRecorder = async (
  tx: Transaction,
  id: string,
  { flushes, at, endedAt }: RecorderWrite,
): Promise<void> => {
  const sql = statements(tx.dialect)
  if (at === null) await tx.all(sql.numbered, [id, flushes])
  else await tx.all(sql.wrote, [id, flushes, at, endedAt])
}

export const readUnended = async (store: Store): Promise<readonly RecorderRow[]> => {
  const rows = await store.all(statements(store.dialect).unended, [])
  return rows.map(([id, startedAt, flushes, lastFlushAt, lostAt, requires]) => ({
    id: String(id),
    startedAt: Number(startedAt),
    flushes: Number(flushes),
    lastFlushAt: Number(lastFlushAt),
    lost: lostAt !== null && lostAt !== undefined,
    requires: requires ? JSON.parse(String(requires)) : [],
  }))
}

/** Marks a process as lost, unless it has written since the row was read. */
export const markLost = async (store: Store, { id, flushes }: RecorderRow, now: number): Promise<void> => {
  await store.writeOne(statements(store.dialect).lose, [id, flushes, now])
}

/** Marks processes that have not written for long as lost. The next write of a process that is alive removes the mark. */
export async function markSilent(store: Store, now: number): Promise<void> {
  for (const row of await readUnended(store)) {
    if (!row.lost && row.lastFlushAt < now - lostAfterMs) await markLost(store, row, now)
  }
}

/** The gaps that reach into the time since `since`, oldest first. */
export async function readGaps(store: Store, since: number): Promise<readonly Gap[]> {
  const rows = await store.all(statements(store.dialect).lost, [since - lostAfterMs])
  return rows.map(([from]) => ({ from: Number(from), until: Number(from) + lostAfterMs }))
}
