import { statement } from '../plan/bound-statement.ts'
import { firstRow, writeAlone } from '../store/run-statement.ts'
import type { Store } from '../store/store.ts'
import { dayMs, dayOf } from '../times.ts'

const keptDays = 400
const batch = 500
/** How long the row of a process that ended in order is kept. */
const endedMs = dayMs

const tables = ['nounkit_usage', 'nounkit_usage_details']

/** Deletes usage that is older than any report shows. A few rows at a time, so that no request waits long for its locks. */
export async function sweepUsage(store: Store, now: number, signal?: AbortSignal): Promise<void> {
  const first = dayOf(now - keptDays * dayMs)
  for (const table of tables) while ((await deleteOldest(store, table, first)) && !signal?.aborted);
  await deleteOldRecorders(store, now)
}

/** Deletes rows of the oldest day, by the order of accounts: false where no day is older than `first`. */
async function deleteOldest(store: Store, table: string, first: string): Promise<boolean> {
  const { dialect } = store
  const old = statement(
    dialect,
    (bind) => `SELECT min("day") FROM "${table}" WHERE "day" < ${bind('string', first)}`,
  )
  const [oldest = null] = (await firstRow(store, old)) ?? []
  if (oldest === null) return false
  const accounts = statement(
    dialect,
    (bind) =>
      `SELECT max("account_id") FROM (SELECT "account_id" FROM "${table}" WHERE "day" = ${bind('string', oldest)} ORDER BY "account_id" LIMIT ${batch}) a`,
  )
  const [last = ''] = (await firstRow(store, accounts)) ?? []
  const remove = statement(
    dialect,
    (bind) =>
      `DELETE FROM "${table}" WHERE "day" = ${bind('string', oldest)} AND "account_id" <= ${bind('string', last)}`,
  )
  await writeAlone(store, remove)
  return true
}

/** Rows of lost processes are kept as long as usage: they are its gaps. */
async function deleteOldRecorders(store: Store, now: number): Promise<void> {
  const remove = statement(
    store.dialect,
    (bind) =>
      `DELETE FROM "nounkit_recorders" WHERE "ended_at" < ${bind('integer', now - endedMs)} OR "last_flush_at" < ${bind('integer', now - keptDays * dayMs)}`,
  )
  await writeAlone(store, remove)
}
