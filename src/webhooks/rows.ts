import type { FieldKind } from '../kinds/kinds.ts'
import type { Maybe } from '../maybe.ts'
import type { Dialect } from '../plan/dialect.ts'
import type { Row, Store, Transaction, Value } from '../store/store.ts'

/** A statement and its values, in the order in which they are mentioned. */
export interface Bound {
  readonly text: string
  readonly values: readonly Value[]
}

/** Makes statements: `bind` gives the parameter of a value. The same text with other values is the same statement for the database. */
export function statement(
  dialect: Dialect,
  write: (bind: (kind: FieldKind, value: Value) => string) => string,
): Bound {
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

export const timeText = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** The JSON of a time, in milliseconds. */
export function timeOf(json: Value | undefined): number | null {
  const text = JSON.parse(String(json)) as string | null
  return text === null ? null : Date.parse(text)
}
