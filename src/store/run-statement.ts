import { type Maybe, whenThere } from '../maybe.ts'
import type { Bound } from '../plan/bound-statement.ts'
import type { Row, Store, Transaction } from './store.ts'

/** A store, or a transaction of it. */
type Database = Pick<Transaction, 'dialect' | 'first' | 'all'> | Store

export const allRows = (on: Database, { text, values }: Bound): Maybe<readonly Row[]> => on.all(text, values)
export const firstRow = (on: Database, { text, values }: Bound): Maybe<Row | undefined> =>
  on.first(text, values)

/** Whether a writing statement has written a row. */
export const wroteOne = (tx: Transaction, { text, values }: Bound): Maybe<boolean> =>
  whenThere(tx.first(`${text} RETURNING 1`, values), (row) => row !== undefined)

/** Rows of one account, for which only the node of the account is asked. */
export const accountRows = (store: Store, account: string, { text, values }: Bound): Maybe<readonly Row[]> =>
  store.all(text, values, account)

/** One writing statement as a transaction of its own: how many rows it wrote. */
export const writeAlone = (store: Store, { text, values }: Bound, account?: string): Promise<number> =>
  store.writeOne(text, values, account)
