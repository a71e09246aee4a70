import { migrateUnserved } from '../../lifecycle/migrate-unserved.ts'
import { migrateStore } from '../../migrate/migrate-store.ts'
import { MigrationRefused, mayBeTaken } from '../../migrate/migration.ts'
import type { Step } from '../../migrate/migration-step.ts'
import { needsStop } from '../../migrate/plan/store-plan.ts'
import { openStore } from '../../store/open.ts'
import { type Store, StoreRefused } from '../../store/store.ts'
import { databaseUrl, publishedOf } from '../command-store.ts'
import { type FollowParts, placeArgument } from './follow-declaration.ts'

/**
 * Once a version is published, a store keeps its names for processes of older declarations. In development there is one process, and people
 * look at their tables: names are moved at once, unless another process serves the store. Says what was done, a sentence each.
 */
export async function tidyPublished(parts: FollowParts): Promise<readonly string[]> {
  const { api, model } = parts
  if (publishedOf(api).length === 0) return []
  return withStore(parts, async (store) => {
    const { steps } = await migrateStore(store, model, { tidy: true, stops: true, dryRun: true })
    const conversions = steps.some((step) => !step.additive && (!step.stops || step.converts))
    if (conversions || !needsStop(steps)) return []
    try {
      return await stopped(store, parts)
    } catch (error) {
      if (error instanceof StoreRefused) return []
      throw error
    }
  })
}

/**
 * Once a version is published, a store is converted as its change lists say when a person asks for it with `nounkit migrate`. Where a store
 * was refused for want of that alone, the person is asked here, and else told the command. Throws any other refusal again.
 */
export async function convertPublished(refused: unknown, parts: FollowParts): Promise<readonly string[]> {
  if (!(refused instanceof MigrationRefused)) throw refused
  const { steps } = refused
  if (!steps.every((step) => mayBeTaken(step, { stops: true }))) throw refused
  const command = `nounkit migrate${placeArgument(parts.place)}`
  await agree(whysOf(steps), command, parts)
  return withStore(parts, (store) => stopped(store, parts))
}

/** The step that ends other processes concerns a table of the engine's own. */
const whysOf = (steps: readonly Step[]): readonly string[] =>
  steps.filter(({ stops, table }) => stops && !table.startsWith('nounkit_')).map(({ why }) => why)

async function withStore<T>({ api }: FollowParts, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(databaseUrl(api.declaration))
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

async function stopped(store: Store, { model, clock, beforeLock }: FollowParts): Promise<readonly string[]> {
  return whysOf((await migrateUnserved(store, model, { tidy: true, clock, beforeLock })).steps)
}

/** Throws unless the person wants it. */
async function agree(whys: readonly string[], command: string, { open, ask }: FollowParts): Promise<void> {
  const text = [
    'The store still has values or types of an older version:',
    ...whys.map((why) => `- ${why}`),
  ].join('\n')
  const question = `${text}\nChange it now, as ${command} does? All rows are kept.`
  const choices = [
    { value: 'yes', says: 'yes, change it' },
    { value: 'no', says: 'no, leave it as it is' },
  ]
  if (open.asks && (await ask({ kind: 'rename', text: question, choices })) === 'yes') return
  throw new StoreRefused(
    `${text}\nNothing was changed. Stop nounkit dev, run ${command}, which keeps all rows, and start it again.`,
  )
}
