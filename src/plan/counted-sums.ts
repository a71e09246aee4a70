import type { Resource, SumFeed } from '../compile/model.ts'
import { column } from './absent-values.ts'
import { type Dialect, ident } from './dialect.ts'
import { knownField, type RowStatement, rowStatement } from './row-statements.ts'
import { Binds } from './statement.ts'

/**
 * Statements that add up all rows of an owner. A write does not need them: it adds to a sum what it changes. They find and correct sums that
 * were not kept so, such as those that a file says.
 */

/** The sum over the rows of one owner, and where these are. */
const countOf = ({ of, by }: SumFeed, source: Resource, owner: string, binds: Binds) => {
  const product = of.map((name) => column(knownField(source, name), '', binds.dialect)).join(' * ')
  const ofOwner = binds.dialect.selective(`${ident(knownField(source, by.field).column)} = ${owner}`)
  return {
    sum: `coalesce(${binds.dialect.exactSum(product)}, 0)`,
    from: `FROM ${ident(source.table)} WHERE ${binds.rows(source, '')}${ofOwner}`,
  }
}

/** Which of several owners (bound: their ids as a JSON array) have another sum than their rows give: `[id]` each. */
export function wrongSums(feed: SumFeed, source: Resource, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const ids = dialect.listed(binds.use(0, 'json'))
  const { sum, from } = countOf(feed, source, 'o."id"', binds)
  const differs = dialect.distinct(`o.${ident(feed.field.column)}`, `(SELECT ${sum} ${from})`)
  const text = `SELECT o."id" FROM ${ident(feed.on.table)} o WHERE ${binds.rows(feed.on, 'o.')}o."id" IN (${ids}) AND ${differs} ORDER BY o."id"`
  return rowStatement(text, binds)
}

/** The sum that the rows of one owner (bound: its id) give: `[JSON]`. */
export function countSum(feed: SumFeed, source: Resource, dialect: Dialect): RowStatement {
  const { kind, schema } = feed.field
  const binds = new Binds(dialect)
  const { sum, from } = countOf(feed, source, binds.use('id', 'id'), binds)
  return rowStatement(`SELECT ${dialect.asText(dialect.json(sum, kind, false, schema))} ${from}`, binds)
}
