import type { Model } from '../compile/model.ts'
import { migrateStore } from '../migrate/migrate-store.ts'
import { recordedPublished } from '../migrate/record/published.ts'
import { readShape } from '../migrate/record/shape.ts'
import { unfitRows } from '../migrate/rows/unfit-rows.ts'
import { type Store, StoreRefused } from '../store/store.ts'

/** Throws unless the store has exactly the tables of the declaration, and only values that it allows. */
export async function demandFit(store: Store, model: Model): Promise<void> {
  const { steps } = await migrateStore(store, model, { dryRun: true })
  const [why] = steps.length > 0 ? steps.map(({ why }) => why) : await unfitUnpublished(store, model)
  if (why !== undefined)
    throw new StoreRefused(
      `The store does not fit the declaration: ${why}. Migrate it first: nounkit migrate`,
    )
}

/** Once a version is published, the shape is not recorded any more: the store only grows. */
async function unfitUnpublished(store: Store, model: Model): Promise<readonly string[]> {
  if ((await recordedPublished(store)) !== null) return []
  const shape = await readShape(store)
  if (!shape) return []
  return store.session((session) => unfitRows({ session, dialect: store.dialect }, model, shape))
}
