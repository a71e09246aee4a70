import { type OperatorName, operators } from '../kinds/operators.ts'
import type { BoundValue } from './bind.ts'
import { type Bound, statement } from './bound-statement.ts'
import { type Dialect, ident, idents } from './dialect.ts'
import { mostMoved } from './event-moves.ts'
import { eventTable, headTable, inboxTable, lastPosition } from './events.ts'

const table = ident(eventTable)
const inbox = ident(inboxTable)
const heads = ident(headTable)

/** The columns of an event, in the order in which statements read them. */
const readColumns = [
  'position',
  'id',
  'kind',
  'resource',
  'row_id',
  'version',
  'created_at',
  'data',
  'before',
] as const

/** A condition on a column of events. */
export type EventCondition = {
  readonly column: 'kind' | 'resource' | 'row_id' | 'created_at'
  readonly operator: OperatorName
  readonly values: readonly BoundValue[]
}

export interface AskedEvents {
  readonly account: string
  /** Where reading begins; the event at it is not read. */
  readonly position: number
  readonly conditions: readonly EventCondition[]
  readonly descending: boolean
  readonly limit: number
  readonly bytes: number
}

/**
 * Events of an account from a position on: `[how many events have no position yet, but at most one more than `mostMoved`, the last position, the position up to which events
 * were deleted, then readColumns, then the bytes of the rows up to here]` each; a row without an event where there is none, so that the first
 * three are known. Ends with the first event that makes the rows larger than the bytes that are asked for: the database knows the lengths of texts
 * without reading them.
 */
export const selectEvents = (dialect: Dialect, asked: AskedEvents): Bound =>
  statement(dialect, (bind) => {
    const { position, conditions, descending, limit, bytes } = asked
    const account = bind('id', asked.account)
    const where = conditions.map(({ column, operator, values }) => {
      const params = values.map((value) => bind(column === 'created_at' ? 'integer' : 'string', value))
      return ` AND ${operators[operator].sql(ident(column), params, false)}`
    })
    const columns = readColumns.map((column) => `t.${ident(column)}`).join(', ')
    const after = `"position" ${descending ? '<' : '>'} ${bind('integer', position)}`
    const order = `ORDER BY "position"${descending ? ' DESC' : ''}`
    const own = `${dialect.bytes('"data"')} + coalesce(${dialect.bytes('"before"')}, 0)`
    // Lengths first, rows afterwards: what passes the bound is never read.
    const rows = `SELECT "position", ${own} AS own FROM ${table} WHERE "account_id" = ${account} AND ${after}${where.join('')} ${order}`
    const page = dialect.firstRows(rows, bind('integer', limit), dialect.pageSize(limit))
    const measured = `SELECT "position", own, sum(own) OVER (${order} ROWS UNBOUNDED PRECEDING) AS bytes FROM (${page}) p`
    const fitting = `SELECT ${columns}, m.bytes FROM (${measured}) m JOIN ${table} t ON t."account_id" = ${account} AND t."position" = m."position" WHERE m.bytes - m.own <= ${bind('integer', bytes)}`
    return `SELECT s.*, e.* FROM (${state(account, dialect)}) s LEFT JOIN (${fitting}) e ON 1 = 1 ORDER BY e."position"${descending ? ' DESC' : ''}`
  })

const state = (account: string, dialect: Dialect): string => {
  const waiting = dialect.commitsInOrder
    ? '0'
    : `(SELECT count(*) FROM (SELECT 1 FROM ${inbox} WHERE "account_id" = ${account} LIMIT ${mostMoved + 1}) w)`
  const swept = `coalesce((SELECT "swept" FROM ${heads} WHERE "account_id" = ${account}), 0)`
  return `SELECT ${waiting} AS waiting, ${lastPosition(account)} AS last, ${swept} AS swept`
}

/** The event at a position: `readColumns`. */
export const selectEvent = (dialect: Dialect, account: string, position: number, id: string): Bound =>
  statement(
    dialect,
    (bind) =>
      `SELECT ${idents(readColumns)} FROM ${table} WHERE "account_id" = ${bind('id', account)} AND "position" = ${bind('integer', position)} AND "id" = ${bind('id', id)}`,
  )

/**
 * What tells whether accounts have new events: `[account, a text that changes with them, whether they have no position yet]`, one or two for
 * each account that has any. The text is the last position, or the number of the newest event without one, which on a cluster may be past
 * 2^53. Where accounts are apart, the first one is asked for.
 */
export const newestOf = (dialect: Dialect, accounts: readonly string[]): Bound =>
  statement(dialect, (bind) => {
    const listed = () => dialect.listed(bind('json', JSON.stringify(accounts)))
    if (dialect.commitsInOrder)
      return `WITH a(account) AS (${listed()}) SELECT account, (SELECT max("position") FROM ${table} WHERE "account_id" = account), 0 FROM a`
    const isAsked = `"account_id" ${dialect.accountsApart ? `= ${bind('id', accounts[0] ?? '')}` : `IN (${listed()})`}`
    const placed = `SELECT "account_id", ${dialect.asText('"last"')}, 0 FROM ${heads} WHERE ${isAsked}`
    const waiting = `SELECT "account_id", ${dialect.asText('max("number")')}, 1 FROM ${inbox} WHERE ${isAsked} GROUP BY "account_id"`
    return `${placed} UNION ALL ${waiting}`
  })

/** Locks what is known of an account's events, so that one transaction at a time changes it: `[last]`. */
export const lockHead = (dialect: Dialect, account: string): Bound =>
  statement(
    dialect,
    (bind) =>
      `INSERT INTO ${heads} ("account_id", "last", "swept") VALUES (${bind('id', account)}, 0, 0) ON CONFLICT ("account_id") DO UPDATE SET "last" = ${heads}."last" RETURNING "last"`,
  )
