import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { minuteMs } from '../times.ts'
import { lostAfterMs, markLost, type RecorderRow, readUnended } from './recorder-rows.ts'

/** A process that has not written for this long is dead, however much clocks differ. For others `awaitRecorders` waits. */
export const surelyDeadMs = 5 * minuteMs
export const pollMs = 250

/** How long to wait for other processes. */
export interface WaitOptions {
  readonly patienceMs?: number
  /** Called once when there are processes to wait for. */
  readonly waiting?: (processes: number) => void
}

/**
 * How many complete flushes of a process to wait for. The first may have begun before the question was asked, without the calls that
 * came after its beginning. The second has everything up to the question.
 */
const flushesToSee = 2

/**
 * Waits until every process has written its counts up to now. A process that does not is marked as lost, with a gap in usage. Only
 * a row that is seen to change counts as alive, because the clocks of two machines differ.
 */
export async function awaitRecorders(
  store: Store,
  clock: Clock,
  { patienceMs = lostAfterMs, waiting }: WaitOptions = {},
): Promise<void> {
  const now = clock.now()
  const isDead = (row: RecorderRow): boolean => row.lost || row.lastFlushAt < now - surelyDeadMs
  const asked = await readUnended(store)
  let awaited = asked.filter((row) => !isDead(row)).map((row) => new AwaitedRecorder(row))
  if (awaited.length > 0) waiting?.(awaited.length)
  const deadline = performance.now() + patienceMs
  while (awaited.length > 0 && performance.now() < deadline) {
    await sleep(pollMs)
    const rows = new Map((await readUnended(store)).map((row) => [row.id, row]))
    awaited = awaited.filter((recorder) => !recorder.hasWritten(rows.get(recorder.row.id)))
  }
  const silent = [...asked.filter(isDead), ...awaited.map(({ row }) => row)]
  for (const row of silent) if (!row.lost) await markLost(store, row, clock.now())
}

/** The row of a process as it was read last, and how many flushes were seen to be completed. */
class AwaitedRecorder {
  row: RecorderRow
  #flushesSeen = 0

  constructor(row: RecorderRow) {
    this.row = row
  }

  /** Whether the process has written everything up to the question. A process whose row is deleted or ended has. */
  hasWritten(row: RecorderRow | undefined): boolean {
    if (!row) return true
    if (row.lastFlushAt !== this.row.lastFlushAt) this.#flushesSeen++
    this.row = row
    return this.#flushesSeen >= flushesToSee
  }
}
