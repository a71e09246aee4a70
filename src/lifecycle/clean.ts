import type { Store } from '../store/store.ts'
import { dayMs, dayOf } from '../times.ts'

const keptDays = 400
const batch = 100
/** How long the row of a process that ended in order is kept. */
const endedMs = dayMs

const tables = ['nounkit_usage', 'nounkit_usage_details']
const day = ['account_id', 'consumer', 'version', 'day']

/** Deletes usage that is older than any report shows. A few rows at a time, so that no request waits long for its locks. */
export async function deleteOldUsage(store: Store, now: number): Promise<void> {
  const { dialect } = store
  const names = day.map((name) => `"${name}"`).join(', ')
  const same = day.map((name, index) => `"${name}" = ${dialect.param(index + 1, 'string')}`).join(' AND ')
  for (const table of tables) {
    const find = `SELECT DISTINCT ${names} FROM "${table}" WHERE "day" < ${dialect.param(1, 'string')} LIMIT ${batch}`
    for (;;) {
      const old = await store.all(find, [dayOf(now - keptDays * dayMs)])
      if (old.length === 0) break
      await store.transaction(async (tx) => {
        for (const key of old) await tx.all(`DELETE FROM "${table}" WHERE ${same}`, key)
      })
    }
  }
  await deleteOldRecorders(store, now)
}

/** Rows of lost processes are kept as long as usage: they are its gaps. */
async function deleteOldRecorders(store: Store, now: number): Promise<void> {
  const { dialect } = store
  const number = (n: number) => dialect.param(n, 'integer')
  const find = `SELECT "id" FROM "nounkit_recorders" WHERE "ended_at" < ${number(1)} OR "last_flush_at" < ${number(2)} LIMIT ${batch}`
  const remove = `DELETE FROM "nounkit_recorders" WHERE "id" = ${dialect.param(1, 'string')}`
  for (;;) {
    const old = await store.all(find, [now - endedMs, now - keptDays * dayMs])
    if (old.length === 0) return
    await store.transaction(async (tx) => {
      for (const [id = ''] of old) await tx.all(remove, [id])
    })
  }
}
