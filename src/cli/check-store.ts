import type { Model } from '../compile/model.ts'
import { migrateStore } from '../migrate/migrate-store.ts'
import { MigrationRefused, mayBeTaken } from '../migrate/migration.ts'
import { type Release, releaseOf } from '../migrate/release.ts'
import { databaseUrl, openExistingStore, publishedOf } from './command-store.ts'
import type { LoadedApi } from './load.ts'

/** Which kind of release the declaration is for its store, which is only read. Null while nothing is published: the store follows any change. */
export async function checkStore(api: LoadedApi, model: Model): Promise<Release | null> {
  const store = await openExistingStore(databaseUrl(api.declaration))
  try {
    if (publishedOf(api).length === 0) return null
    const { steps } = await migrateStore(store, model, { dryRun: true, stops: true })
    const refused = steps.filter((step) => !mayBeTaken(step, { stops: true }))
    if (refused.length > 0) throw new MigrationRefused(refused)
    return releaseOf(steps)
  } finally {
    await store.close()
  }
}
