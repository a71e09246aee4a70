import type { Store } from '../store/store.ts'
import { dayMs, dayOf } from '../times.ts'

const keptDays = 400
const batch = 500
/** How long the row of a process that ended in order is kept. */
const endedMs = dayMs

const tables = ['nounkit_usage', 'nounkit_usage_details']

/** Deletes usage that is older than any report shows. A few rows at a time, so that no request waits long for its locks. */
export async function deleteOldUsage(store: Store, now: number, signal?: AbortSignal): Promise<void> {
  const first = dayOf(now - keptDays * dayMs)
  for (const table of tables) while ((await deleteOldest(store, table, first)) && !signal?.aborted);
  await deleteOldRecorders(store, now)
}

/** Deletes rows of the oldest day, by the order of accounts: false where no day is older than `first`. */
async function deleteOldest(store: Store, table: string, first: string): Promise<boolean> {
  const { dialect } = store
  const [day, account] = [dialect.param(1, 'string'), dialect.param(2, 'string')]
  const [oldest = null] =
    (await store.first(`SELECT min("day") FROM "${table}" WHERE "day" < ${day}`, [first])) ?? []
  if (oldest === null) return false
  const accounts = `SELECT "account_id" FROM "${table}" WHERE "day" = ${day} ORDER BY "account_id" LIMIT ${batch}`
  const [last = ''] = (await store.first(`SELECT max("account_id") FROM (${accounts}) a`, [oldest])) ?? []
  await store.writeOne(`DELETE FROM "${table}" WHERE "day" = ${day} AND "account_id" <= ${account}`, [
    oldest,
    last,
  ])
  return true
}

/** Rows of lost processes are kept as long as usage: they are its gaps. */
async function deleteOldRecorders(store: Store, now: number): Promise<void> {
  const { dialect } = store
  const [ended, flushed] = [dialect.param(1, 'integer'), dialect.param(2, 'integer')]
  const remove = `DELETE FROM "nounkit_recorders" WHERE "ended_at" < ${ended} OR "last_flush_at" < ${flushed}`
  await store.writeOne(remove, [now - endedMs, now - keptDays * dayMs])
}
