import type { Clock } from '../clock.ts'
import { lockHead } from '../plan/event-reads.ts'
import { deleteEvents, mostSwept, nextAccount, oldestEvents, rememberSwept } from '../plan/event-sweeps.ts'
import { eventTable, inboxTable, positionsPerMs } from '../plan/events.ts'
import type { Store } from '../store/store.ts'
import { dayMs } from '../times.ts'
import type { EventLog } from './event-log.ts'

/**
 * Deletes events that are older than `keepDays`, a few at a time, until `signal` aborts. Before, it gives positions to events that nobody
 * has read yet: a position is the time of its event, unless the clock went back.
 */
export async function sweepEvents(
  store: Store,
  log: EventLog,
  clock: Clock,
  keepDays: number,
  signal: AbortSignal,
): Promise<void> {
  if (!store.dialect.commitsInOrder)
    for await (const account of accountsIn(store, inboxTable, signal)) await log.last(account)
  const before = (clock.now() - keepDays * dayMs) * positionsPerMs
  for await (const account of accountsIn(store, eventTable, signal))
    while ((await sweepOldest(store, account, before)) === mostSwept && !signal.aborted);
}

async function* accountsIn(
  store: Store,
  table: typeof eventTable | typeof inboxTable,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let account = ''
  while (!signal.aborted) {
    const found = await store.first(nextAccount(table, store.dialect), [account])
    if (!found) return
    account = String(found[0])
    yield account
  }
}

/** Deletes the oldest events of an account: how many. Whoever reads sees in the same moment that they are gone. */
function sweepOldest(store: Store, account: string, before: number): Promise<number> {
  const { dialect } = store
  return store.transaction(async (tx) => {
    const [last = null, count] = (await tx.first(oldestEvents(dialect), [account, before, 1])) ?? []
    if (last === null) return 0
    await tx.first(lockHead(dialect), [account])
    await tx.first(deleteEvents(dialect), [account, last])
    await tx.first(rememberSwept(dialect), [account, last])
    return Number(count)
  })
}
