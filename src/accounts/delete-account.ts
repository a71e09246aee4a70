import type { Clock } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import { statement } from '../plan/bound-statement.ts'
import { ident } from '../plan/dialect.ts'
import {
  beginDeparture,
  type Departure,
  endDeparture,
  readDeparture,
  replaceDeparture,
} from '../store/departures.ts'
import { firstRow } from '../store/run-statement.ts'
import type { Store } from '../store/store.ts'
import { recordActIn } from '../write/recorded-acts.ts'
import { type AccountPart, accountParts } from './account-parts.ts'
import { deletePart } from './delete-part.ts'

export interface AccountDeletion {
  readonly store: Store
  /** Bound to the store. */
  readonly model: Model
  readonly clock: Clock
  /** Who deletes it, by name. */
  readonly operator: string | null
  /** Resolves when every process that serves the store refuses the account's requests, and has ended those that it had begun. */
  refusedEverywhere(): Promise<void>
  /** Called after each part, with how many rows are gone. */
  progress?(table: string, rows: number): void
  /** Ends it between two parts. Called again, it goes on. */
  readonly signal?: AbortSignal
}

export interface DeletedAccount {
  /** How many rows are gone, by table. */
  readonly rows: { readonly [table: string]: number }
  /** How many rows stay, by resource. */
  readonly kept: { readonly [resource: string]: number }
  /** False where it was ended by its signal. */
  readonly isDone: boolean
}

/**
 * Deletes all of an account but what is declared to be kept, a few rows in a transaction. A mark in the store says that it is under way: requests of the
 * account are refused meanwhile, and a deletion that was killed goes on where it was.
 */
export async function deleteAccount(deletion: AccountDeletion, account: string): Promise<DeletedAccount> {
  if (account === '') throw new TypeError('An account has a name.')
  const { store, model, refusedEverywhere, signal, progress } = deletion
  let departure = await begun(deletion, account)
  await refusedEverywhere()
  const { parts, kept } = accountParts(model)
  // What a process was still writing may come after its table was emptied.
  for (let before = -1; before !== total(departure); ) {
    before = total(departure)
    for (const part of parts)
      for (let more = true; more; ) {
        if (signal?.aborted) return { rows: departure.rows, kept: {}, isDone: false }
        const next = await shorter(store, account, part, departure)
        more = next !== null
        if (next) departure = next
        if (next) progress?.(part.table.name, total(departure))
      }
  }
  return { ...(await ended(deletion, account, departure, kept)), isDone: true }
}

const total = ({ rows }: Departure): number => Object.values(rows).reduce((sum, one) => sum + one, 0)

/** The mark, which another process may have left. */
async function begun({ store, clock, operator }: AccountDeletion, account: string): Promise<Departure> {
  const departure = { operator, begunAt: clock.now(), rows: {} }
  const isNew = await store.transaction(async (tx) => {
    if (!(await beginDeparture(tx, account, departure))) return false
    await recordActIn(tx, clock.now(), { act: 'account-deletion-begun', operator, detail: { account } })
    return true
  })
  return isNew ? departure : ((await readDeparture(store, account)) ?? departure)
}

/** Deletes some rows of a part, and notes them in the mark; null where there are none. */
function shorter(
  store: Store,
  account: string,
  part: AccountPart,
  departure: Departure,
): Promise<Departure | null> {
  return store.transaction(async (tx) => {
    const gone = await deletePart(tx, account, part)
    if (gone === 0) return null
    if (part.kind === 'references') return departure
    const { name } = part.table
    const rows = { ...departure.rows, [name]: (departure.rows[name] ?? 0) + gone }
    const next = { ...departure, rows }
    await replaceDeparture(tx, account, departure, next)
    return next
  }, account)
}

async function ended(
  { store, clock, operator }: AccountDeletion,
  account: string,
  departure: Departure,
  kept: ReturnType<typeof accountParts>['kept'],
): Promise<Omit<DeletedAccount, 'isDone'>> {
  const counts: [string, number][] = []
  for (const { name, table } of kept) {
    const rows = statement(
      store.dialect,
      (bind) => `SELECT count(*) FROM ${ident(table)} WHERE "account_id" = ${bind('id', account)}`,
    )
    counts.push([name, Number((await firstRow(store, rows, account))?.[0])])
  }
  const left = Object.fromEntries(counts)
  await store.transaction(async (tx) => {
    await endDeparture(tx, account)
    const detail = { account, rows: { ...departure.rows }, kept: left }
    await recordActIn(tx, clock.now(), { act: 'account-deleted', operator, detail })
  })
  return { rows: departure.rows, kept: left }
}
