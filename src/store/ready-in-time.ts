import { inTime } from '../in-time.ts'
import type { NodeState, Store } from './store.ts'

const patienceMs = 2_000

/** The machines of the store; null where it takes no reads and writes, or is silent. */
export const readyInTime = (store: Store): Promise<readonly NodeState[] | null> =>
  inTime(
    store.ready().catch(() => null),
    patienceMs,
    null,
  )
