import type { BoundValue } from './bind.ts'
import { type Bound, statement } from './bound-statement.ts'
import { type Dialect, ident } from './dialect.ts'
import { eventTable, headTable, inboxTable } from './events.ts'

const table = ident(eventTable)

/** How many accounts one statement names. On a cluster every such statement asks all nodes. */
const accountsAtOnce = 1_000

/** The next accounts after one, in the order of names, that have events without a position: `[account]` each. */
export const accountsWaiting = (dialect: Dialect, after: string): Bound =>
  statement(
    dialect,
    (bind) =>
      `SELECT DISTINCT "account_id" FROM ${ident(inboxTable)} WHERE "account_id" > ${bind('id', after)} ORDER BY "account_id" LIMIT ${accountsAtOnce}`,
  )

/**
 * The next accounts after one, in the order of names, that may have events before a position: `[account]` each. An
 * index answers it, however many events there are. Where events wait in an inbox, every account with events has a head.
 */
export const accountsWithOld = (dialect: Dialect, after: string, before: number): Bound =>
  statement(dialect, (bind) => {
    const isNext = `"account_id" > ${bind('id', after)}`
    if (dialect.commitsInOrder)
      return `SELECT "account_id" FROM ${table} WHERE ${isNext} ORDER BY "account_id" LIMIT 1`
    const old = `SELECT 1 FROM ${table} e WHERE e."account_id" = h."account_id" AND e."position" < ${bind('integer', before)}`
    return `SELECT h."account_id" FROM ${ident(headTable)} h WHERE h.${isNext} AND EXISTS (${old}) ORDER BY h."account_id" LIMIT ${accountsAtOnce}`
  })

/** How many events one statement deletes at most: few, so that no request waits long. */
export const mostSwept = 500

/**
 * The oldest events of an account before a position, as many as one statement deletes: `[the last position of them, how many]`. Events that an
 * active webhook endpoint has no deliveries of yet are kept, or they would never be sent.
 */
export const oldestEvents = (dialect: Dialect, account: string, before: number): Bound =>
  statement(dialect, (bind) => {
    const isOwn = `"account_id" = ${bind('id', account)}`
    const told = `SELECT min("position") FROM "webhook_endpoints" WHERE ${isOwn} AND "active" = ${bind('boolean', 1)}`
    const isOld = `"position" < ${bind('integer', before)} AND "position" <= coalesce((${told}), ${Number.MAX_SAFE_INTEGER})`
    const oldest = `SELECT "position" FROM ${table} WHERE ${isOwn} AND ${isOld} ORDER BY "position" LIMIT ${mostSwept}`
    return `SELECT max("position"), count(*) FROM (${oldest}) o`
  })

/** Deletes the events of an account up to a position. */
export const deleteEvents = (dialect: Dialect, account: string, upTo: BoundValue): Bound =>
  statement(
    dialect,
    (bind) =>
      `DELETE FROM ${table} WHERE "account_id" = ${bind('id', account)} AND "position" <= ${bind('integer', upTo)}`,
  )

/** Remembers up to which position events of an account were deleted. Another process may have deleted more meanwhile. */
export const rememberSwept = (dialect: Dialect, account: string, upTo: BoundValue): Bound =>
  statement(dialect, (bind) => {
    const swept = bind('integer', upTo)
    return `UPDATE ${ident(headTable)} SET "swept" = ${swept} WHERE "account_id" = ${bind('id', account)} AND "swept" < ${swept}`
  })
