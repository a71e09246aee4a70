import { addMeta, forgetMeta, metaFacts, readMeta, replaceMeta, selectAllMeta } from './meta.ts'
import { wroteOne } from './run-statement.ts'
import { type Store, StoreRefused, type Transaction } from './store.ts'

/** An account that is being deleted: until it is gone, its requests are refused, and the deletion can go on after its process was killed. */
export interface Departure {
  /** Who began it, by name. */
  readonly operator: string | null
  readonly begunAt: number
  /** How many rows are gone, by table. */
  readonly rows: { readonly [table: string]: number }
}

const keyOf = (account: string): string => metaFacts.deletion.key + account

/** The names of all accounts that are being deleted, from the keys of the rows that say so. */
export const departingFrom = (keys: readonly string[]): ReadonlySet<string> =>
  new Set(keys.map((key) => key.slice(metaFacts.deletion.key.length)))

export async function readDeparting(store: Store): Promise<ReadonlySet<string>> {
  const rows = await store.all(selectAllMeta(metaFacts.deletion), [])
  return departingFrom(rows.map(([key]) => String(key)))
}

export async function readDeparture(store: Store, account: string): Promise<Departure | null> {
  const text = await readMeta(store, keyOf(account))
  return text === null ? null : (JSON.parse(text) as Departure)
}

/** Whether it was this transaction that began it. */
export async function beginDeparture(
  tx: Transaction,
  account: string,
  departure: Departure,
): Promise<boolean> {
  return wroteOne(tx, addMeta(tx.dialect, keyOf(account), JSON.stringify(departure)))
}

/** Throws where another process has gone on with the deletion. */
export async function replaceDeparture(
  tx: Transaction,
  account: string,
  before: Departure,
  after: Departure,
): Promise<void> {
  const replace = replaceMeta(tx.dialect, keyOf(account), JSON.stringify(after), JSON.stringify(before))
  if (!(await wroteOne(tx, replace)))
    throw new StoreRefused(
      `Another process deletes the account ${account}. Wait until it has ended, or run this again if it was killed.`,
    )
}

export const endDeparture = (tx: Transaction, account: string): unknown =>
  tx.first(forgetMeta(keyOf(account)), [])
