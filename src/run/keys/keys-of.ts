import type { Store } from '../../store/store.ts'
import { indexedKeys } from './indexed.ts'
import type { Keys } from './keys.ts'
import { loggedKeys } from './logged.ts'

const known = new WeakMap<Store, Keys>()

/** One for each store: what it knows by heart is what this process has written there. */
export function keysOf(store: Store): Keys {
  const keys = known.get(store) ?? openKeys(store)
  known.set(store, keys)
  return keys
}

const openKeys = (store: Store): Keys =>
  store.selfUndoing ? loggedKeys(store, store.selfUndoing) : indexedKeys(store)
