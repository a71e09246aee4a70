import type { Model } from '../compile/model.ts'
import { namesOf } from '../compile/names-of.ts'
import { bindModel } from '../migrate/bind-model.ts'
import { recordedPublished } from '../migrate/record/published.ts'
import { type Store, StoreError, StoreRefused } from '../store/store.ts'
import { seedEmpty } from '../write/seed.ts'
import { emptyingOf } from './emptying.ts'
import { migrateUnserved, type UnservedOptions } from './migrate-unserved.ts'

export interface ResetOptions extends Omit<UnservedOptions, 'emptying' | 'dryRun' | 'decider'> {
  /** The versions that are published: of the declaration. Those that the store has recorded count too. */
  readonly published: readonly string[]
  /** The API's name, where a store with a published version is meant to be emptied. */
  readonly forced?: string | undefined
  /** Inserts the rows of the seed again. Otherwise the store stays empty. */
  readonly seed?: boolean
}

/** Empties a store, and makes its tables fit the declaration. API keys stay. Gives the store's generation. */
export async function resetStore(store: Store, declared: Model, options: ResetOptions): Promise<number> {
  // A store that is emptied keeps its names.
  const { model, record } = await bindModel(store, declared)
  const names = record === null ? null : { ...model.names, versions: namesOf(model), converted: [] }
  const { published, forced, seed = false, ...rest } = options
  const promised = published.length > 0 ? published.join(', ') : await recorded(store)
  if (promised !== null && forced === undefined) throw new StoreRefused(whyNoReset(promised, model))
  if (promised !== null && forced !== model.name)
    throw new StoreRefused(`--force ${forced}: the API's name is ${model.name}. Nothing was changed.`)
  const { generation } = await migrateUnserved(store, model, {
    ...rest,
    decider: { by: 'person', acceptDataLoss: true },
    emptying: emptyingOf(seed ? 'again' : 'never', names),
  })
  if (seed) await seedEmpty(store, model, rest.clock)
  return generation
}

/** `promised` are the versions that are published. */
export const whyNoReset = (promised: string, { name }: Model, command = 'nounkit reset'): string =>
  `The API has a published version (${promised}), so its store may have rows of consumers. Nothing was changed. If all of them shall go, use ${command} --force ${name}.`

async function recorded(store: Store): Promise<string | null> {
  try {
    return await recordedPublished(store)
  } catch (error) {
    // The store has no tables yet.
    if (error instanceof StoreError && error.kind === 'outdated') return null
    throw error
  }
}
