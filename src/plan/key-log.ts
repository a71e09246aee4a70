import { type Dialect, ident } from './dialect.ts'
import { answerColumns, completeAnswer, keyRow, keyTable } from './keys.ts'

/** The number of a row in the order in which rows were written. */
export const placeColumn = 'place'

/** Where it is looked up which keys have which places. */
export const runsOf = (table: string): string => `${table}_runs`

/**
 * A run says it of all rows after the run before and up to `last`, a place. It has several pages, whose numbers grow with each,
 * end with that place and so are after all of the run before.
 */
export const runColumns = { page: 'page', last: 'last', pairs: 'pairs' } as const

export interface KeyLog {
  /** Binds the last place of a run: that of the next one. */
  readonly nextRun: string
  /** Binds the last places of a run and of the next one: `[page, pairs]` of the pages of that. */
  readonly pages: string
  /** `[page]` of the first run. */
  readonly firstPage: string
  /** Binds a page: `[pairs]`. */
  readonly page: string
  /** Binds page, last place and pairs. */
  readonly addPage: string
  /** Binds the last places of a run and of the next one: a row if there are any that the latter is about. */
  readonly anyIn: string
  /** Binds the same, and removes the latter if there are none. */
  readonly removeRun: string
  /** `[place]` up to which places must not be used again, as text. */
  readonly used: string
  /** Binds a place as text. */
  readonly setUsed: string
  /** Binds a place: `[place, account, key]` of each row after it. */
  readonly since: string
  /** Binds a place, the account and the values of `keyRow`. */
  readonly append: string
  /** Binds a place: `[account, key]` of its row. */
  readonly whose: string
  /** Binds a place, the account and the key: the answer, if it is theirs. */
  readonly at: string
  /** Binds a place and what `completeAnswer` says. */
  readonly complete: string
  /** Binds a place, the account, the key and the time: `[place]` if its row is theirs and has expired. */
  readonly expiredAt: string
  /** Binds a place and how many: `[place, account, key, expiry]` of the first after it. */
  readonly following: string
  /** `[place]` of the last row. */
  readonly last: string
  /** Binds a place. */
  readonly remove: string
}

/** Statements for a store that keeps its keys as a log. Whoever writes with them has the store to himself. */
export function keyLog(dialect: Dialect): KeyLog {
  const log = ident(keyTable)
  const runs = ident(runsOf(keyTable))
  const place = ident(placeColumn)
  const page = ident(runColumns.page)
  const last = ident(runColumns.last)
  const pairs = ident(runColumns.pairs)
  const integer = (n: number) => dialect.param(n, 'integer')
  const text = (n: number) => dialect.param(n, 'string')
  const is = (account: number) => `"account_id" = ${text(account)} AND "key" = ${text(account + 1)}`
  const row = keyRow(text(2), (index, kind) => dialect.param(index + 3, kind))
  const within = (column: string) => `${column} > ${integer(1)} AND ${column} <= ${integer(2)}`
  const anyRow = `SELECT 1 FROM ${log} WHERE ${within(place)} LIMIT 1`
  return {
    nextRun: `SELECT ${last} FROM ${runs} WHERE ${page} > ${integer(1)} ORDER BY ${page} LIMIT 1`,
    pages: `SELECT ${page}, ${pairs} FROM ${runs} WHERE ${within(page)} ORDER BY ${page}`,
    firstPage: `SELECT ${page} FROM ${runs} ORDER BY ${page} LIMIT 1`,
    page: `SELECT ${pairs} FROM ${runs} WHERE ${page} = ${integer(1)}`,
    addPage: `INSERT INTO ${runs} (${page}, ${last}, ${pairs}) VALUES (${integer(1)}, ${integer(2)}, ${text(3)})`,
    anyIn: anyRow,
    removeRun: `DELETE FROM ${runs} WHERE ${within(page)} AND NOT EXISTS (${anyRow})`,
    used: `SELECT "value" FROM "nounkit_meta" WHERE "key" = 'keys-used'`,
    setUsed: `INSERT INTO "nounkit_meta" ("key", "value") VALUES ('keys-used', ${text(1)}) ON CONFLICT ("key") DO UPDATE SET "value" = ${text(1)}`,
    since: `SELECT ${place}, "account_id", "key" FROM ${log} WHERE ${place} > ${integer(1)}`,
    append: `INSERT INTO ${log} (${place}, ${row.columns}) VALUES (${integer(1)}, ${row.values})`,
    whose: `SELECT "account_id", "key" FROM ${log} WHERE ${place} = ${integer(1)}`,
    at: `SELECT ${answerColumns} FROM ${log} WHERE ${place} = ${integer(1)} AND ${is(2)}`,
    complete: `UPDATE ${log} ${completeAnswer((index, kind) => dialect.param(index + 2, kind))} WHERE ${place} = ${integer(1)}`,
    expiredAt: `SELECT ${place} FROM ${log} WHERE ${place} = ${integer(1)} AND ${is(2)} AND "expires_at" <= ${integer(4)}`,
    following: `SELECT ${place}, "account_id", "key", "expires_at" FROM ${log} WHERE ${place} > ${integer(1)} ORDER BY ${place} LIMIT ${integer(2)}`,
    last: `SELECT max(${place}) FROM ${log}`,
    remove: `DELETE FROM ${log} WHERE ${place} = ${integer(1)}`,
  }
}
