import { type Dialect, ident } from './dialect.ts'
import { answerColumns, completeAnswer, keyRow, keyTable } from './keys.ts'

/** The number of a row in the order in which rows were written. */
export const placeColumn = 'place'

/** Where it is looked up which key has which place. */
export const namesOf = (table: string): string => `${table}_names`

/** Up to which place that has been entered there. */
const mark = 'keys-entered'

export interface KeyLog {
  /** `[place]`, of the last key that has been entered among the names. */
  readonly entered: string
  /** Binds a place: `[place, key]` of each row after it. */
  readonly since: string
  /** Binds a place, the account and the values of `keyRow`. Writes one row, or none when the key is among the names. */
  readonly append: string
  /** Binds a place: `[account, key]` of its row. */
  readonly whose: string
  /** Binds a place, the account and the key: the answer, if it is theirs. */
  readonly at: string
  /** Binds the account and the key: the answer, if they are among the names. */
  readonly named: string
  /** Binds a place and what `completeAnswer` says. */
  readonly complete: string
  /** Binds a place. */
  readonly remove: string
  /** Binds the account, the key and the time: `[place]` if that key has expired. */
  readonly expired: string
  /** Binds how many: `[place, account, key, expiry]` of the oldest. */
  readonly oldest: string
  /** Enters the keys of all rows after the bound place, in their own order, so that those of one page come together. */
  readonly enter: string
  /** `[place]` of the last row. */
  readonly last: string
  /** Binds a place as text. */
  readonly setEntered: string
  /** Binds the account, the key and their place. */
  readonly unname: string
}

/** Statements for a store that keeps its keys as a log. Whoever writes with them has the store to himself. */
export function keyLog(dialect: Dialect): KeyLog {
  const log = ident(keyTable)
  const names = ident(namesOf(keyTable))
  const place = ident(placeColumn)
  const integer = (n: number) => dialect.param(n, 'integer')
  const text = (n: number) => dialect.param(n, 'string')
  const is = (account: number) => `"account_id" = ${text(account)} AND "key" = ${text(account + 1)}`
  const row = keyRow(text(2), (index, kind) => dialect.param(index + 3, kind))
  const placeOf = (account: number) => `(SELECT ${place} FROM ${names} WHERE ${is(account)})`
  return {
    entered: `SELECT "value" FROM "nounkit_meta" WHERE "key" = '${mark}'`,
    since: `SELECT ${place}, "key" FROM ${log} WHERE ${place} > ${integer(1)}`,
    append: `INSERT INTO ${log} (${place}, ${row.columns}) SELECT ${integer(1)}, ${row.values} WHERE NOT EXISTS ${placeOf(2)}`,
    whose: `SELECT "account_id", "key" FROM ${log} WHERE ${place} = ${integer(1)}`,
    at: `SELECT ${answerColumns} FROM ${log} WHERE ${place} = ${integer(1)} AND ${is(2)}`,
    named: `SELECT ${answerColumns} FROM ${log} WHERE ${place} = ${placeOf(1)}`,
    complete: `UPDATE ${log} ${completeAnswer((index, kind) => dialect.param(index + 2, kind))} WHERE ${place} = ${integer(1)}`,
    remove: `DELETE FROM ${log} WHERE ${place} = ${integer(1)}`,
    expired: `SELECT ${place} FROM ${log} WHERE ${place} = ${placeOf(1)} AND "expires_at" <= ${integer(3)}`,
    oldest: `SELECT ${place}, "account_id", "key", "expires_at" FROM ${log} ORDER BY ${place} LIMIT ${integer(1)}`,
    enter: `INSERT INTO ${names} ("account_id", "key", ${place}) SELECT "account_id", "key", ${place} FROM ${log} WHERE ${place} > ${integer(1)} ORDER BY "account_id", "key" ON CONFLICT DO NOTHING`,
    last: `SELECT max(${place}) FROM ${log}`,
    setEntered: `INSERT INTO "nounkit_meta" ("key", "value") VALUES ('${mark}', ${text(1)}) ON CONFLICT ("key") DO UPDATE SET "value" = ${text(1)}`,
    unname: `DELETE FROM ${names} WHERE ${is(1)} AND ${place} = ${integer(3)}`,
  }
}
