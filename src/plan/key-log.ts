import { type Dialect, ident } from './dialect.ts'
import { answerColumns, completeAnswer, keyRow, keyTable } from './keys.ts'

/** The number of a row in the order in which rows were written. */
export const placeColumn = 'place'

/** A number that stands for a key, and hardly ever for another one too. */
export const numberColumn = 'number'

/** Where it is looked up which number has which places. */
export const placesOf = (table: string): string => `${table}_places`

export interface KeyLog {
  /** `[place]` up to which rows have been entered among the places, as text. */
  readonly entered: string
  /** Binds a place as text. */
  readonly setEntered: string
  /** `[place]` up to which places must not be used again, as text. No row after it has been removed. */
  readonly used: string
  /** Binds a place as text. */
  readonly setUsed: string
  /** Binds a place: `[place, account, key]` of each row after it. */
  readonly since: string
  /** Binds a place, the account and the values of `keyRow`. */
  readonly append: string
  /** Binds a number: `[place]` of each key that has it and has been entered. */
  readonly places: string
  /** Binds a place: `[account, key]` of its row. */
  readonly whose: string
  /** Binds a place, the account and the key: the answer, if it is theirs. */
  readonly at: string
  /** Binds a number, the account and the key: the answer, if the key has been entered. */
  readonly numbered: string
  /** Binds a place and what `completeAnswer` says. */
  readonly complete: string
  /** Binds the number, the account, the key and the time: `[place]` of the row that has been entered, if it has expired. */
  readonly expired: string
  /** Binds a place, the account, the key and the time: `[place]` if its row is theirs and has expired. */
  readonly expiredAt: string
  /** Binds a place and how many: `[place, account, key, expiry]` of the first after it. */
  readonly following: string
  /** `[place]` of the last row. */
  readonly last: string
  /** Binds a number and a place. */
  readonly enter: string
  /** The same, if there is a row: to look for it costs more than to enter it. */
  readonly enterIfThere: string
  /** Binds a number and a place. */
  readonly withdraw: string
  /** Binds a place. */
  readonly remove: string
}

/** Statements for a store that keeps its keys as a log. Whoever writes with them has the store to himself. */
export function keyLog(dialect: Dialect): KeyLog {
  const log = ident(keyTable)
  const places = ident(placesOf(keyTable))
  const place = ident(placeColumn)
  const number = ident(numberColumn)
  const integer = (n: number) => dialect.param(n, 'integer')
  const text = (n: number) => dialect.param(n, 'string')
  const is = (account: number) => `"account_id" = ${text(account)} AND "key" = ${text(account + 1)}`
  const entered = (n: number) =>
    `${place} IN (SELECT ${place} FROM ${places} WHERE ${number} = ${integer(n)}) AND ${is(n + 1)}`
  const row = keyRow(text(2), (index, kind) => dialect.param(index + 3, kind))
  const mark = (name: string) => `SELECT "value" FROM "nounkit_meta" WHERE "key" = '${name}'`
  const setMark = (name: string) =>
    `INSERT INTO "nounkit_meta" ("key", "value") VALUES ('${name}', ${text(1)}) ON CONFLICT ("key") DO UPDATE SET "value" = ${text(1)}`
  return {
    entered: mark('keys-entered'),
    setEntered: setMark('keys-entered'),
    used: mark('keys-used'),
    setUsed: setMark('keys-used'),
    since: `SELECT ${place}, "account_id", "key" FROM ${log} WHERE ${place} > ${integer(1)}`,
    append: `INSERT INTO ${log} (${place}, ${row.columns}) VALUES (${integer(1)}, ${row.values})`,
    places: `SELECT ${place} FROM ${places} WHERE ${number} = ${integer(1)}`,
    whose: `SELECT "account_id", "key" FROM ${log} WHERE ${place} = ${integer(1)}`,
    at: `SELECT ${answerColumns} FROM ${log} WHERE ${place} = ${integer(1)} AND ${is(2)}`,
    numbered: `SELECT ${answerColumns} FROM ${log} WHERE ${entered(1)}`,
    complete: `UPDATE ${log} ${completeAnswer((index, kind) => dialect.param(index + 2, kind))} WHERE ${place} = ${integer(1)}`,
    expired: `SELECT ${place} FROM ${log} WHERE ${entered(1)} AND "expires_at" <= ${integer(4)}`,
    expiredAt: `SELECT ${place} FROM ${log} WHERE ${place} = ${integer(1)} AND ${is(2)} AND "expires_at" <= ${integer(4)}`,
    following: `SELECT ${place}, "account_id", "key", "expires_at" FROM ${log} WHERE ${place} > ${integer(1)} ORDER BY ${place} LIMIT ${integer(2)}`,
    last: `SELECT max(${place}) FROM ${log}`,
    enter: `INSERT INTO ${places} (${number}, ${place}) VALUES (${integer(1)}, ${integer(2)}) ON CONFLICT DO NOTHING`,
    enterIfThere: `INSERT INTO ${places} (${number}, ${place}) SELECT ${integer(1)}, ${integer(2)} WHERE EXISTS (SELECT 1 FROM ${log} WHERE ${place} = ${integer(2)}) ON CONFLICT DO NOTHING`,
    withdraw: `DELETE FROM ${places} WHERE ${number} = ${integer(1)} AND ${place} = ${integer(2)}`,
    remove: `DELETE FROM ${log} WHERE ${place} = ${integer(1)}`,
  }
}
