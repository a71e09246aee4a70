import { setTimeout as sleep } from 'node:timers/promises'
import type { NodeState, Store } from './store.ts'

const patienceMs = 2_000

/** The machines of the store; null where it takes no reads and writes, or is silent. */
export const readyInTime = (store: Store): Promise<readonly NodeState[] | null> =>
  Promise.race([store.ready().catch(() => null), sleep(patienceMs, null, { ref: false })])
