import type { Model } from '../compile/model.ts'
import { underscored } from '../compile/names/name-rules.ts'
import { webhookNames } from '../declare/webhook-resources.ts'
import { readPostgres } from '../migrate/postgres/read-tables.ts'
import { isOfResource, type PresentTable } from '../migrate/present.ts'
import { readSqlite } from '../migrate/sqlite/read-tables.ts'
import { wantedTables } from '../migrate/wanted/wanted-tables.ts'
import type { Dialect } from '../plan/dialect.ts'
import { metaTable } from '../store/meta.ts'
import { type Session, StoreRefused } from '../store/store.ts'
import { anyRow } from './copy-statements.ts'

const webhookTables = Object.values(webhookNames).map(underscored)

/** Throws unless a store has neither rows nor tables of another API. The tables of this API may be missing, as in a new database. */
export async function demandEmpty(target: Session, dialect: Dialect, model: Model): Promise<void> {
  const present = await (dialect.name === 'sqlite' ? readSqlite(target) : readPostgres(target))
  // An API that once had events still has the tables of webhooks.
  const own = new Set([...wantedTables(model).map(({ name }) => name), ...webhookTables])
  const foreign = [...present.values()].filter((table) => !own.has(table.name) && isOfApi(table))
  if (present.has(metaTable) && foreign.length > 0)
    throw refusal(`has tables of another API: ${foreign.map(({ name }) => name).join(', ')}`)
  const filled: string[] = []
  for (const table of own)
    if (table !== metaTable && present.has(table) && (await target.all(anyRow(table))).length > 0)
      filled.push(table)
  if (filled.length > 0) throw refusal(`is not empty: there are rows in ${filled.join(', ')}`)
}

const isOfApi = (table: PresentTable): boolean => table.name.startsWith('nounkit_') || isOfResource(table)

const refusal = (why: string): StoreRefused =>
  new StoreRefused(`The store to copy to ${why}. Nothing was copied. Name an empty database or a new file.`)
