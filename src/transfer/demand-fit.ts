import type { Model } from '../compile/model.ts'
import { migrate } from '../store/schema/migrate-store.ts'
import { type Store, StoreRefused } from '../store/store.ts'

/** Throws unless the store has exactly the tables of the declaration. */
export async function demandFit(store: Store, model: Model): Promise<void> {
  const { steps } = await migrate(store, model, { dryRun: true })
  if (steps.length > 0)
    throw new StoreRefused(
      `The store does not fit the declaration: ${steps[0]?.why}. Migrate it first: nounkit migrate`,
    )
}
