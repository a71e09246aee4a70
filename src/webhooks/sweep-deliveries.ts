import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { dayMs } from '../times.ts'
import { allRows, statement, timeText } from './rows.ts'

const batch = 500

/** Deletes deliveries that have ended and are older than events are kept, in small parts, until `signal` aborts. */
export async function sweepDeliveries(
  store: Store,
  clock: Clock,
  keepDays: number,
  signal: AbortSignal,
): Promise<void> {
  const before = timeText(clock.now() - keepDays * dayMs)
  while (!signal.aborted) {
    const rows = await allRows(
      store,
      statement(
        store.dialect,
        (bind) =>
          `SELECT "account_id", "id" FROM "webhook_deliveries" WHERE "created_at" < ${bind('datetime', before)} AND "next_attempt_at" IS NULL ORDER BY "created_at" LIMIT ${batch}`,
      ),
    )
    const byAccount = Map.groupBy(rows, ([account]) => String(account))
    for (const [account, own] of byAccount) {
      const ids = own.map(([, id]) => String(id))
      await deleteDeliveries(store, account, ids)
    }
    if (rows.length < batch) return
  }
}

async function deleteDeliveries(store: Store, account: string, ids: readonly string[]): Promise<void> {
  const { dialect } = store
  const { text, values } = statement(
    dialect,
    (bind) =>
      `DELETE FROM "webhook_deliveries" WHERE "account_id" = ${bind('id', account)} AND "id" IN (${dialect.listed(bind('json', JSON.stringify(ids)))})`,
  )
  await store.writeOne(text, values)
}
