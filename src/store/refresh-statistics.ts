import { ident } from '../plan/dialect.ts'
import type { Store } from './store.ts'

/**
 * Has the database count how values are distributed in tables to which many rows were written at once. PostgreSQL does that by itself, but
 * only a minute later. Until then it takes a new account for one row, and reads all rows of the account where an index would find few.
 */
export async function refreshStatistics(store: Store, tables: readonly string[]): Promise<void> {
  if (tables.length === 0) return
  if (store.refreshStatistics) await store.refreshStatistics()
  else await store.session((session) => session.script(`ANALYZE ${tables.map(ident).join(', ')}`))
}
