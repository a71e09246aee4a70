import type { Model } from '../compile/model.ts'
import { counted } from '../compile/names/plural.ts'
import { readPostgres } from '../migrate/postgres/read-tables.ts'
import { isOfResource, type PresentTable } from '../migrate/present.ts'
import { readSqlite } from '../migrate/sqlite/read-tables.ts'
import { wantedTables } from '../migrate/wanted/wanted-tables.ts'
import { ident } from '../plan/dialect.ts'
import { isOfSearch } from '../plan/search-index.ts'
import type { Session, Store } from '../store/store.ts'

/**
 * What a store has and the declaration does not: `tasks.note (values in 2 rows)`, `drafts (5 rows)`. A store keeps what is no longer
 * declared once a version is published. Columns and tables without values are left out.
 */
export const leftBehind = (store: Store, model: Model): Promise<readonly string[]> =>
  store.session(async (session) => {
    const present = await (store.dialect.name === 'sqlite' ? readSqlite : readPostgres)(session)
    const wanted = new Map(wantedTables(model).map((table) => [table.name, table]))
    const found: string[] = []
    for (const table of present.values()) {
      const columns = wanted.get(table.name)?.columns
      if (columns) found.push(...(await undeclaredColumns(session, table, columns)))
      else if (isOfResource(table)) found.push(...(await undeclaredTable(session, table)))
    }
    return found
  })

async function undeclaredColumns(
  session: Session,
  { name, columns }: PresentTable,
  wanted: readonly { readonly name: string }[],
): Promise<readonly string[]> {
  const declared = new Set(wanted.map((column) => column.name))
  const found: string[] = []
  for (const column of columns.keys()) {
    // The words of a search are those of its fields.
    if (declared.has(column) || isOfSearch(column)) continue
    const rows = await count(session, `${ident(name)} WHERE ${ident(column)} IS NOT NULL`)
    if (rows > 0) found.push(`${name}.${column} (values in ${counted(rows, 'row')})`)
  }
  return found
}

async function undeclaredTable(session: Session, { name }: PresentTable): Promise<readonly string[]> {
  const rows = await count(session, ident(name))
  return rows > 0 ? [`${name} (${counted(rows, 'row')})`] : []
}

const count = async (session: Session, rows: string): Promise<number> =>
  Number((await session.all(`SELECT count(*) FROM ${rows}`))[0]?.[0])
