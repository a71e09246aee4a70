import type { Model } from '../compile/model.ts'
import { readGeneration } from '../store/schema/generation.ts'
import { migrate } from '../store/schema/migrate-store.ts'
import { type Store, StoreError, StoreOutdated } from '../store/store.ts'

/** Whether names, values or types that this process counts on are gone from the store, since somebody migrated it. */
export interface Outdated {
  readonly is: boolean
  /** Resolves with the reason once the process is outdated. */
  readonly when: Promise<string>
  /** Reads whether the store was migrated since this process began to start. */
  check(): Promise<void>
  /** A statement named what is not there: looks whether the store's tables are still those that the model needs. */
  suspect(reason: string): Promise<void>
}

/** Begins before the process looks at the store's tables: whatever is changed after that look is noticed. */
export async function followMigrations(store: Store, model: Model): Promise<Outdated> {
  const first = await generationAtStart(store)
  const { promise, resolve } = Promise.withResolvers<string>()
  let is = false
  let looking: Promise<void> | null = null
  const note = (reason: string): void => {
    is = true
    resolve(reason)
  }
  const look = async (reason: string): Promise<void> => {
    if (!(await fits(store, model))) note(reason)
  }
  return {
    get is() {
      return is
    },
    when: promise,
    async check() {
      if ((await readGeneration(store)) !== first) note('nounkit migrate --rename has changed the store')
    },
    suspect(reason) {
      looking ??= look(reason).finally(() => {
        looking = null
      })
      return looking
    },
  }
}

async function generationAtStart(store: Store): Promise<number> {
  try {
    return await readGeneration(store)
  } catch (error) {
    // An empty store, which this very process is about to make.
    if (error instanceof StoreError && error.kind === 'outdated') return 0
    throw error
  }
}

async function fits(store: Store, model: Model): Promise<boolean> {
  try {
    return (await migrate(store, model, { dryRun: true })).steps.length === 0
  } catch (error) {
    return !(error instanceof StoreOutdated)
  }
}
