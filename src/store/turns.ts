import type { Clock } from '../clock.ts'
import { minuteMs } from '../times.ts'
import { readMark, replaceMark } from './marks.ts'
import type { Store } from './store.ts'

/** A part of the housekeeping that all processes of a store share. */
export interface SharedWork {
  readonly name: string
  readonly everyMs: number
}

/** The longest turn. After a process was killed during its turn, the others wait until this time has passed. */
const turnMs = 5 * minuteMs
/** `work` is told to end earlier than that, so that its last statement ends within the turn. */
const workMs = 4 * minuteMs

/** Timers of processes are not in step: the next turn may come a little early rather than a whole interval late. */
const nextTurn = (began: number, everyMs: number): number => Math.ceil(began + 0.9 * everyMs)

/**
 * Runs a part of the housekeeping, unless it is not due yet or another process has its turn. Turns are marks and not advisory locks: on a
 * cluster each process may be connected to another node.
 */
export async function inTurn(
  store: Store,
  clock: Clock,
  { name, everyMs }: SharedWork,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const began = clock.now()
  const mark = `turn ${name}`
  const until = began + turnMs
  if (!(await takeTurn(store, mark, began, until, Math.max(turnMs, everyMs)))) return
  try {
    await work(AbortSignal.any([stopping, AbortSignal.timeout(workMs)]))
  } finally {
    await replaceMark(store, mark, nextTurn(began, everyMs), until)
  }
}

/** Whether this process looks now, as one process does at a time. Its look is short, so that its end is not told. */
export const takeLookTurn = (store: Store, mark: string, now: number, everyMs: number): Promise<boolean> =>
  takeTurn(store, mark, now, nextTurn(now, everyMs), minuteMs)

/** The mark says from when on the next turn may be taken. A time beyond `mostMs` was written by a process whose clock was ahead. */
async function takeTurn(
  store: Store,
  mark: string,
  now: number,
  until: number,
  mostMs: number,
): Promise<boolean> {
  const freeAt = await readMark(store, mark)
  if (freeAt !== null && now < freeAt && freeAt <= now + mostMs) return false
  return replaceMark(store, mark, until, freeAt)
}
