import { statement } from '../plan/bound-statement.ts'
import { ident } from '../plan/dialect.ts'
import { allRows, writeAlone } from '../store/run-statement.ts'
import { type Store, StoreError, type Transaction } from '../store/store.ts'

/** A process that has not flushed for this long counts as dead, and its counts since the last flush as lost. */
export const lostAfterMs = 12_000

export interface RecorderRow {
  readonly id: string
  readonly startedAt: number
  readonly lastFlushAt: number
  readonly lost: boolean
  /** What it always gives a value, as `table.column`, the sums that it keeps, and the cascades that it knows. */
  readonly requires: readonly string[]
}

/** A time in which calls may be missing, because the process that counted them died before it wrote them. */
export interface Gap {
  readonly from: number
  readonly until: number
}

const table = ident('nounkit_recorders')

export interface RecorderWrite extends Pick<RecorderRow, 'id' | 'startedAt' | 'requires'> {
  /** Everything counted before this moment is written. */
  readonly at: number
  readonly endedAt: number | null
}

/** A process that writes is alive, even if it was marked as lost. */
export const writeRecorder = async (
  tx: Transaction,
  { id, startedAt, requires, at, endedAt }: RecorderWrite,
): Promise<void> => {
  const write = statement(tx.dialect, (bind) => {
    const times = [startedAt, at, endedAt].map((value) => bind('integer', value))
    const values = [bind('string', id), ...times, bind('string', JSON.stringify(requires))]
    return `INSERT INTO ${table} ("id", "started_at", "last_flush_at", "ended_at", "requires") VALUES (${values.join(', ')}) ON CONFLICT ("id") DO UPDATE SET "last_flush_at" = excluded."last_flush_at", "ended_at" = excluded."ended_at", "lost_at" = NULL`
  })
  await allRows(tx, write)
}

export const readUnended = async (store: Store): Promise<readonly RecorderRow[]> => {
  const rows = await store.all(
    `SELECT "id", "started_at", "last_flush_at", "lost_at", "requires" FROM ${table} WHERE "ended_at" IS NULL ORDER BY "id"`,
    [],
  )
  return rows.map(([id, startedAt, lastFlushAt, lostAt, requires]) => ({
    id: String(id),
    startedAt: Number(startedAt),
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
export const markLost = async (
  store: Store,
  { id, lastFlushAt }: RecorderRow,
  now: number,
): Promise<void> => {
  const lose = statement(
    store.dialect,
    (bind) =>
      `UPDATE ${table} SET "lost_at" = ${bind('integer', now)} WHERE "id" = ${bind('string', id)} AND "last_flush_at" = ${bind('integer', lastFlushAt)} AND "ended_at" IS NULL AND "lost_at" IS NULL`,
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
