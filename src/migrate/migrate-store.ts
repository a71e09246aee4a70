import type { Model } from '../compile/model.ts'
import { grownNames, namesOf } from '../compile/names-of.ts'
import { type Store, StoreRefused } from '../store/store.ts'
import { bindModel } from './bind-model.ts'
import type { Migrated, MigrateOptions, Migration } from './migration.ts'
import type { Step } from './migration-step.ts'
import { migratePostgres } from './postgres/migrate.ts'
import { recordNames } from './record/names-record.ts'
import { migrateSqlite } from './sqlite/migrate.ts'
import { sumsOf } from './sums/sums.ts'
import { joiningLineages, tidyingLineages } from './wanted/lineage.ts'
import { wantedTables } from './wanted/wanted-tables.ts'

const mostTries = 20

/**
 * Changes the store's tables to what the model needs, under the names that the store has for them: by additions, and by conversions where
 * asked for. Anything else throws MigrationRefused with the SQL, before anything is changed. Of two processes that start at once, one
 * migrates and the other waits. A migration that failed half-way can be run again.
 */
export async function migrate(
  store: Store,
  declared: Model,
  options: MigrateOptions = {},
): Promise<Migrated> {
  if (options.asDeclared) return { ...(await run(store, declared, declared, options)), model: declared }
  const done: Step[] = []
  for (let tries = 0; tries < mostTries; tries++) {
    const { model, record } = await bindModel(store, declared)
    const migration = await run(store, model, declared, options)
    if (options.dryRun) return { ...migration, model }
    if (migration.applied) done.push(...migration.steps)
    const made = { steps: done, applied: done.length > 0 }
    // The record was written along with what was renamed or converted. Anything else that changed it is another process.
    const isOwn = !migration.applied || !migration.steps.some(({ stops }) => stops)
    if (isOwn && (await recordNames(store, model, record))) return { ...made, model }
    if (!isOwn) return { ...made, model: (await bindModel(store, declared)).model }
  }
  throw new StoreRefused('Other processes keep changing the record of names of this store. Start again.')
}

function run(store: Store, model: Model, declared: Model, options: MigrateOptions): Promise<Migration> {
  const target = options.tidy ? declared : model
  const wanted = {
    tables: wantedTables(target),
    lineages: options.tidy ? tidyingLineages(declared, model) : joiningLineages(model),
    sums: sumsOf(target, store.dialect),
    names: { ...model.names, versions: grownNames(model.names.versions, namesOf(model)) },
    joined: [...model.stored.values()].flatMap(({ name, fields }) =>
      fields.flatMap(({ name: field, stored }) =>
        stored?.joinedFor ? [{ version: stored.joinedFor, what: `${name}.${field}` }] : [],
      ),
    ),
  }
  return store.dialect.name === 'sqlite'
    ? migrateSqlite(store, wanted, options)
    : migratePostgres(store, wanted, options)
}
