import { statement } from '../plan/bound-statement.ts'
import { ident } from '../plan/dialect.ts'
import { allRows, firstRow, writeAlone } from '../store/run-statement.ts'
import { type Store, StoreError, type Transaction } from '../store/store.ts'

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

export const insertRecorder = async (
  tx: Transaction,
  id: string,
  { startedAt, flushes, at, endedAt, requires }: RecorderWrite & Pick<RecorderRow, 'startedAt' | 'requires'>,
): Promise<void> => {
  const insert = statement(tx.dialect, (bind) => {
    const numbers = [startedAt, flushes, at ?? startedAt, endedAt].map((value) => bind('integer', value))
    const values = [bind('string', id), ...numbers, bind('string', JSON.stringify(requires))]
    return `INSERT INTO ${table} ("id", "started_at", "flushes", "last_flush_at", "ended_at", "requires") VALUES (${values.join(', ')})`
  })
  await allRows(tx, insert)
}

export interface RecorderWrite {
  readonly flushes: number
  /** Everything counted before this moment is written; null while more of it is to come. */
  readonly at: number | null
  readonly endedAt: number | null
}

/** How many writes of this process the store has seen; null when its row is gone. */
export const readFlushes = async (tx: Transaction, id: string): Promise<number | null> => {
  const select = statement(
    tx.dialect,
    (bind) => `SELECT "flushes" FROM ${table} WHERE "id" = ${bind('string', id)}`,
  )
  const row = await firstRow(tx, select)
  return row ? Number(row[0]) : null
}

export const updateRecorder = async (
  tx: Transaction,
  id: string,
  { flushes, at, endedAt }: RecorderWrite,
): Promise<void> => {
  const write = statement(tx.dialect, (bind) => {
    // A process that writes is alive, even if it was marked as lost.
    const wrote =
      at === null
        ? ''
        : `, "last_flush_at" = ${bind('integer', at)}, "ended_at" = ${bind('integer', endedAt)}, "lost_at" = NULL`
    return `UPDATE ${table} SET "flushes" = ${bind('integer', flushes)}${wrote} WHERE "id" = ${bind('string', id)}`
  })
  await allRows(tx, write)
}

export const readUnended = async (store: Store): Promise<readonly RecorderRow[]> => {
  const rows = await store.all(
    `SELECT "id", "started_at", "flushes", "last_flush_at", "lost_at", "requires" FROM ${table} WHERE "ended_at" IS NULL ORDER BY "id"`,
    [],
  )
  return rows.map(([id, startedAt, flushes, lastFlushAt, lostAt, requires]) => ({
    id: String(id),
    startedAt: Number(startedAt),
    flushes: Number(flushes),
    lastFlushAt: Number(lastFlushAt),
    lost: lostAt !== null && lostAt !== undefined,
    requires: requires ? JSON.parse(String(requires)) : [],
  }))
}

/** The same, or null while a node of a cluster is away, which may have some of them. */
export const readUnendedIfAllAnswer = async (store: Store): Promise<readonly RecorderRow[] | null> => {
  try {
    return await readUnended(store)
  } catch (error) {
    if (error instanceof StoreError && error.kind === 'unavailable') return null
    throw error
  }
}

/** Marks a process as lost, unless it has written since the row was read. */
export const markLost = async (store: Store, { id, flushes }: RecorderRow, now: number): Promise<void> => {
  const lose = statement(
    store.dialect,
    (bind) =>
      `UPDATE ${table} SET "lost_at" = ${bind('integer', now)} WHERE "id" = ${bind('string', id)} AND "flushes" = ${bind('integer', flushes)} AND "ended_at" IS NULL AND "lost_at" IS NULL`,
  )
  await writeAlone(store, lose)
}

/** Marks processes that have not written for long as lost. The next write of a process that is alive removes the mark. */
export async function markSilent(store: Store, now: number): Promise<void> {
  for (const row of await readUnended(store)) {
    if (!row.lost && row.lastFlushAt < now - lostAfterMs) await markLost(store, row, now)
  }
}

/** The gaps that reach into the time since `since`, oldest first. */
export async function readGaps(store: Store, since: number): Promise<readonly Gap[]> {
  const lost = statement(
    store.dialect,
    (bind) =>
      `SELECT "last_flush_at" FROM ${table} WHERE "lost_at" IS NOT NULL AND "last_flush_at" >= ${bind('integer', since - lostAfterMs)} ORDER BY "last_flush_at"`,
  )
  const rows = await allRows(store, lost)
  return rows.map(([from]) => ({ from: Number(from), until: Number(from) + lostAfterMs }))
}
