import type { Model } from '../compile/model.ts'
import { migrateStore } from '../migrate/migrate-store.ts'
import { readGeneration } from '../migrate/record/store-generation.ts'
import { type Store, StoreOutdated } from '../store/store.ts'

/** Whether the store was migrated so that names, values or types which this process needs no longer exist. */
export interface Outdated {
  readonly is: boolean
  /** Resolves with the reason once the process is outdated. */
  readonly when: Promise<string>
  /** Reads whether the store was migrated since this process started. */
  check(): Promise<void>
  /** Called after a statement used a name that does not exist: checks whether the tables still fit the model. */
  suspect(reason: string): Promise<void>
}

/** `first` is the store's generation before the process read its tables, so that every later migration is noticed. */
export function followMigrations(store: Store, model: Model, first: number): Outdated {
  const { promise, resolve } = Promise.withResolvers<string>()
  let looking: Promise<void> | null = null
  const note = (reason: string): void => {
    outdated.is = true
    resolve(reason)
  }
  const look = async (reason: string): Promise<void> => {
    if (!(await fits(store, model))) note(reason)
  }
  const outdated = {
    is: false,
    when: promise,
    async check() {
      if ((await readGeneration(store)) !== first) note('nounkit migrate has changed the store')
    },
    suspect(reason: string) {
      looking ??= look(reason).finally(() => {
        looking = null
      })
      return looking
    },
  }
  return outdated
}

async function fits(store: Store, model: Model): Promise<boolean> {
  try {
    const { steps } = await migrateStore(store, model, { dryRun: true })
    // A sum that a newer release has redefined is a column all the same.
    return steps.every((step) => step.sum)
  } catch (error) {
    return !(error instanceof StoreOutdated)
  }
}
