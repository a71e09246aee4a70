import type { Model } from '../compile/model.ts'
import type { Table } from '../migrate/wanted/table.ts'
import { wantedTables } from '../migrate/wanted/wanted-tables.ts'
import { ident } from '../plan/dialect.ts'
import { readDeparting } from '../store/departures.ts'
import { numberOrNull, type Store } from '../store/store.ts'

/** What the store has of an account. */
export interface AccountFigures {
  readonly account: string
  /** Rows of its resources. */
  readonly rows: number
  /** About how many bytes its rows have, those of the engine included: the length of some rows of each table, times how many there are. */
  readonly bytes: number
  /** When its last call was counted, in milliseconds since 1970; null where none was in the last 400 days. */
  readonly lastUsed: number | null
  readonly isBeingDeleted: boolean
}

/** All accounts that have anything in the store, by name. It counts all rows. */
export async function listAccounts(store: Store, model: Model): Promise<readonly AccountFigures[]> {
  const found = new Map<string, { rows: number; bytes: number; lastUsed: number | null }>()
  const of = (account: string) => {
    const known = found.get(account) ?? { rows: 0, bytes: 0, lastUsed: null }
    found.set(account, known)
    return known
  }
  const own = new Set(
    [...model.stored.values()].flatMap(({ table, engineMade }) => (engineMade ? [] : [table])),
  )
  const tables = wantedTables(model).filter(({ columns }) =>
    columns.some(({ name }) => name === 'account_id'),
  )
  for (const table of tables) {
    const length = await usualLength(store, table)
    const counts = await store.all(
      `SELECT "account_id", count(*) FROM ${ident(table.name)} GROUP BY "account_id"`,
      [],
    )
    for (const [account, count] of counts) {
      const figures = of(String(account))
      if (own.has(table.name)) figures.rows += Number(count)
      figures.bytes += Math.round(Number(count) * length)
    }
  }
  const used = await store.all(
    'SELECT "account_id", max("last_seen") FROM "nounkit_usage" GROUP BY "account_id"',
    [],
  )
  for (const [account, at] of used) of(String(account)).lastUsed = numberOrNull(at)
  const departing = await readDeparting(store)
  for (const account of departing) of(account)
  // What belongs to the whole store is of no account.
  found.delete('')
  return [...found]
    .map(([account, figures]) => ({ account, ...figures, isBeingDeleted: departing.has(account) }))
    .sort((a, b) => (a.account < b.account ? -1 : 1))
}

const mostMeasured = 1_000

/** The average length of some rows of a table, in characters. */
async function usualLength(store: Store, { name, columns }: Table): Promise<number> {
  const parts = columns.map((column) => `coalesce(length(${store.dialect.asText(ident(column.name))}), 0)`)
  const [average = null] =
    (await store.first(
      `SELECT avg(l) FROM (SELECT ${parts.join(' + ')} AS l FROM ${ident(name)} LIMIT ${mostMeasured}) r`,
      [],
    )) ?? []
  return Number(average ?? 0)
}

/** About how much an account has, for people: `86 kB`, `12.4 MB`. */
export const sizeOfRows = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
