import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { minuteMs } from '../times.ts'
import { lostAfterMs, markLost, type RecorderRow, readUnended } from './recorder-rows.ts'

/** A process that has not written for this long is dead, however much clocks differ. For others `settleRecorders` waits. */
export const surelyDeadMs = 5 * minuteMs
export const pollMs = 250

/** How long to wait for other processes. */
export interface WaitOptions {
  readonly patienceMs?: number
  /** Called once when there are processes to wait for. */
  readonly waiting?: (processes: number) => void
}

/**
 * Waits until every process has written its counts up to now. A process that does not is marked as lost, with a gap in usage. Only
 * a row that is seen to change counts as alive, because the clocks of two machines differ.
 */
export async function settleRecorders(
  store: Store,
  clock: Clock,
  { patienceMs = lostAfterMs, waiting }: WaitOptions = {},
): Promise<void> {
  const now = clock.now()
  const asked = await readUnended(store)
  const dead = asked.filter((row) => row.lost || row.lastFlushAt < now - surelyDeadMs)
  let silent = asked.filter((row) => !dead.includes(row))
  if (silent.length > 0) waiting?.(silent.length)
  const deadline = performance.now() + patienceMs
  while (silent.length > 0 && performance.now() < deadline) {
    await sleep(pollMs)
    const still = new Map((await readUnended(store)).map((row) => [row.id, row]))
    silent = silent.filter((row) => isSilent(row, still.get(row.id)))
  }
  for (const row of [...dead, ...silent]) if (!row.lost) await markLost(store, row, clock.now())
}

/** A process whose row is deleted or ended has written everything. */
const isSilent = (before: RecorderRow, now: RecorderRow | undefined): boolean =>
  now !== undefined && now.flushes === before.flushes
