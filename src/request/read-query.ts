import { type Include, noInclude } from '../call/included.ts'
import {
  type Filter,
  type ListQuery,
  type OneQuery,
  type PageQuery,
  plainOne,
  type SortKey,
} from '../call/query.ts'
import type { View, ViewField } from '../compile/model.ts'
import { searchParameter } from '../compile/resources/searched.ts'
import { orderText } from './cursor.ts'
import type { Disclosure } from './disclosure.ts'
import { isOfAlternatives, readAlternatives } from './either-or.ts'
import { FieldErrors } from './field-errors.ts'
import { readFilter, type SentFilter } from './filter.ts'
import { groupOrder, readGroups } from './groups.ts'
import { readInclude, tooLarge } from './include.ts'
import { type IncludeRefusal, refuseQueryFaults } from './include-refusals.ts'
import { badQuery, readParameters, withoutParameter, withRoom } from './parameters.ts'
import { cachedQueries } from './query-cache.ts'
import { type Hint, hintForList, hintForOne, refusalOf } from './query-hints.ts'
import { readSearch } from './search.ts'
import { readSortKeys, withTieBreak } from './sort.ts'

/** Reads the query of GET on one resource: only `include` means anything there. */
export const readOneQuery = (query: string, view: View, ceiling: number, disclosure: Disclosure): OneQuery =>
  query === '' ? plainOne : cachedOne(query, view, ceiling, disclosure)

const cachedOne = cachedQueries((query, view, ceiling, disclosure): OneQuery => {
  const errors = new FieldErrors()
  const parameters = readParameters(query, errors)
  noteOthers(
    parameters,
    (name) => name === 'include',
    (sent) => hintForOne(sent, view, disclosure),
    errors,
  )
  const include = checkedInclude(parameters.get('include'), view, disclosure, { rows: 1, ceiling, errors })
  return { include, canonical: canonicalOf(query, include), uses: usesOf(include, [], []) }
})

/** Reads the include last, and throws all that is wrong with the query. How many rows it could return is judged once the rest is right. */
function checkedInclude(
  value: string | undefined,
  view: View,
  disclosure: Disclosure,
  { rows, ceiling, errors }: { rows: number; ceiling: number; errors: FieldErrors },
): Include {
  const refusals: IncludeRefusal[] = []
  const include = value === undefined ? noInclude : readInclude(value, view, disclosure, refusals)
  refuseQueryFaults(errors, refusals)
  if (!include) throw new Error('An include is refused with a reason')
  const large = tooLarge(rows, include.tree, ceiling)
  if (large) refuseQueryFaults(new FieldErrors(), [large])
  return include
}

function canonicalOf(query: string, { canonical }: Include): string | null {
  if (canonical === '') return null
  const text = `${withRoom(withoutParameter(query, 'include'))}include=${canonical}`
  return text === query ? null : text
}

function usesOf(
  include: Include,
  filters: readonly string[],
  sorts: readonly string[],
  fields: readonly string[] = [],
  lists: readonly ('search' | 'count')[] = [],
): OneQuery['uses'] {
  if (include.paths.length + filters.length + sorts.length + fields.length + lists.length === 0) return null
  return { include: include.paths, filters, sorts, fields, lists }
}

/** Writes, indexes, documents and pages take no parameter at all. */
export function refuseQuery(query: string, of: 'a write' | 'this document'): void {
  if (query === '') return
  const errors = new FieldErrors()
  noteOthers(
    readParameters(query, errors),
    () => false,
    () => ({ detail: `is not a parameter of ${of}; leave it out` }),
    errors,
  )
  throw badQuery(errors)
}

/** Reads the query of GET on a collection. Pages differ in their cursor only, so the rest is read once for all of them. */
export function readListQuery(query: string, view: View, ceiling: number, disclosure: Disclosure): PageQuery {
  const parts = apart(query)
  if (!parts) return cachedList(query, view, ceiling, disclosure)
  const { list, cursor } = cachedList(parts.rest, view, ceiling, disclosure)
  // There may be a second cursor whose name is escaped.
  return cursor === null ? { list, cursor: parts.cursor } : readWholeList(query, view, ceiling, disclosure)
}

/** A query and its cursor, where it has one that is not escaped; ours need not be. */
function apart(query: string): { readonly rest: string; readonly cursor: string } | null {
  const at = query.indexOf('cursor=')
  if (at < 0 || (at > 0 && query[at - 1] !== '&')) return null
  const next = query.indexOf('&', at)
  const cursor = query.slice(at + 'cursor='.length, next < 0 ? query.length : next)
  if (cursor === '' || /[%+]/.test(cursor)) return null
  const rest = next < 0 ? query.slice(0, Math.max(0, at - 1)) : query.slice(0, at) + query.slice(next + 1)
  // A second cursor, or a parameter without a name: reading the whole query reports it.
  const isWhole = rest !== '' || query.length === 'cursor='.length + cursor.length
  return isWhole && !rest.includes('cursor=') ? { rest, cursor } : null
}

