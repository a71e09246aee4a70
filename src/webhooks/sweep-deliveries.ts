import type { Clock } from '../clock.ts'
import { statement } from '../plan/bound-statement.ts'
import { firstRow, writeAlone } from '../store/run-statement.ts'
import type { Store } from '../store/store.ts'
import { dayMs } from '../times.ts'
import { timeText } from './stored-times.ts'

const batch = 500

/** Deletes deliveries that have ended and are older than events are kept, in small parts, until `signal` aborts. */
export async function sweepDeliveries(
  store: Store,
  clock: Clock,
  keepDays: number,
  signal: AbortSignal,
): Promise<void> {
  const { dialect } = store
  const ended = `WHERE "next_attempt_at" IS NULL AND "created_at"`
  const before = timeText(clock.now() - keepDays * dayMs)
  const oldest = statement(
    dialect,
    (bind) =>
      `SELECT max("created_at"), count(*) FROM (SELECT "created_at" FROM "webhook_deliveries" ${ended} < ${bind('datetime', before)} ORDER BY "created_at" LIMIT ${batch}) o`,
  )
  while (!signal.aborted) {
    const [last = null, count] = (await firstRow(store, oldest)) ?? []
    if (last === null) return
    const remove = statement(
      dialect,
      (bind) => `DELETE FROM "webhook_deliveries" ${ended} <= ${bind('datetime', last)}`,
    )
    await writeAlone(store, remove)
    if (Number(count) < batch) return
  }
}
