import { type Dialect, ident } from './dialect.ts'
import { eventTable, headTable, inboxTable } from './events.ts'

const table = ident(eventTable)

/** How many accounts one statement names. On a cluster every such statement asks all nodes. */
const accountsAtOnce = 1_000

/** The next accounts, in the order of names after the bound one, that have events without a position: `[account]` each. */
export const accountsWaiting = (dialect: Dialect): string =>
  `SELECT DISTINCT "account_id" FROM ${ident(inboxTable)} WHERE "account_id" > ${dialect.param(1, 'id')} ORDER BY "account_id" LIMIT ${accountsAtOnce}`

/**
 * The next accounts, in the order of names after the bound one, that may have events before the bound position: `[account]` each. An
 * index answers it, however many events there are. Where events wait in an inbox, every account with events has a head.
 */
export function accountsWithOld(dialect: Dialect): string {
  const [after, before] = [dialect.param(1, 'id'), dialect.param(2, 'integer')]
  if (dialect.commitsInOrder)
    return `SELECT "account_id" FROM ${table} WHERE "account_id" > ${after} AND ${before} IS NOT NULL ORDER BY "account_id" LIMIT 1`
  const old = `SELECT 1 FROM ${table} e WHERE e."account_id" = h."account_id" AND e."position" < ${before}`
  return `SELECT h."account_id" FROM ${ident(headTable)} h WHERE h."account_id" > ${after} AND EXISTS (${old}) ORDER BY h."account_id" LIMIT ${accountsAtOnce}`
}

/** How many events one statement deletes at most: few, so that no request waits long. */
export const mostSwept = 500

/**
 * The oldest events of an account before a position (bound: both, and true), as many as one statement deletes: `[the last position of
 * them, how many]`. Events that an active webhook endpoint has no deliveries of yet are kept, or they would never be sent.
 */
export function oldestEvents(dialect: Dialect): string {
  const account = dialect.param(1, 'id')
  const told = `SELECT min("position") FROM "webhook_endpoints" WHERE "account_id" = ${account} AND "active" = ${dialect.param(3, 'boolean')}`
  const before = `"position" < ${dialect.param(2, 'integer')} AND "position" <= coalesce((${told}), ${Number.MAX_SAFE_INTEGER})`
  const oldest = `SELECT "position" FROM ${table} WHERE "account_id" = ${account} AND ${before} ORDER BY "position" LIMIT ${mostSwept}`
  return `SELECT max("position"), count(*) FROM (${oldest}) o`
}

/** Deletes the events of an account up to a position (bound: both). */
export const deleteEvents = (dialect: Dialect): string =>
  `DELETE FROM ${table} WHERE "account_id" = ${dialect.param(1, 'id')} AND "position" <= ${dialect.param(2, 'integer')}`

/** Remembers up to which position events of an account were deleted (bound: both). Another process may have deleted more meanwhile. */
export const rememberSwept = (dialect: Dialect): string =>
  `UPDATE ${ident(headTable)} SET "swept" = ${dialect.param(2, 'integer')} WHERE "account_id" = ${dialect.param(1, 'id')} AND "swept" < ${dialect.param(2, 'integer')}`
