import type { Clock } from '../clock.ts'
import { deleteEntries, mostEntriesSwept, oldestEntries } from '../plan/audit-reads.ts'
import { allRows, writeAlone } from '../store/run-statement.ts'
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
    const found = await allRows(store, oldestEntries(dialect, before))
    for (const [account, entries] of Map.groupBy(found, ([account]) => String(account))) {
      const ids = entries.map(([, id = null]) => id)
      await writeAlone(store, deleteEntries(dialect, account, ids), account)
    }
    if (found.length < mostEntriesSwept) return
  }
}
