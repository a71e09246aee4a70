import { type Clock, clockFromEnvironment } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import { migrate } from '../store/schema/migrate-store.ts'
import { type Store, StoreError } from '../store/store.ts'
import { openExisting } from './existing-store.ts'
import { compileLoaded, loadApi } from './load.ts'

export interface LifecycleStore {
  readonly model: Model
  readonly store: Store
  readonly clock: Clock
}

/** Opens an API's store for a command about its versions. Works beside running processes. */
export async function withLifecycleStore(
  place: string | undefined,
  work: (opened: LifecycleStore) => Promise<number>,
): Promise<number> {
  const api = await loadApi(place)
  const model = compileLoaded(api)
  const clock = clockFromEnvironment(process.env)
  const store = await openExisting(api.declaration)
  try {
    if (!(await hasTables(store))) await migrate(store, model)
    return await work({ model, store, clock })
  } finally {
    await store.close()
  }
}

/** A store that has them, down to the column that was added last, is left as it is. */
async function hasTables(store: Store): Promise<boolean> {
  try {
    await store.first('SELECT "sunset" FROM "nounkit_signals" LIMIT 1', [])
    return true
  } catch (error) {
    if (error instanceof StoreError && error.kind === 'unavailable') throw error
    return false
  }
}

/** Whoever runs the command, unless said. */
export const actor = (by: string | undefined): string | null =>
  by || process.env.USER || process.env.LOGNAME || null
