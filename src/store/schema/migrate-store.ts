import type { Model } from '../../compile/model.ts'
import type { Store } from '../store.ts'
import { lineagesOf } from './lineage.ts'
import type { MigrateOptions, Migration } from './migration.ts'
import { migratePostgres } from './postgres-migrate.ts'
import { migrateSqlite } from './sqlite-migrate.ts'
import { wantedTables } from './wanted.ts'

/**
 * Brings the store's tables to what the model needs, by additions, and by renames where asked; throws MigrationRefused with the
 * SQL for anything else, before anything is changed. Two processes may start at once: one does it, the other waits. What failed half-way can be run again.
 */
export async function migrate(store: Store, model: Model, options: MigrateOptions = {}): Promise<Migration> {
  const lineages = lineagesOf(model)
  const wanted = { tables: wantedTables(model, lineages), lineages }
  return store.dialect.name === 'sqlite'
    ? migrateSqlite(store, wanted, options)
    : migratePostgres(store, wanted, options)
}
