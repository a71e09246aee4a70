import type { FieldKind } from '../kinds/kinds.ts'
import { type Dialect, ident, idents } from './dialect.ts'
import { type RowStatement, rowStatement } from './row-statements.ts'
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

const kinds: { readonly [column: string]: FieldKind } = { created_at: 'integer' }

/** Gives the parameter of a column. */
type Bind = (index: number, kind: FieldKind) => string

const boundColumns = (bind: Bind): readonly string[] =>
  eventColumns.map((name, index) => bind(index, kinds[name] ?? 'string'))

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

/** Inserts events of one account, in their order. Binds the columns of each. */
export function insertEvents(dialect: Dialect, count: number): RowStatement {
  const binds = new Binds(dialect)
  const account = binds.use('account', 'id')
  const from =
    (row: number): Bind =>
    (index, kind) =>
      binds.use(row * eventColumns.length + index, kind)
  if (count === 1) return rowStatement(insertEvent(dialect, account, from(0)), binds)
  const rows = Array.from({ length: count }, (_, row) => boundColumns(from(row)))
  const text = dialect.commitsInOrder
    ? insertAllInPlace(dialect, account, rows)
    : insertIntoInbox(account, rows)
  return rowStatement(text, binds)
}

function insertIntoInbox(account: string, rows: readonly (readonly string[])[]): string {
  const columns = idents(['account_id', ...eventColumns])
  const values = rows.map((row) => `(${[account, ...row].join(', ')})`).join(', ')
  return `INSERT INTO ${ident(inboxTable)} (${columns}) VALUES ${values}`
}

export const keptColumns = eventColumns.filter((name) => name !== 'id_end')
export const placedColumns = idents(['account_id', 'position', 'id', ...keptColumns])

function insertInPlace(dialect: Dialect, account: string, values: readonly string[]): string {
  const bound = (name: (typeof eventColumns)[number]): string => values[eventColumns.indexOf(name)] ?? ''
  const row = [account, 'n.p', idSql(dialect, 'n.p', bound('id_end')), ...keptColumns.map(bound)].join(', ')
  const next = nextPosition(account, bound('created_at'))
  return `INSERT INTO ${ident(eventTable)} (${placedColumns}) SELECT ${row} FROM (${next}) n`
}

/** The position of an event at a time: the time's own, or the one after the newest event. */
const nextPosition = (account: string, time: string): string => {
  const clock = `${time} * ${positionsPerMs}`
  return `SELECT CASE WHEN l.p < ${clock} THEN ${clock} ELSE l.p + 1 END AS p FROM (SELECT ${lastPosition(account)} AS p) l`
}

/** The first event gets the next position, and each of the others the one after the event before it. */
function insertAllInPlace(dialect: Dialect, account: string, rows: readonly (readonly string[])[]): string {
  const given = rows.map((row, number) => `(${[number, ...row].join(', ')})`).join(', ')
  const columns = idents(['number', ...eventColumns])
  const position = `n.p + e."number"`
  const row = [
    account,
    position,
    idSql(dialect, `(${position})`, 'e."id_end"'),
    ...keptColumns.map((name) => `e.${ident(name)}`),
  ]
  const next = nextPosition(account, rows[0]?.[eventColumns.indexOf('created_at')] ?? '')
  return `WITH e(${columns}) AS (VALUES ${given}) INSERT INTO ${ident(eventTable)} (${placedColumns}) SELECT ${row.join(', ')} FROM (${next}) n, e`
}

/**
 * A position is a time in milliseconds followed by three digits that count within the millisecond: it grows with the clock, so that
 * positions never repeat, even when all events of an account were deleted.
 */
export const positionsPerMs = 1_000

/** The id of an event is a UUIDv7 (RFC 9562) of its position: time, count, and a random end. */
export const idSql = (dialect: Dialect, position: string, end: string): string => {
  const time = dialect.hex(`${position} / ${positionsPerMs}`, 12)
  const count = dialect.hex(`${position} % ${positionsPerMs}`, 3)
  return `substr(${time}, 1, 8) || '-' || substr(${time}, 9, 4) || '-7' || ${count} || '-' || ${end}`
}
