import postgres from 'postgres'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { until } from '../support/until.ts'

/** Reads the store itself, past the service. */
export async function inStore<T>(databaseUrl: string, read: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(databaseUrl)
  try {
    return await read(store)
  } finally {
    await store.close()
  }
}

export const countOf = async (store: Store, from: string): Promise<number> =>
  Number((await store.first(`SELECT count(*) FROM ${from}`, []))?.[0])

/** Orders whose total is not the sum of their items: there must never be one. */
export const wrongTotals = async (store: Store): Promise<readonly unknown[]> =>
  store.all(
    `SELECT o."id", o."total", coalesce(sum(i."quantity" * i."unit_price"), 0) FROM "orders" o
     LEFT JOIN "order_items" i ON i."account_id" = o."account_id" AND i."order_id" = o."id"
     GROUP BY o."account_id", o."id", o."total"
     HAVING o."total" <> coalesce(sum(i."quantity" * i."unit_price"), 0)`,
    [],
  )

/** For when all servers are gone. PostgreSQL finishes the statement that a dead client sent; only then is it decided what the store holds. */
export async function settled(databaseUrl: string): Promise<void> {
  if (databaseUrl.startsWith('sqlite:')) return
  const sql = postgres(databaseUrl, { max: 1 })
  const others =
    () => sql`select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
    and backend_type = 'client backend'`
  await until(async () => (await others()).length === 0, { what: 'the end of all sessions' })
  await sql.end()
}
