import { readGeneration } from '../migrate/record/store-generation.ts'
import type { Store } from '../store/store.ts'

/** Whether the store was migrated so that names, values or types which this process needs no longer exist. */
export interface Outdated {
  readonly is: boolean
  /** Resolves with the reason once the process is outdated. */
  readonly when: Promise<string>
  /** Reads whether the store was migrated since this process started. */
  check(): Promise<void>
}

/** `first` is the store's generation before the process read its tables, so that every later migration is noticed. */
export function followMigrations(store: Store, first: number): Outdated {
  const { promise, resolve } = Promise.withResolvers<string>()
  const outdated = {
    is: false,
    when: promise,
    async check() {
      if ((await readGeneration(store)) === first) return
      outdated.is = true
      resolve('nounkit migrate has changed the store')
    },
  }
  return outdated
}
