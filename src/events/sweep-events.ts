import type { Clock } from '../clock.ts'
import type { Bound } from '../plan/bound-statement.ts'
import { lockHead } from '../plan/event-reads.ts'
import {
  accountsWaiting,
  accountsWithOld,
  deleteEvents,
  mostSwept,
  oldestEvents,
  rememberSwept,
} from '../plan/event-sweeps.ts'
import { positionsPerMs } from '../plan/events.ts'
import { allRows, firstRow } from '../store/run-statement.ts'
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
  const { dialect } = store
  if (!dialect.commitsInOrder)
    for await (const account of accountsOf(store, (after) => accountsWaiting(dialect, after), signal))
      await log.last(account)
  const before = (clock.now() - keepDays * dayMs) * positionsPerMs
  for await (const account of accountsOf(store, (after) => accountsWithOld(dialect, after, before), signal))
    while ((await sweepOldest(store, account, before)) === mostSwept && !signal.aborted);
}

async function* accountsOf(
  store: Store,
  next: (after: string) => Bound,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let last = ''
  for (;;) {
    const found = await allRows(store, next(last))
    if (found.length === 0) return
    for (const [account] of found) {
      if (signal.aborted) return
      last = String(account)
      yield last
    }
  }
}

/** Deletes the oldest events of an account: how many. Whoever reads sees in the same moment that they are gone. */
function sweepOldest(store: Store, account: string, before: number): Promise<number> {
  const { dialect } = store
  return store.transaction(async (tx) => {
    const [last = null, count] = (await firstRow(tx, oldestEvents(dialect, account, before))) ?? []
    if (last === null) return 0
    await firstRow(tx, lockHead(dialect, account))
    await firstRow(tx, deleteEvents(dialect, account, last))
    await firstRow(tx, rememberSwept(dialect, account, last))
    return Number(count)
  }, account)
}
