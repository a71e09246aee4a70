import type { Model } from '../../../compile/model.ts'
import { type Store, StoreRefused } from '../../store.ts'
import { migrate } from '../migrate-store.ts'
import { type MigrateOptions, type Migration, MigrationRefused } from '../migration.ts'
import { grownShape, readShape, recordShape, shapeOf } from './shape.ts'
import { unfitRows } from './unfit-rows.ts'

/**
 * Migrates the store at the start of a service that has nothing published yet: only additions are made. Anything else is for
 * `nounkit migrate` and `nounkit dev`, which can ask.
 */
export async function startUnpublished(
  store: Store,
  model: Model,
  options: Pick<MigrateOptions, 'waiting'> = {},
): Promise<void> {
  const { steps } = await additions(store, model, options)
  const before = await readShape({ all: async (sql) => store.all(sql, []) })
  const declared = shapeOf(model)
  const unfit = before ? await unfitRows(store, model, before) : []
  if (unfit.length > 0) throw refusal(unfit)
  const after = before ? grownShape(before, declared) : steps.length > 0 ? declared : null
  if (after && JSON.stringify(after) !== JSON.stringify(before)) await store.writeOne(recordShape(after), [])
}

async function additions(store: Store, model: Model, options: MigrateOptions): Promise<Migration> {
  try {
    return await migrate(store, model, options)
  } catch (error) {
    if (!(error instanceof MigrationRefused)) throw error
    throw refusal(error.steps.filter((step) => !step.additive).map(({ why }) => why))
  }
}

const refusal = (whys: readonly string[]): StoreRefused =>
  new StoreRefused(
    `The store does not fit the declaration. No row was changed. Run nounkit migrate, which keeps the rows and says what it cannot keep:\n${whys.map((why) => `- ${why}.`).join('\n')}`,
  )
