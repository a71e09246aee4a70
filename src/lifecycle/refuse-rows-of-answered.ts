import type { Model } from '../compile/model.ts'
import { statement } from '../plan/bound-statement.ts'
import { ident } from '../plan/dialect.ts'
import { SettingMistake } from '../setting-mistake.ts'
import { firstRow } from '../store/run-statement.ts'
import type { Store } from '../store/store.ts'

/**
 * Refuses a store with rows of a noun that code answers for now: nobody would see them any more. Which table a noun had is in the store's
 * record of its names.
 */
export async function refuseRowsOfAnswered(store: Store, model: Model): Promise<void> {
  for (const [name, table] of formerTables(model))
    if (await hasRows(store, table))
      throw new SettingMistake(
        `${name} is answered by code now, and the store has rows of it, in the table ${table}, which nobody could reach. To keep them: take answers out, run nounkit export --resource ${name}, and give them to the code. Then, or where no row is needed: delete the rows through the API before you declare answers again.`,
      )
}

/** Tables that nouns had before code answered for them. */
function formerTables({ versions, resources, names }: Model): ReadonlyMap<string, string> {
  const tables = new Map<string, string>()
  for (const { name: version, views } of versions)
    for (const [view, { table }] of Object.entries(names.versions[version] ?? {})) {
      const resource = views.get(view)?.resource
      if (resource?.answered && resources.has(resource.name)) tables.set(resource.name, table)
    }
  return tables
}

/** A table that is gone has none. */
async function hasRows(store: Store, table: string): Promise<boolean> {
  const { dialect } = store
  const found = await firstRow(
    store,
    statement(dialect, (bind) =>
      dialect.name === 'sqlite'
        ? `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ${bind('string', table)}`
        : `SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = ${bind('string', table)}`,
    ),
  )
  if (!found) return false
  return (await store.first(`SELECT 1 FROM ${ident(table)} LIMIT 1`, [])) !== undefined
}
