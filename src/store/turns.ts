import { randomUUID } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { minuteMs } from '../times.ts'
import { addMeta, metaFacts, replaceMeta, selectMeta } from './meta.ts'
import { writeAlone } from './run-statement.ts'
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

/**
 * Runs a part of the housekeeping, unless it is not due yet or another process has its turn. Turns are rows of `nounkit_meta` and not
 * advisory locks: on a cluster each process may be connected to another node.
 */
export async function inTurn(
  store: Store,
  clock: Clock,
  part: SharedWork,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const began = clock.now()
  const turn = await takeTurn(store, began, part)
  if (turn === null) return
  try {
    await work(AbortSignal.any([stopping, AbortSignal.timeout(workMs)]))
  } finally {
    // Timers of processes are not in step: the next turn may come a little early rather than a whole interval late.
    await write(store, part, rowValue(began + 0.9 * part.everyMs), turn)
  }
}

const rowValue = (freeAt: number): string => `${freeAt} ${randomUUID()}`

/** What the row says while this process has its turn; null where it has none. */
async function takeTurn(store: Store, now: number, part: SharedWork): Promise<string | null> {
  const [seen = null] = (await store.first(selectMeta(keyOf(part)), [])) ?? []
  if (seen !== null) {
    const freeAt = Number.parseInt(String(seen), 10)
    // A time that is further away was written by a process whose clock was ahead.
    if (now < freeAt && freeAt <= now + Math.max(turnMs, part.everyMs)) return null
  }
  const mine = rowValue(now + turnMs)
  return (await write(store, part, mine, seen === null ? null : String(seen))) ? mine : null
}

const keyOf = ({ name }: SharedWork): string => metaFacts.turn.key + name

/** Writes the row, if it still has the value that was seen; null where there was no row. */
async function write(store: Store, part: SharedWork, value: string, seen: string | null): Promise<boolean> {
  const key = keyOf(part)
  const written =
    seen === null
      ? await writeAlone(store, addMeta(store.dialect, key, value))
      : await writeAlone(store, replaceMeta(store.dialect, key, value, seen))
  return written === 1
}
