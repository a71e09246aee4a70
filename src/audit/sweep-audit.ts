import type { Clock } from '../clock.ts'
import { deleteEntries, mostEntriesSwept, oldestEntries } from '../plan/audit-reads.ts'
import type { Store } from '../store/store.ts'
import { dayMs } from '../times.ts'

/** Deletes audit entries that are older than `keepDays`, a few at a time, until `signal` aborts. */
export async function sweepAudit(
  store: Store,
  clock: Clock,
  keepDays: number,
  signal: AbortSignal,
): Promise<void> {
  const { dialect } = store
  const before = clock.now() - keepDays * dayMs
  while (!signal.aborted) {
    const found = await store.all(oldestEntries(dialect), [before])
    for (const [account, entries] of Map.groupBy(found, ([account]) => String(account)))
      await store.writeOne(
        deleteEntries(dialect),
        [account, JSON.stringify(entries.map(([, id]) => id))],
        account,
      )
    if (found.length < mostEntriesSwept) return
  }
}
