import type { Model } from '../../compile/model.ts'
import type { Store } from '../store.ts'
import { lineagesOf } from './lineage.ts'
import type { MigrateOptions, Migration } from './migration.ts'
import { migratePostgres } from './postgres-migrate.ts'
import { migrateSqlite } from './sqlite-migrate.ts'
import { sumsOf } from './sums.ts'
import { wantedTables } from './wanted.ts'

/**
 * Changes the store's tables to what the model needs, by additions, and by renames where asked for. Anything else throws
 * MigrationRefused with the SQL, before anything is changed. Of two processes that start at once, one migrates and the other
 * waits. A migration that failed half-way can be run again.
 */
export async function migrate(store: Store, model: Model, options: MigrateOptions = {}): Promise<Migration> {
  const wanted = {
    tables: wantedTables(model),
    lineages: lineagesOf(model),
    sums: sumsOf(model, store.dialect),
  }
  return store.dialect.name === 'sqlite'
    ? migrateSqlite(store, wanted, options)
    : migratePostgres(store, wanted, options)
}
