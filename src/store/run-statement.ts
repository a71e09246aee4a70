import { type Maybe, whenThere } from '../maybe.ts'
import type { Bound } from '../plan/bound-statement.ts'
import type { Row, Store, Transaction } from './store.ts'

// `on` is a store, a transaction or a session. `account` is for stores alone, as in `Store`: a cluster then asks only the node that has its rows.

export const allRows = (
  on: Pick<Store, 'all'>,
  { text, values }: Bound,
  account?: string,
): Maybe<readonly Row[]> => on.all(text, values, account)

export const firstRow = (
  on: Pick<Store, 'first'>,
  { text, values }: Bound,
  account?: string,
): Maybe<Row | undefined> => on.first(text, values, account)

/** Whether a writing statement has written a row. */
export const wroteOne = (tx: Transaction, { text, values }: Bound): Maybe<boolean> =>
  whenThere(tx.first(`${text} RETURNING 1`, values), (row) => row !== undefined)

/** One writing statement as a transaction of its own: how many rows it wrote. */
export const writeAlone = (store: Store, { text, values }: Bound, account?: string): Promise<number> =>
  store.writeOne(text, values, account)
