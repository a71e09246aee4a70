import { type OperatorName, operators } from '../kinds/operators.ts'
import { type Dialect, ident } from './dialect.ts'
import {
  eventColumns,
  eventTable,
  headTable,
  idSql,
  inboxTable,
  lastPosition,
  positionsPerMs,
} from './events.ts'

const table = ident(eventTable)
const inbox = ident(inboxTable)
const heads = ident(headTable)

/** The columns of an event, in the order in which statements read them. */
export const readColumns = [
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
export interface EventCondition {
  readonly column: 'kind' | 'resource' | 'row_id' | 'created_at'
  readonly operator: OperatorName
  /** How many values are bound. */
  readonly values: number
}

export interface EventsShape {
  readonly conditions: readonly EventCondition[]
  readonly descending: boolean
  readonly pageSize: number
}

/**
 * Events of an account from a position on: `[1 where events have no position yet, the last position, the position up to which events
 * were deleted, then readColumns]` each; a row without an event where there is none, so that the first three are known.
 * Binds the account, the position, the limit, then the values of the conditions.
 */
export function selectEvents({ conditions, descending, pageSize }: EventsShape, dialect: Dialect): string {
  const account = dialect.param(1, 'id')
  let bound = 3
  const where = conditions.map(({ column, operator, values }) => {
    const kind = column === 'created_at' ? 'integer' : 'string'
    const params = Array.from({ length: values }, () => dialect.param(++bound, kind))
    return ` AND ${operators[operator].sql(ident(column), params, false)}`
  })
  const columns = readColumns.map(ident).join(', ')
  const after = `"position" ${descending ? '<' : '>'} ${dialect.param(2, 'integer')}`
  const rows = `SELECT ${columns} FROM ${table} WHERE "account_id" = ${account} AND ${after}${where.join('')} ORDER BY "position"${descending ? ' DESC' : ''}`
  const page = dialect.firstRows(rows, dialect.param(3, 'integer'), pageSize)
  return `SELECT s.*, e.* FROM (${state(account, dialect)}) s LEFT JOIN (${page}) e ON 1 = 1 ORDER BY e."position"${descending ? ' DESC' : ''}`
}

const state = (account: string, dialect: Dialect): string => {
  const waiting = dialect.commitsInOrder
    ? '0'
    : `CASE WHEN EXISTS (SELECT 1 FROM ${inbox} WHERE "account_id" = ${account}) THEN 1 ELSE 0 END`
  const swept = `coalesce((SELECT "swept" FROM ${heads} WHERE "account_id" = ${account}), 0)`
  return `SELECT ${waiting} AS waiting, ${lastPosition(account)} AS last, ${swept} AS swept`
}

/** A last position that stands for events that have none yet. */
export const areWaiting = -1

/** `[account, the last position, or areWaiting]` for each account of a JSON list that has events. An account may come twice. */
export function selectNewest(dialect: Dialect): string {
  const followed = dialect.listed(dialect.param(1, 'json'))
  if (dialect.commitsInOrder) return `WITH f(a) AS (${followed}) SELECT f.a, ${lastPosition('f.a')} FROM f`
  const given = `SELECT "account_id", "last" FROM ${heads} WHERE "account_id" IN (${followed})`
  return `${given} UNION ALL SELECT DISTINCT "account_id", ${areWaiting} FROM ${inbox} WHERE "account_id" IN (${followed})`
}

/** The event at a position: `readColumns`. */
export const selectEvent = (dialect: Dialect): string =>
  `SELECT ${readColumns.map(ident).join(', ')} FROM ${table} WHERE "account_id" = ${dialect.param(1, 'id')} AND "position" = ${dialect.param(2, 'integer')} AND "id" = ${dialect.param(3, 'id')}`

/**
 * What tells whether accounts (bound: their names as a JSON array) have new events: `[account, a number that grows with them]`, one or two
 * for each account that has any.
 */
export function newestOf(dialect: Dialect): string {
  const listed = dialect.listed(dialect.param(1, 'json'))
  if (dialect.commitsInOrder)
    return `WITH a(account) AS (${listed}) SELECT account, (SELECT max("position") FROM ${table} WHERE "account_id" = account) FROM a`
  const placed = `SELECT "account_id", "last" FROM ${heads} WHERE "account_id" IN (${listed})`
  const waiting = `SELECT "account_id", max("number") FROM ${inbox} WHERE "account_id" IN (${listed}) GROUP BY "account_id"`
  return `${placed} UNION ALL ${waiting}`
}

/** Locks what is known of an account's events, so that one transaction at a time gives positions to them: `[last]`. */
export const lockHead = (dialect: Dialect): string =>
  `INSERT INTO ${heads} ("account_id", "last", "swept") VALUES (${dialect.param(1, 'id')}, 0, 0) ON CONFLICT ("account_id") DO UPDATE SET "last" = ${heads}."last" RETURNING "last"`

/** How many events get their positions in one statement. */
export const mostMoved = 1_000

/**
 * Gives positions to the oldest events of the inbox (bound: the account, the position that they follow). The inbox numbers events
 * when they are written. Two events of one row have the right order by their numbers: the later transaction had to wait for the
 * earlier one before it could change the row, and it writes its events last. Answers with `[how many were moved]`.
 */
export function moveEvents(dialect: Dialect): string {
  const account = dialect.param(1, 'id')
  const last = dialect.param(2, 'integer')
  const kept = eventColumns.filter((name) => name !== 'id_end').map(ident)
  const oldest = `SELECT "number" FROM ${inbox} WHERE "account_id" = ${account} ORDER BY "number" LIMIT ${mostMoved}`
  const taken = `DELETE FROM ${inbox} WHERE "account_id" = ${account} AND "number" <= (SELECT max("number") FROM (${oldest}) o) RETURNING *`
  const counted = `SELECT row_number() OVER (ORDER BY "number") AS n, t.* FROM taken t`
  // The time of the event, or one more than the position before it.
  const placed = `SELECT n + greatest(${last}, max("created_at" * ${positionsPerMs} - n) OVER (ORDER BY n)) AS p, c.* FROM (${counted}) c`
  const moved = `INSERT INTO ${table} ("account_id", "position", "id", ${kept.join(', ')}) SELECT "account_id", p, ${idSql(dialect, 'p', '"id_end"')}, ${kept.join(', ')} FROM (${placed}) d RETURNING "position"`
  const remember = `UPDATE ${heads} SET "last" = (SELECT coalesce(max("position"), ${last}) FROM moved) WHERE "account_id" = ${account} RETURNING (SELECT count(*) FROM moved)`
  return `WITH taken AS (${taken}), moved AS (${moved}) ${remember}`
}
