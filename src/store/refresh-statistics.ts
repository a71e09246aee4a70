import { ident } from '../plan/dialect.ts'
import type { Store } from './store.ts'

/**
 * Has the database count how values are distributed in tables to which many rows were written at once. PostgreSQL does that by itself, but
 * only a minute later. Until then it takes a new account for one row, and reads all rows of the account where an index would find few.
 * The rows are there whether this succeeds or not, so a failure is only told, with `warn`.
 */
export async function refreshStatistics(
  store: Store,
  tables: readonly string[],
  warn: (sentence: string) => void,
): Promise<void> {
  try {
    if (tables.length === 0) return
    if (store.refreshStatistics) return await store.refreshStatistics()
    await store.session(async (session) => {
      // On Citus, one statement may not touch distributed and reference tables.
      for (const table of tables) await session.script(`ANALYZE ${ident(table)}`)
    })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    warn(
      `All rows are written, but ANALYZE failed: ${why} Queries may be slow until the database has run it.`,
    )
  }
}
