import type { FieldKind } from '../kinds/kinds.ts'
import type { Maybe } from '../maybe.ts'
import type { Dialect } from '../plan/dialect.ts'
import type { Row, Store, Transaction, Value } from './store.ts'

/** A statement and its values, in the order in which they are mentioned. */
export interface Bound {
  readonly text: string
  readonly values: readonly Value[]
}

/** Gives the parameter of a value. */
export type Bind = (kind: FieldKind, value: Value) => string

/** Makes statements: `bind` gives the parameter of a value. The same text with other values is the same statement for the database. */
export function statement(dialect: Dialect, write: (bind: Bind) => string): Bound {
  const values: Value[] = []
  const text = write((kind, value) => dialect.param(values.push(value), kind))
  return { text, values }
}

/** A store, or a transaction of it. */
type Database = Pick<Transaction, 'dialect' | 'first' | 'all'> | Store

export const allRows = (on: Database, { text, values }: Bound): Maybe<readonly Row[]> => on.all(text, values)
export const firstRow = (on: Database, { text, values }: Bound): Maybe<Row | undefined> =>
  on.first(text, values)

/** Rows of one account, for which only the node of the account is asked. */
export const accountRows = (store: Store, account: string, { text, values }: Bound): Maybe<readonly Row[]> =>
  store.all(text, values, account)
