import type { FilterTarget, View } from '../../compile/model.ts'
import { kinds } from '../../kinds/kinds.ts'
import { isOperatorName, type OperatorName, operatorsFor } from '../../kinds/operators.ts'

/** A filter as the form has it. */
export interface FormFilter {
  readonly name: string
  readonly target: FilterTarget
  readonly operators: readonly OperatorName[]
  readonly operator: OperatorName
  readonly value: string
}

export const filtersOf = (view: View, query: URLSearchParams): readonly FormFilter[] =>
  [...view.filterOf].map(([name, target]) => {
    const operators = operatorsFor(kinds[target.field.kind])
    const asked = query.get(`is.${name}`) ?? 'eq'
    const operator = isOperatorName(asked) && operators.includes(asked) ? asked : 'eq'
    return { name, target, operators, operator, value: query.get(`value.${name}`) ?? '' }
  })

/** What a list is asked, as its query string: only what is declared, and of that only what was filled in. */
export const apiQueryOf = (view: View, query: URLSearchParams): URLSearchParams => {
  const asked = new URLSearchParams()
  for (const { name, operator, value } of filtersOf(view, query))
    if (value !== '') asked.set(`filter[${name}]${operator === 'eq' ? '' : `[${operator}]`}`, value)
  const search = query.get('search') ?? ''
  if (view.searched.size > 0 && search !== '') asked.set('search', search)
  const sort = query.get('sort') ?? ''
  if (view.sorts.has(sort.replace(/^-/, ''))) asked.set('sort', sort)
  const includes = query.getAll('include').filter((path) => view.includePaths.includes(path))
  if (includes.length > 0) asked.set('include', includes.join(','))
  if (view.counted && query.get('count') === 'true') asked.set('count', 'true')
  const limit = query.get('limit') ?? ''
  if (/^\d{1,4}$/.test(limit)) asked.set('limit', limit)
  const cursor = query.get('cursor') ?? ''
  if (cursor !== '') asked.set('cursor', cursor)
  return asked
}

/** As people read it: brackets and commas stay as they are. */
export const readableQuery = (asked: URLSearchParams): string =>
  [...asked].map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`).join('&')
