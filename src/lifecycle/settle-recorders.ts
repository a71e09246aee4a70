import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { minuteMs } from '../times.ts'
import { lostAfterMs, markLost, type RecorderRow, readUnended } from './recorder-rows.ts'

/** Silent for so long, a process is dead by any clock; for a word of the others it is waited. */
export const surelyDeadMs = 5 * minuteMs
const askMs = 250

export interface SettleOptions {
  readonly patienceMs?: number
  /** Told once when there is something to wait for. */
  readonly waiting?: (processes: number) => void
}

/**
 * Waits until every process that counts has written down what it had counted up to now. One that does not is lost, and its gap
 * recorded. Only what is seen to change counts as alive: the clocks of two machines are never the same.
 */
export async function settleRecorders(
  store: Store,
  clock: Clock,
  { patienceMs = lostAfterMs, waiting }: SettleOptions = {},
): Promise<void> {
  const now = clock.now()
  const asked = await readUnended(store)
  const dead = asked.filter((row) => row.lost || row.lastFlushAt < now - surelyDeadMs)
  let silent = asked.filter((row) => !dead.includes(row))
  if (silent.length > 0) waiting?.(silent.length)
  const deadline = performance.now() + patienceMs
  while (silent.length > 0 && performance.now() < deadline) {
    await sleep(askMs)
    const still = new Map((await readUnended(store)).map((row) => [row.id, row]))
    silent = silent.filter((row) => isSilent(row, still.get(row.id)))
  }
  for (const row of [...dead, ...silent]) if (!row.lost) await markLost(store, row, clock.now())
}

/** A row that is gone or ended has nothing more to say. */
const isSilent = (before: RecorderRow, now: RecorderRow | undefined): boolean =>
  now !== undefined && now.flushes === before.flushes
