import { type Store, StoreError } from './store.ts'

/** For so long a store is not ready after a write that its disk refused: a small write may find room where others do not. */
const refusedMs = 2_000

/**
 * A store whose disk takes no writes is not ready until one succeeds. Every process writes its own row every two seconds, so that it notices
 * by itself when there is room again. Where accounts are on different machines, the disk of one says nothing of the others.
 */
export function readyToWrite(store: Store): Store {
  if (store.dialect.accountsApart) return store
  let refused: { readonly error: StoreError; readonly at: number } | null = null
  const watched = async <T>(write: Promise<T>): Promise<T> => {
    try {
      const written = await write
      if (refused && performance.now() - refused.at >= refusedMs) refused = null
      return written
    } catch (error) {
      if (error instanceof StoreError && error.reason !== null) refused = { error, at: performance.now() }
      throw error
    }
  }
  const { writeClaimed } = store
  return {
    ...store,
    writeOne: (sql, values, account) => watched(store.writeOne(sql, values, account)),
    writeClaimed: writeClaimed && ((writes, account) => watched(writeClaimed(writes, account))),
    transaction: (work, account) => watched(store.transaction(work, account)),
    async ready() {
      if (refused) throw refused.error
      return store.ready()
    },
  }
}
