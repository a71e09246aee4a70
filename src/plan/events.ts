import type { FieldKind } from '../kinds/kinds.ts'
import { type Dialect, ident, idents, type TypedColumn } from './dialect.ts'
import type { RowArray } from './row-array.ts'
import { type RowStatement, rowStatement } from './row-statements.ts'
import { rowsOfAccount } from './rows-of-account.ts'
import { Binds } from './statement.ts'

/** Events in the order of their positions, which is the order in which they can be read. */
export const eventTable = 'nounkit_events'

/** Committed events that have no position yet. */
export const inboxTable = 'nounkit_event_inbox'

/** What is known of an account's events: the position given last, and the one up to which events were deleted because of their age. */
export const headTable = 'nounkit_event_heads'

/** The position of an account's newest event, or of the last one that was deleted where none is left. New events come after it. */
export const lastPosition = (account: string): string => {
  const newest = `SELECT max("position") FROM ${ident(eventTable)} WHERE "account_id" = ${account}`
  const swept = `SELECT "swept" FROM ${ident(headTable)} WHERE "account_id" = ${account}`
  return `coalesce((${newest}), (${swept}), 0)`
}

/** The columns that are bound for a new event, after the account. */
export const eventColumns = [
  'kind',
  'resource',
  'row_id',
  'version',
  'created_at',
  'id_end',
  'data',
  'before',
] as const

const kindOf = (column: string): FieldKind =>
  column === 'created_at' || column === 'position' ? 'integer' : 'string'

const typed = (name: string): TypedColumn => ({ name, kind: kindOf(name) })
const typedColumns = eventColumns.map(typed)

/** Gives the parameter of a column. */
type Bind = (index: number, kind: FieldKind) => string

const boundColumns = (bind: Bind): readonly string[] =>
  eventColumns.map((name, index) => bind(index, kindOf(name)))

/**
 * Inserts one event. Where transactions commit in the order in which they write, it gets its position here. Elsewhere a later
 * position could be seen before an earlier one, so the event waits in the inbox until it is committed.
 * `from` ends the statement where the event depends on a query: `FROM claim`.
 */
export function insertEvent(dialect: Dialect, account: string, bind: Bind, from = ''): string {
  const values = boundColumns(bind)
  if (dialect.commitsInOrder) return insertInPlace(dialect, account, values)
  const columns = idents(['account_id', ...eventColumns])
  const row = [account, ...values].join(', ')
  return `INSERT INTO ${ident(inboxTable)} (${columns}) ${from === '' ? `VALUES (${row})` : `SELECT ${row} ${from}`}`
}

/** Events of one transaction, which are mostly of one resource. */
export const eventArray: RowArray = {
  table: inboxTable,
  columns: typedColumns,
  common: ['kind', 'resource', 'version', 'created_at', 'before'],
}

/** Inserts one event. Binds its columns. */
export function insertEventAlone(dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const account = binds.use('account', 'id')
  return rowStatement(
    insertEvent(dialect, account, (index, kind) => binds.use(index, kind)),
    binds,
  )
}

/** Inserts events of one account into the inbox, in their order. Binds the columns of each. */
export function insertWaiting(dialect: Dialect, count: number): RowStatement {
  const binds = new Binds(dialect)
  const rows = rowsOfAccount(binds, typedColumns, count)
  return rowStatement(
    `INSERT INTO ${ident(inboxTable)} (${idents(['account_id', ...eventColumns])}) ${rows}`,
    binds,
  )
}

export const keptColumns = eventColumns.filter((name) => name !== 'id_end')
export const placedColumns = idents(['account_id', 'position', 'id', ...keptColumns])

/** `[position]` of the account's newest event. */
export function selectLastPosition(dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  return rowStatement(`SELECT ${lastPosition(binds.use('account', 'id'))}`, binds)
}

/** Inserts events of one account whose positions are known. Binds the position, the id and `keptColumns` of each. */
export function insertPlaced(dialect: Dialect, count: number): RowStatement {
  const binds = new Binds(dialect)
  const rows = rowsOfAccount(binds, ['position', 'id', ...keptColumns].map(typed), count)
  return rowStatement(`INSERT INTO ${ident(eventTable)} (${placedColumns}) ${rows}`, binds)
}

/** As VALUES with two subqueries: with a SELECT from the table into which it inserts, SQLite makes a temporary table each time. */
function insertInPlace(dialect: Dialect, account: string, values: readonly string[]): string {
  const bound = (name: (typeof eventColumns)[number]): string => values[eventColumns.indexOf(name)] ?? ''
  const position = nextPosition(dialect, account, bound('created_at'))
  const id = `(SELECT ${idSql(dialect, 'n.p', bound('id_end'))} FROM (SELECT ${position} AS p) n)`
  const row = [account, position, id, ...keptColumns.map(bound)].join(', ')
  return `INSERT INTO ${ident(eventTable)} (${placedColumns}) VALUES (${row})`
}

/** The position of an event at a time: the time's own, or the one after the newest event. */
const nextPosition = (dialect: Dialect, account: string, time: string): string =>
  dialect.greater(`${lastPosition(account)} + 1`, `${time} * ${positionsPerMs}`)

/**
 * A position is a time in milliseconds followed by three digits that count within the millisecond: it grows with the clock, so that
 * positions never repeat, even when all events of an account were deleted.
 */
export const positionsPerMs = 1_000

/** The id of an event is a UUIDv7 (RFC 9562) of its position: time, count, and a random end. */
export const idSql = (dialect: Dialect, position: string, end: string): string => {
  const ms = `(${position} / ${positionsPerMs})`
  const [high, low] = [dialect.hex(`${ms} / 65536`, 8), dialect.hex(`${ms} % 65536`, 4)]
  const count = dialect.hex(`${position} % ${positionsPerMs}`, 3)
  return `${high} || '-' || ${low} || '-7' || ${count} || '-' || ${end}`
}
