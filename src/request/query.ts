import type { View } from '../compile/model.ts'
import { nearest } from '../compile/nearest.ts'
import type { FieldError } from '../problems.ts'
import { orderText } from './cursor.ts'
import { type Filter, readFilter } from './filter.ts'
import { type Include, noInclude, readInclude, refuseTooLarge } from './include.ts'
import { badQuery, readParameters } from './parameters.ts'
import { rememberQueries } from './query-memo.ts'
import { readSort, type SortKey, withTieBreak } from './sort.ts'

export interface ListQuery {
  readonly include: Include
  readonly limit: number
  readonly sort: readonly SortKey[]
  readonly filters: readonly Filter[]
  readonly cursor: string | null
  /** Sort and filters in words: what a cursor is bound to. */
  readonly order: string
  /** Names of the filters and sorts, for whoever counts their use. */
  readonly uses: { readonly filters: readonly string[]; readonly sorts: readonly string[] }
}

/** Reads the query of GET on one resource: only `include` means anything there. */
export const readOneQuery = (query: string, view: View, ceiling: number): Include =>
  query === '' ? noInclude : rememberedOne(query, view, ceiling)

const rememberedOne = rememberQueries((query, view, ceiling): Include => {
  const errors: FieldError[] = []
  const parameters = readParameters(query, errors)
  noteOthers(parameters, (name) => name === 'include', 'one resource', ['include'], errors)
  if (errors.length > 0) throw badQuery(errors)
  const value = parameters.get('include')
  const include = value === undefined ? noInclude : readInclude(value, view)
  refuseTooLarge(1, include.tree, ceiling)
  return include
})

/** A write takes no parameter at all. */
export function refuseQuery(query: string): void {
  if (query === '') return
  const errors: FieldError[] = []
  noteOthers(readParameters(query, errors), () => false, 'a write', [], errors)
  throw badQuery(errors)
}

export const readListQuery = rememberQueries((query, view, ceiling): ListQuery => {
  const errors: FieldError[] = []
  const parameters = readParameters(query, errors)
  const known = (name: string) =>
    name === 'include' ||
    name === 'limit' ||
    name === 'cursor' ||
    name === 'sort' ||
    name.startsWith('filter[')
  noteOthers(parameters, known, 'a list', ['include', 'limit', 'cursor', 'sort', 'filter'], errors)
  const limit = readLimit(parameters.get('limit'), view, errors)
  const sortValue = parameters.get('sort')
  const sort = sortValue === undefined ? withTieBreak([], view) : readSort(sortValue, view, errors)
  const filters: Filter[] = []
  for (const [name, value] of parameters) {
    const filter = name.startsWith('filter[') ? readFilter(name, value, view, errors) : null
    if (filter && filters.some((other) => other.name === filter.name && other.operator === filter.operator)) {
      errors.push({ parameter: name, detail: 'is given twice; give it once', code: 'repeated' })
    } else if (filter) filters.push(filter)
  }
  if (errors.length > 0) throw badQuery(errors)
  const value = parameters.get('include')
  const include = value === undefined ? noInclude : readInclude(value, view)
  refuseTooLarge(limit, include.tree, ceiling)
  return {
    include,
    limit,
    sort,
    filters,
    cursor: parameters.get('cursor') ?? null,
    order: orderText(sort, filters),
    uses: {
      filters: filters.map((filter) => filter.name),
      sorts: sort.slice(0, -1).map((key) => key.field.name),
    },
  }
})

function readLimit(text: string | undefined, view: View, errors: FieldError[]): number {
  if (text === undefined) return view.limits.pageDefault
  if (/^0*[1-9]\d*$/.test(text)) return Math.min(Number(text), view.limits.pageMax)
  errors.push({
    parameter: 'limit',
    detail: `must be a whole number from 1 to ${view.limits.pageMax}`,
    code: 'type',
  })
  return view.limits.pageDefault
}

function noteOthers(
  parameters: ReadonlyMap<string, string>,
  known: (name: string) => boolean,
  where: string,
  names: readonly string[],
  errors: FieldError[],
): void {
  for (const name of parameters.keys()) {
    if (known(name)) continue
    const near = nearest(name, names)?.replace('filter', 'filter[field]')
    errors.push({
      parameter: name.slice(0, 100),
      detail: `is not a parameter of ${where}${near ? `; did you mean "${near}"?` : ''}`,
      code: 'unknown',
    })
  }
}
