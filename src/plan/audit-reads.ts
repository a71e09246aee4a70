import { type OperatorName, operators } from '../kinds/operators.ts'
import { auditColumns, auditTable } from './audit.ts'
import type { BoundValue } from './bind.ts'
import { type Bind, type Bound, statement } from './bound-statement.ts'
import { type Dialect, ident, idents } from './dialect.ts'

const table = ident(auditTable)

/** A condition on a column of entries. */
export interface EntryCondition {
  readonly column: Exclude<(typeof auditColumns)[number], 'id' | 'version' | 'unseen' | 'data' | 'before'>
  readonly operator: OperatorName
  readonly values: readonly BoundValue[]
  /** Whether NULL is one of the values besides. */
  readonly withNull: boolean
}

/** Entries of an account, from one id on and before another one. */
export interface EntriesPart {
  readonly account: string
  readonly from: string
  readonly to: string
  readonly descending: boolean
}

export interface AskedEntries extends EntriesPart {
  readonly conditions: readonly EntryCondition[]
  readonly limit: number
  readonly bytes: number
}

const within = (account: string, { from, to }: EntriesPart, bind: Bind): string =>
  `"account_id" = ${account} AND "id" >= ${bind('id', from)} AND "id" < ${bind('id', to)}`

const orderOf = (descending: boolean): string => `ORDER BY "id"${descending ? ' DESC' : ''}`

/**
 * `[auditColumns, then the bytes of the rows up to here]` each. Ends with the first entry that makes the rows larger than the bytes that are
 * asked for: the database knows the lengths of texts without reading them.
 */
export function selectEntries(dialect: Dialect, asked: AskedEntries): Bound {
  const { conditions, descending, limit, bytes } = asked
  return statement(dialect, (bind) => {
    const account = bind('id', asked.account)
    const where = conditions.map(({ column, operator, values, withNull }) => {
      const params = values.map((value) => bind(column === 'created_at' ? 'integer' : 'string', value))
      return ` AND ${operators[operator].sql(ident(column), params, withNull)}`
    })
    const order = orderOf(descending)
    const own = ['data', 'before'].map((name) => `coalesce(${dialect.bytes(ident(name))}, 0)`).join(' + ')
    // Lengths first, rows afterwards: what passes the bound is never read.
    const rows = `SELECT "id", ${own} AS own FROM ${table} WHERE ${within(account, asked, bind)}${where.join('')} ${order}`
    const page = dialect.firstRows(rows, bind('integer', limit), dialect.pageSize(limit))
    const measured = `SELECT "id", own, sum(own) OVER (${order} ROWS UNBOUNDED PRECEDING) AS bytes FROM (${page}) p`
    const columns = auditColumns.map((name) => `t.${ident(name)}`).join(', ')
    return `SELECT ${columns}, m.bytes FROM (${measured}) m JOIN ${table} t ON t."account_id" = ${account} AND t."id" = m."id" WHERE m.bytes - m.own <= ${bind('integer', bytes)} ORDER BY t."id"${descending ? ' DESC' : ''}`
  })
}

/** How many entries one page looks at, where no index knows which ones it is asked for. */
export const mostLookedAt = 10_000

/** `[the last id that a page looks at, how many there are up to it]`. */
export const lastLookedAt = (dialect: Dialect, part: EntriesPart): Bound =>
  statement(dialect, (bind) => {
    const { account, descending } = part
    const some = `SELECT "id" FROM ${table} WHERE ${within(bind('id', account), part, bind)} ${orderOf(descending)} LIMIT ${mostLookedAt}`
    return `SELECT ${descending ? 'min' : 'max'}("id"), count(*) FROM (${some}) e`
  })

/** One entry: `auditColumns`. */
export const selectEntry = (dialect: Dialect, account: string, id: string): Bound =>
  statement(
    dialect,
    (bind) =>
      `SELECT ${idents(auditColumns)} FROM ${table} WHERE "account_id" = ${bind('id', account)} AND "id" = ${bind('id', id)}`,
  )

/** How many entries one statement deletes at most: few, so that no request waits long. */
export const mostEntriesSwept = 500

/** The oldest entries before a time: `[account, id]` each. */
export const oldestEntries = (dialect: Dialect, before: number): Bound =>
  statement(
    dialect,
    (bind) =>
      `SELECT "account_id", "id" FROM ${table} WHERE "created_at" < ${bind('integer', before)} ORDER BY "created_at" LIMIT ${mostEntriesSwept}`,
  )

/** Deletes entries of an account by their ids. */
export const deleteEntries = (dialect: Dialect, account: string, ids: readonly BoundValue[]): Bound =>
  statement(
    dialect,
    (bind) =>
      `DELETE FROM ${table} WHERE "account_id" = ${bind('id', account)} AND "id" IN (${dialect.listedAs(bind('json', JSON.stringify(ids)), 'id')})`,
  )
