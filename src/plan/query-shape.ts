import { type IncludedNames, namesIn } from '../call/included.ts'
import type { Filter, ListQuery } from '../call/query.ts'
import type { View } from '../compile/model.ts'
import type { OperatorName } from '../kinds/operators.ts'
import { needsGuard } from './byte-guard.ts'
import { filterValues, padded } from './compared-values.ts'
import type { Dialect } from './dialect.ts'

/** A condition without its values. */
export type ConditionShape = {
  /** The name of the filter in the view. */
  readonly name: string
  readonly operator: OperatorName
  /** How many values are bound. */
  readonly values: number
  /** NULL is one of its values, and is not bound. */
  readonly withNull: boolean
}

/** All of a query that its statement is made from. What is not in here, the statement cannot depend on: it is bound. */
export type QueryShape = {
  readonly include: IncludedNames
  /** The fields that make groups of totals. */
  readonly by: readonly string[]
  readonly sort: readonly { readonly name: string; readonly descending: boolean }[]
  readonly filters: readonly ConditionShape[]
  readonly either: readonly (readonly ConditionShape[])[]
  readonly pageSize: number
  /** For how many words rows are searched, as they are bound; 0 where they are not. */
  readonly searched: number
  /** Whether all rows that the filters find are counted, up to the limit. */
  readonly counted: boolean
  /** Whether its texts could pass the limit on bytes. Of pages of one size, only the large ones may have to be guarded. */
  readonly guarded: boolean
}

const conditionShape = (filter: Filter): ConditionShape => ({
  name: filter.name,
  operator: filter.operator,
  values: filterValues(filter).length,
  withNull: filter.values.includes(null),
})

export function queryShape(query: ListQuery, view: View, dialect: Dialect): QueryShape {
  const { include, by, sort, filters, either, limit, search, count } = query
  return {
    include: namesIn(include.tree),
    by: by.map(({ name }) => name),
    sort: sort.map(({ field, descending }) => ({ name: field.name, descending })),
    filters: filters.map(conditionShape),
    either: either.map((conditions) => conditions.map(conditionShape)),
    pageSize: dialect.pageSize(limit + 1),
    searched: search ? padded(search).length : 0,
    counted: count,
    guarded: needsGuard(view, include.tree, limit),
  }
}
