import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { isDead, isOwnProcess, processText } from '../store/process-id.ts'
import { type Store, StoreRefused } from '../store/store.ts'
import { pollMs, surelyDeadMs, type WaitOptions } from './await-recorders.ts'
import { lostAfterMs, type RecorderRow, readUnended } from './recorder-rows.ts'

/** No process was seen to serve the store. */
export interface NobodyServes {
  /** Checks again. Throws when a process has inserted its row, or written, since the first check. */
  again(): Promise<void>
}

interface ServingOptions extends WaitOptions {
  /** Whether the store is to be emptied, not changed. */
  readonly emptying?: boolean
  /** Whether who asks can leave this question out, by `--force`. */
  readonly hasForce?: boolean
  /** Whether the process of a recorder's id is known to have ended. */
  readonly isDead?: (id: string) => boolean
}

/**
 * Throws while a process serves the store. A serving process writes every two seconds. Only a process that is seen to write counts
 * as alive, because the clocks of two machines differ. For a killed process this waits until it would have written.
 */
export async function demandNobodyServes(
  store: Store,
  clock: Clock,
  { patienceMs = lostAfterMs, waiting, isDead: isKnownDead = () => false, ...asked }: ServingOptions = {},
): Promise<NobodyServes> {
  const before = new Map((await readUnended(store)).map((row) => [row.id, row]))
  const recent = clock.now() - surelyDeadMs
  const silent = [...before.values()].filter(
    (row) => !row.lost && row.lastFlushAt >= recent && !isKnownDead(row.id),
  )
  const again = async (): Promise<void> => {
    const alive = (await readUnended(store)).filter(
      ({ id, lastFlushAt }) => before.get(id)?.lastFlushAt !== lastFlushAt,
    )
    if (alive.length > 0) throw servingRefusal(alive, asked)
  }
  if (silent.length > 0) waiting?.(silent.length)
  const deadline = performance.now() + (silent.length > 0 ? patienceMs : 0)
  while (performance.now() < deadline) {
    await sleep(pollMs)
    await again()
  }
  return { again }
}

function servingRefusal(
  alive: readonly RecorderRow[],
  { emptying = false, hasForce = false }: ServingOptions,
): StoreRefused {
  const lines = alive.map(
    ({ id, startedAt, lastFlushAt }) =>
      `  ${processText(id)}, serving since ${timeOf(startedAt)}, last seen ${timeOf(lastFlushAt)}`,
  )
  const why = emptying
    ? 'is not emptied meanwhile'
    : 'what is to be renamed or converted would be gone from under these processes'
  const also = hasForce ? ', or use --force if you know that they are dead' : ''
  return new StoreRefused(
    `The store is being served, and ${why}. Nothing was changed.\n${lines.join('\n')}\nStop them and run it again${also}.`,
  )
}

const timeOf = (ms: number): string => new Date(ms).toISOString()

/** The other processes that serve the store, in words: `process 4711 on web-1`. One that ended a few seconds ago on another machine may be among them. */
export async function otherServers(store: Store, clock: Clock): Promise<readonly string[]> {
  const recent = clock.now() - lostAfterMs
  const rows = await readUnended(store)
  return rows
    .filter((row) => !row.lost && row.lastFlushAt >= recent && !isOwnProcess(row.id) && !isDead(row.id))
    .map(({ id }) => processText(id))
}
