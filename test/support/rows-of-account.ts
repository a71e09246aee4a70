import type { Store } from '../../src/store/store.ts'

/** By table, how many rows of an account a store has: of all tables with an account, whoever made them. */
export async function rowsOfAccount(
  store: Store,
  account: string,
): Promise<{ readonly [table: string]: number }> {
  const counts: { [table: string]: number } = {}
  const tables =
    store.dialect.name === 'sqlite'
      ? `SELECT m."name" FROM sqlite_master m JOIN pragma_table_info(m."name") c WHERE m."type" = 'table' AND c."name" = 'account_id'`
      : `SELECT table_name FROM information_schema.columns WHERE column_name = 'account_id' AND table_schema = current_schema()`
  for (const [table] of await store.all(tables, [])) {
    const [count] =
      (await store.first(`SELECT count(*) FROM "${table}" WHERE "account_id" = '${account}'`, [])) ?? []
    if (Number(count) > 0) counts[String(table)] = Number(count)
  }
  return counts
}