function readWholeList(query: string, view: View, ceiling: number, disclosure: Disclosure): PageQuery {
  const errors = new FieldErrors()
  const parameters = readParameters(query, errors)
  const known = (name: string) =>
    name === 'include' ||
    name === 'limit' ||
    name === 'cursor' ||
    name === 'sort' ||
    (name === 'count' && view.counted) ||
    (name === 'by' && view.totals !== null) ||
    (name === searchParameter && view.searched.size > 0) ||
    name.startsWith('filter[')
  noteOthers(parameters, known, (sent) => hintForList(sent, view, disclosure), errors)
  const limit = readLimit(parameters.get('limit'), view, errors)
  const by = view.totals ? readGroups(parameters.get('by'), view, disclosure, errors) : []
  const sort = readOrder(parameters.get('sort'), view, by, disclosure, errors)
  const { filters, either } = readConditions(parameters, view, disclosure, errors)
  const conditions = [...filters, ...either.flat()]
  const search = view.searched.size > 0 ? readSearch(parameters.get(searchParameter), errors) : null
  const count = view.counted && readCount(parameters.get('count'), errors)
  const include = checkedInclude(parameters.get('include'), view, disclosure, {
    rows: limit,
    ceiling,
    errors,
  })
  const rest = withoutParameter(query, 'cursor')
  const list = {
    include,
    limit,
    by,
    sort,
    filters,
    either,
    conditions,
    filteredBy: [...new Set(conditions.flatMap(({ steps }) => steps.map((step) => step.target())))],
    search,
    count,
    order: orderText(sort, filters, either, by) + (search ? ` search ${search.join(' ')}` : ''),
    next: `${withRoom(rest)}cursor=`,
    canonical: canonicalOf(rest, include),
    uses: usesOf(
      include,
      conditions.map((filter) => filter.name),
      view.totals ? [] : sort.slice(0, -1).map((key) => key.field.name),
      by.map(({ name }) => name),
      [...(search ? (['search'] as const) : []), ...(count ? (['count'] as const) : [])],
    ),
  }
  return { list, cursor: parameters.get('cursor') ?? null }
}

function readOrder(
  text: string | undefined,
  view: View,
  by: readonly ViewField[],
  disclosure: Disclosure,
  errors: FieldErrors,
): readonly SortKey[] {
  const keys = text === undefined ? [] : readSortKeys(text, view, disclosure, errors)
  return view.totals ? groupOrder(keys, by, errors) : withTieBreak(keys, view)
}

function readConditions(
  parameters: ReadonlyMap<string, string>,
  view: View,
  disclosure: Disclosure,
  errors: FieldErrors,
): Pick<ListQuery, 'filters' | 'either'> {
  const filters: Filter[] = []
  const ofAlternatives: SentFilter[] = []
  const seen = new Set<string>()
  for (const [parameter, text] of parameters) {
    if (!parameter.startsWith('filter[')) continue
    const sent = { parameter, text, view, disclosure, errors }
    if (view.eitherOr && isOfAlternatives(parameter)) {
      ofAlternatives.push(sent)
      continue
    }
    const filter = readFilter(sent)
    if (!filter) continue
    const condition = `${filter.name} ${filter.operator}`
    if (seen.has(condition))
      errors.add(() => ({ parameter, detail: 'is given twice; give it once', code: 'repeated' }))
    else filters.push(filter)
    seen.add(condition)
  }
  return { filters, either: readAlternatives(ofAlternatives) }
}

const cachedList = cachedQueries(readWholeList)

function readLimit(text: string | undefined, view: View, errors: FieldErrors): number {
  if (text === undefined) return view.limits.pageDefault
  if (/^0*[1-9]\d*$/.test(text)) return Math.min(Number(text), view.limits.pageMax)
  errors.add(() => ({
    parameter: 'limit',
    detail: `must be a whole number from 1 to ${view.limits.pageMax}`,
    code: 'type',
  }))
  return view.limits.pageDefault
}

function readCount(text: string | undefined, errors: FieldErrors): boolean {
  if (text !== undefined && text !== 'true')
    errors.add(() => ({
      parameter: 'count',
      detail: 'must be true; leave it out for no count',
      code: 'type',
    }))
  return text === 'true'
}

function noteOthers(
  parameters: ReadonlyMap<string, string>,
  known: (name: string) => boolean,
  hint: (sent: { readonly name: string; readonly value: string }) => Hint,
  errors: FieldErrors,
): void {
  for (const [name, value] of parameters)
    if (!known(name)) errors.add(() => refusalOf({ name, value }, hint({ name, value })))
}
