import type { NodeState, Store } from './store.ts'

const patienceMs = 2_000

/** The machines of the store; null where it takes no reads and writes, or is silent. */
export function readyInTime(store: Store): Promise<readonly NodeState[] | null> {
  const late = Promise.withResolvers<null>()
  const timer = setTimeout(() => late.resolve(null), patienceMs)
  const answered = store.ready().catch(() => null)
  return Promise.race([answered, late.promise]).finally(() => clearTimeout(timer))
}
