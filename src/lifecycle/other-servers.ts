import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { isDead, isOwnProcess, processText } from './process-id.ts'
import { lostAfterMs, readUnended } from './recorder-rows.ts'

/** The other processes that serve the store, in words: `process 4711 on web-1`. One that ended a few seconds ago on another machine may be among them. */
export async function otherServers(store: Store, clock: Clock): Promise<readonly string[]> {
  const recent = clock.now() - lostAfterMs
  const rows = await readUnended(store)
  return rows
    .filter((row) => !row.lost && row.lastFlushAt >= recent && !isOwnProcess(row.id) && !isDead(row.id))
    .map(({ id }) => processText(id))
}
