import type { Clock } from '../../clock.ts'
import { otherServers } from '../../lifecycle/serving.ts'
import type { Store } from '../../store/store.ts'

/** What the person should know of a store that another process serves too, such as another `nounkit dev`. */
export async function sharedStore(store: Store, clock: Clock): Promise<readonly string[]> {
  const others = await otherServers(store, clock)
  if (others.length === 0) return []
  return [
    `Warning: this store is also served by ${others.join(', ')}. While both run, neither can change the store when the declaration changes. Stop one of them, or set DATABASE_URL to another store for one`,
  ]
}
