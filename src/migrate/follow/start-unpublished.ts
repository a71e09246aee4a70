import type { Model } from '../../compile/model.ts'
import { metaTable } from '../../store/meta.ts'
import { type Store, StoreRefused } from '../../store/store.ts'
import { undoneRenames } from '../decide/undone-renames.ts'
import { migrate } from '../migrate-store.ts'
import { type MigrateOptions, type Migration, MigrationRefused } from '../migration.ts'
import { whysOf } from '../migration-step.ts'
import { grownShape, readShape, recordShape, shapeOf } from '../record/shape.ts'
import { unfitRows } from '../rows/unfit-rows.ts'

/**
 * Migrates the store at the start of a service that has nothing published yet: only additions are made. Anything else is for
 * `nounkit migrate` and `nounkit dev`, which can ask.
 */
export async function startUnpublished(
  store: Store,
  model: Model,
  options: Pick<MigrateOptions, 'waiting'> = {},
): Promise<void> {
  const undone = await undoneRenames(store, model)
  if (undone.length > 0) throw refusal(undone)
  const { steps } = await additions(store, model, options)
  const before = await readShape({ all: async (sql) => store.all(sql, []) })
  const declared = shapeOf(model)
  const unfit = before ? await unfitRows(store, model, before) : []
  if (unfit.length > 0) throw refusal(unfit)
  const after = before
    ? grownShape(before, declared)
    : steps.some(({ sum }) => sum !== 'unsure')
      ? declared
      : null
  if (after && JSON.stringify(after) !== JSON.stringify(before)) await store.writeOne(recordShape(after), [])
}

/** Why the store and its rows do not fit the declaration, a sentence each without its full stop. Changes nothing. */
export async function whyNotUnpublished(store: Store, model: Model): Promise<readonly string[]> {
  const { steps } = await migrate(store, model, { asDeclared: true, dryRun: true })
  const misfits = [...(await undoneRenames(store, model)), ...whysOf(steps)]
  // In an empty database, the table with the shape is still to be made.
  const isEmpty = steps.some(({ table }) => table === metaTable)
  if (misfits.length > 0 || isEmpty) return misfits
  const shape = await readShape({ all: async (sql) => store.all(sql, []) })
  return shape ? unfitRows(store, model, shape) : []
}

async function additions(store: Store, model: Model, options: MigrateOptions): Promise<Migration> {
  try {
    return await migrate(store, model, { ...options, asDeclared: true })
  } catch (error) {
    if (!(error instanceof MigrationRefused)) throw error
    throw refusal(whysOf(error.steps))
  }
}

const refusal = (whys: readonly string[]): StoreRefused =>
  new StoreRefused(
    `The store does not fit the declaration. No row was changed. Run nounkit migrate, which keeps the rows and says what it cannot keep:\n${whys.map((why) => `- ${why}.`).join('\n')}`,
  )
