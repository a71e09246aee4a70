import type { Clock } from '../clock.ts'
import { statement } from '../plan/bound-statement.ts'
import { writeAlone } from '../store/run-statement.ts'
import type { Store } from '../store/store.ts'
import { dayMs } from '../times.ts'

const keptMs = 7 * dayMs

/** Deletes jobs that failed for good more than seven days ago. */
export async function sweepJobs(store: Store, clock: Clock): Promise<void> {
  const remove = statement(
    store.dialect,
    (bind) =>
      `DELETE FROM "nounkit_jobs" WHERE "status" = 'failed' AND "ended_at" < ${bind('integer', clock.now() - keptMs)}`,
  )
  await writeAlone(store, remove)
}
