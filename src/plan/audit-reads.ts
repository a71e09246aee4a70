import { type OperatorName, operators } from '../kinds/operators.ts'
import { auditTable } from './audit.ts'
import { type Dialect, ident, idents } from './dialect.ts'

const table = ident(auditTable)

/** The columns of an entry, in the order in which statements read them. */
export const entryColumns = [
  'id',
  'created_at',
  'action',
  'resource',
  'row_id',
  'consumer',
  'subject',
  'operator',
  'request_id',
  'version',
  'unseen',
  'data',
  'before',
] as const

/** A condition on a column of entries. */
export interface EntryCondition {
  readonly column: Exclude<(typeof entryColumns)[number], 'id' | 'version' | 'unseen' | 'data' | 'before'>
  readonly operator: OperatorName
  /** How many values are bound. */
  readonly values: number
  /** Whether NULL is one of the values besides. */
  readonly withNull: boolean
}

export interface EntriesShape {
  readonly conditions: readonly EntryCondition[]
  readonly descending: boolean
  readonly pageSize: number
}

/** Ids of an account from the second bound value on, and before the third. */
const within = (dialect: Dialect): string =>
  `"account_id" = ${dialect.param(1, 'id')} AND "id" >= ${dialect.param(2, 'id')} AND "id" < ${dialect.param(3, 'id')}`

const orderOf = (descending: boolean): string => `ORDER BY "id"${descending ? ' DESC' : ''}`

/**
 * Entries of an account with ids between two: `[entryColumns, then the bytes of the rows up to here]` each. Ends with the first entry that
 * makes the rows larger than the bound bytes: the database knows the lengths of texts without reading them. Binds the account, the two
 * ids, the limit, the bytes, then the values of the conditions.
 */
export function selectEntries({ conditions, descending, pageSize }: EntriesShape, dialect: Dialect): string {
  let bound = 5
  const where = conditions.map(({ column, operator, values, withNull }) => {
    const kind = column === 'created_at' ? 'integer' : 'string'
    const params = Array.from({ length: values }, () => dialect.param(++bound, kind))
    return ` AND ${operators[operator].sql(ident(column), params, withNull)}`
  })
  const order = orderOf(descending)
  const own = ['data', 'before'].map((name) => `coalesce(${dialect.bytes(ident(name))}, 0)`).join(' + ')
  // Lengths first, rows afterwards: what passes the bound is never read.
  const rows = `SELECT "id", ${own} AS own FROM ${table} WHERE ${within(dialect)}${where.join('')} ${order}`
  const page = dialect.firstRows(rows, dialect.param(4, 'integer'), pageSize)
  const measured = `SELECT "id", own, sum(own) OVER (${order} ROWS UNBOUNDED PRECEDING) AS bytes FROM (${page}) p`
  const columns = entryColumns.map((name) => `t.${ident(name)}`).join(', ')
  return `SELECT ${columns}, m.bytes FROM (${measured}) m JOIN ${table} t ON t."account_id" = ${dialect.param(1, 'id')} AND t."id" = m."id" WHERE m.bytes - m.own <= ${dialect.param(5, 'integer')} ORDER BY t."id"${descending ? ' DESC' : ''}`
}

/** How many entries one page looks at, where no index knows which ones it is asked for. */
export const mostLookedAt = 10_000

/** `[the last id that a page looks at, how many there are up to it]`. Binds the account and the two ids. */
export function lastLookedAt(descending: boolean, dialect: Dialect): string {
  const some = `SELECT "id" FROM ${table} WHERE ${within(dialect)} ${orderOf(descending)} LIMIT ${mostLookedAt}`
  return `SELECT ${descending ? 'min' : 'max'}("id"), count(*) FROM (${some}) e`
}

/** One entry: `entryColumns`. Binds the account and the id. */
export const selectEntry = (dialect: Dialect): string =>
  `SELECT ${idents(entryColumns)} FROM ${table} WHERE "account_id" = ${dialect.param(1, 'id')} AND "id" = ${dialect.param(2, 'id')}`

/** How many entries one statement deletes at most: few, so that no request waits long. */
export const mostEntriesSwept = 500

/** The oldest entries before a time (bound): `[account, id]` each. */
export const oldestEntries = (dialect: Dialect): string =>
  `SELECT "account_id", "id" FROM ${table} WHERE "created_at" < ${dialect.param(1, 'integer')} ORDER BY "created_at" LIMIT ${mostEntriesSwept}`

/** Deletes entries of an account (bound) by their ids (bound as a JSON array). */
export const deleteEntries = (dialect: Dialect): string =>
  `DELETE FROM ${table} WHERE "account_id" = ${dialect.param(1, 'id')} AND "id" IN (${dialect.listedAs(dialect.param(2, 'json'), 'id')})`
