import type { Model, Resource, SumFeed } from '../../../compile/model.ts'
import { type Dialect, ident } from '../../../plan/dialect.ts'

/** Computes every sum anew: it may be new itself, or values that it adds up may have changed. */
export function sumUpdates({ resources }: Model, dialect: Dialect): readonly string[] {
  const feeds = [...resources.values()].flatMap((source) => source.feeds.map((feed) => ({ source, feed })))
  const updates = feeds.map(({ source, feed }) => sumUpdate(source, feed, dialect))
  // A sum may add up other sums, which must be right first: after as many rounds as there are sums, all are.
  const isNested = feeds.some(({ source, feed }) => feed.of.some((name) => source.field.get(name)?.sum))
  return isNested ? feeds.flatMap(() => updates) : updates
}

function sumUpdate(source: Resource, { field, on, by, of }: SumFeed, dialect: Dialect): string {
  const table = ident(on.table)
  const product = of.map((name) => `s.${ident(source.field.get(name)?.column ?? name)}`).join(' * ')
  const account = on.shared ? '' : ` AND s."account_id" = ${table}."account_id"`
  const sum = `(SELECT coalesce(sum(${product}), 0) FROM ${ident(source.table)} AS s WHERE s.${ident(by.field)} = ${table}."id"${account})`
  const target = ident(field.column)
  return `UPDATE ${table} SET ${target} = ${sum}, "version" = "version" + 1 WHERE ${dialect.distinct(`${table}.${target}`, sum)}`
}
