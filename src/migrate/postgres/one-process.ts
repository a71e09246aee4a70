import { setTimeout as sleep } from 'node:timers/promises'
import { type Store, StoreRefused } from '../../store/store.ts'
import { minuteMs } from '../../times.ts'

const lockWaitMs = 10 * minuteMs

/**
 * Runs `work` in one process at a time. The advisory lock belongs to a transaction on a connection of its own, because behind
 * PgBouncer sessions are shared. The lock is polled: a statement that waits for it would block CREATE INDEX CONCURRENTLY of the
 * process that holds it.
 */
export async function alone<T>(store: Store, work: () => Promise<T>): Promise<T> {
  return store.session(async (lock) => {
    const giveUpAt = performance.now() + lockWaitMs
    for (;;) {
      await lock.script('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0')
      const [row] = await lock.all(
        `SELECT pg_try_advisory_xact_lock(hashtext('nounkit ' || current_schema()))`,
      )
      if (row?.[0] === 1) break
      await lock.script('ROLLBACK')
      if (performance.now() > giveUpAt)
        throw new StoreRefused(
          'Another process has been migrating this database for 10 minutes. It prints what it waits for. End what it waits for, or it, then start again.',
        )
      await sleep(100 + Math.random() * 200)
    }
    try {
      return await work()
    } finally {
      await lock.script('ROLLBACK')
    }
  })
}
