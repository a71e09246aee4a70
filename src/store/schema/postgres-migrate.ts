import type { Store } from '../store.ts'
import type { MigrateOptions, Migration } from './migration.ts'
import type { Table } from './table.ts'

export async function migratePostgres(
  _store: Store,
  _wanted: readonly Table[],
  _options: MigrateOptions,
): Promise<Migration> {
  throw new Error('PostgreSQL is not there yet')
}
