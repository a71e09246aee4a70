import type { View } from '../compile/model.ts'
import { nearest } from '../compile/names/nearest.ts'
import { searchParameter } from '../compile/resources/searched.ts'
import { isOperatorName, type OperatorName } from '../kinds/operators.ts'
import type { FieldError } from '../problems.ts'
import {
  allowedNames,
  type Disclosure,
  listedNames,
  offeredFilters,
  offeredGroups,
  offeredPaths,
  offeredSorts,
} from './disclosure.ts'
import { pathMeant } from './filter.ts'

/** What a refusal of a parameter says, and the names that would be right. */
export interface Hint {
  readonly detail: string
  readonly allowed?: readonly string[]
}

/** A parameter that was sent. */
interface Sent {
  readonly name: string
  readonly value: string
}

/** What a caller may use of a list. */
interface Offered {
  readonly view: View
  readonly filters: readonly string[]
  readonly sorts: readonly string[]
  readonly paths: readonly string[]
  readonly groups: readonly string[]
}

/** The refusal of a parameter that lists do not have, with what to write instead. */
export function hintForList(sent: Sent, view: View, disclosure: Disclosure): Hint {
  const { name, value } = withOperator(sent)
  const offered: Offered = {
    view,
    filters: offeredFilters(view, disclosure),
    sorts: offeredSorts(view, disclosure),
    paths: offeredPaths(view, disclosure),
    groups: offeredGroups(view, disclosure),
  }
  const { detail, allowed } =
    asFilter(name, value, offered) ?? asOtherWord(name, value, offered) ?? asNear(name, value, offered)
  return { detail: `is not a parameter of a list; ${detail}`, allowed: allowed ?? parametersOf(offered) }
}

/** `total>5`, of which all is the name, as `total[gt]=5`. */
function withOperator(sent: Sent): Sent {
  const [, field, sign, value = ''] = /^([\w.]{1,200})([<>])([^=].*)$/.exec(sent.name) ?? []
  return field ? { name: `${field}[${sign === '>' ? 'gt' : 'lt'}]`, value } : sent
}

/**
 * A field as other APIs write its filter: `status=paid`, `total[gte]=5`, `total__gte=5`, `total>=5`, `filter_status=paid`, `customer[email]=…`; and
 * `or[0][status]=paid`.
 */
function asFilter(name: string, value: string, { view, filters }: Offered): Hint | null {
  const [, inAlternative] = /^or\[\d\]\[([\w.]{1,200})\](?:\[\w+\])?$/.exec(name) ?? []
  if (view.eitherOr && inAlternative !== undefined && filters.includes(inAlternative))
    return { detail: `write filter[or]${name.slice('or'.length)}=${shown(value)}` }
  const path = pathMeant(name.replace('[', '.'), filters)
  if (path !== null) return { detail: `write filter[${path}]=${shown(value)}` }
  const [field, operator] = fieldAndOperator(name, filters)
  const meant = [field, field.replace(/^filters?[._:-]/, '')].find((one) => filters.includes(one))
  return meant === undefined ? null : { detail: `write filter[${meant}]${operator}=${shown(value)}` }
}

/** What stands before the `=` of `total>=5`, `total<=5` and `total!=5`. */
const operatorOfSign: ReadonlyMap<string, OperatorName> = new Map([
  ['>', 'gte'],
  ['<', 'lte'],
  ['!', 'ne'],
])

/** Operators as other APIs name them. */
const otherOperators: ReadonlyMap<string, OperatorName> = new Map([
  ['not', 'ne'],
  ['neq', 'ne'],
  ['equals', 'eq'],
  ['is', 'eq'],
  ['min', 'gte'],
  ['from', 'gte'],
  ['since', 'gte'],
  ['after', 'gt'],
  ['max', 'lte'],
  ['to', 'lte'],
  ['until', 'lte'],
  ['before', 'lt'],
])

/** `total[gte]`, `total__gte`, `total_gte`, `total.gte` and the `total>` of `total>=5` as `total` and `[gte]`. A filter may have such a name itself. */
function fieldAndOperator(
  name: string,
  filters: readonly string[],
): readonly [field: string, operator: string] {
  if (filters.includes(name)) return [name, '']
  const at = name.lastIndexOf('[')
  if (at > 0 && /^\[\w+\]$/.test(name.slice(at))) {
    const asked = name.slice(at + 1, -1)
    const operator = isOperatorName(asked) ? asked : otherOperators.get(asked.toLowerCase())
    return [name.slice(0, at), `[${operator ?? 'operator'}]`]
  }
  const sign = operatorOfSign.get(name.at(-1) ?? '')
  if (sign) return [name.slice(0, -1), `[${sign}]`]
  const [, field = '', word = ''] = /^([\w.]{1,200}?)(?:__?|\.)([a-z]{2,3})$/.exec(name) ?? []
  return isOperatorName(word) ? [field, `[${word}]`] : [name, '']
}

/** What a parameter of another API means here. */
type Meaning = (value: string, offered: Offered) => Hint

const pages: Meaning = () => ({
  detail: 'pages have no numbers: write cursor=… with the next_cursor of the page before',
})
const size: Meaning = (value, { view }) => ({
  detail: `write limit=${/^[1-9]\d{0,8}$/.test(value) ? value : view.limits.pageDefault}`,
})
const order: Meaning = (value, { sorts }) => ({
  detail: `write sort=${sortMeant(value, sorts) ?? '…'}, by ${listedNames(sorts)}; a minus before a name reverses`,
  allowed: sorts,
})
const relations: Meaning = (value, { view, paths }) =>
  paths.length === 0
    ? { detail: `${view.name} offers no include; leave it out`, allowed: [] }
    : { detail: `write include=${paths.includes(value) ? value : listedNames(paths)}`, allowed: paths }
const conditions: Meaning = (_, { view, filters }) =>
  filters.length === 0
    ? { detail: `${view.name} offers no filter; leave it out`, allowed: [] }
    : { detail: `write filter[field]=value, with one of ${listedNames(filters)}`, allowed: filters }
const words: Meaning = (value, { view, filters }) =>
  view.searched.size > 0
    ? { detail: `write ${searchParameter}=${shown(value)}` }
    : {
        detail: `${view.name} offers no search; ${filters.length === 0 ? 'leave it out' : `write filter[field]=value, with one of ${listedNames(filters)}`}`,
        allowed: filters,
      }
const fields: Meaning = () => ({ detail: 'answers have all fields; leave it out' })
const total: Meaning = (_, { view }) => ({
  detail: view.counted ? 'write count=true' : `${view.name} are not counted; leave it out`,
})

const groups: Meaning = (value, { view, groups: names }) =>
  view.totals
    ? {
        detail: `write by=${value !== '' && value.split(',').every((one) => names.includes(one)) ? value : listedNames(names)}`,
        allowed: names,
      }
    : { detail: `${view.name} have no groups; leave it out`, allowed: [] }

/** Parameters of other APIs, in lower case and without anything but letters. */
const otherWords: ReadonlyMap<string, Meaning> = new Map(
  (
    [
      ['page pagenumber pageno p offset skip start after before next pageafter pagebefore', pages],
      [
        'pagetoken pageoffset pagecursor nexttoken nextpage startingafter endingbefore startat startindex',
        pages,
      ],
      ['perpage pagesize size pagelimit max maxresults top take first rows', size],
      ['order orderby ordering sortby sortorder orderdirection direction dir', order],
      ['expand with embed populate includes relations preload', relations],
      ['filter filters where conditions', conditions],
      ['q query search term text keyword keywords', words],
      ['fields field select only columns attributes projection', fields],
      ['count total totalcount withcount includecount includetotal', total],
      ['by group groupby groups aggregate aggregates', groups],
    ] satisfies readonly (readonly [string, Meaning])[]
  ).flatMap(([names, meaning]) => names.split(' ').map((name) => [name, meaning] as const)),
)

function asOtherWord(name: string, value: string, offered: Offered): Hint | null {
  // JSON:API writes `fields[orders]`; names are compared by their letters.
  const word = name.startsWith('fields[')
    ? 'fields'
    : name
        .slice(0, 50)
        .toLowerCase()
        .replaceAll(/[^a-z]/g, '')
  return otherWords.get(word)?.(value, offered) ?? null
}

/** A slip of the keyboard, else all that there is. */
function asNear(name: string, value: string, offered: Offered): Hint {
  const near = nearest(name, plainParameters(offered.view))
  if (near !== null) return { detail: `did you mean "${near}"?` }
  const [field, operator] = fieldAndOperator(name, offered.filters)
  const filter = nearest(field, offered.filters)
  if (filter !== null) return { detail: `did you mean "filter[${filter}]${operator}=${shown(value)}"?` }
  return { detail: `write ${listedNames([...plainParameters(offered.view), ...writtenFilters(offered)])}` }
}

const plainParameters = (view: View): readonly string[] => [
  ...(view.totals ? ['by'] : []),
  ...(view.includePaths.length > 0 ? ['include'] : []),
  'limit',
  'cursor',
  'sort',
  ...(view.searched.size > 0 ? [searchParameter] : []),
  ...(view.counted ? ['count'] : []),
]

const writtenFilters = ({ filters }: Offered): readonly string[] =>
  filters.length > 0 ? [`filter[field] with one of ${listedNames(filters)}`] : []

const parametersOf = (offered: Offered): readonly string[] => [
  ...plainParameters(offered.view),
  ...offered.filters.map((name) => `filter[${name}]`),
]

/** The order that other APIs write as `name desc`, `name:desc` or `+name`: `-name`; null where it cannot be one. */
export function sortMeant(text: string, sorts: readonly string[]): string | null {
  const [, minus = '', name = '', direction = ''] =
    /^[ +]?(-?)(\w{1,100})(?:[ :.,+](asc|desc))?$/i.exec(text) ?? []
  if (!sorts.includes(name)) return null
  return minus === '-' || direction.toLowerCase() === 'desc' ? `-${name}` : name
}

/** The refusal of a parameter on one resource, which has but `include`. */
export function hintForOne({ name }: Sent, view: View, disclosure: Disclosure): Hint {
  const paths = offeredPaths(view, disclosure)
  const allowed = paths.length > 0 ? ['include'] : []
  const isOfLists =
    ['limit', 'cursor', 'sort', 'count', searchParameter].includes(name) || name.startsWith('filter')
  const near = nearest(name, allowed)
  const only = allowed.length > 0 ? `it has include alone, of ${listedNames(paths)}` : 'leave it out'
  const instead = isOfLists && view.topLevel ? `ask the list, /${view.version.name}/${view.name}` : only
  return {
    detail: `is not a parameter of one resource; ${near ? `did you mean "${near}"?` : instead}`,
    allowed,
  }
}

/** The refusal of a parameter that is given once more. */
export function hintForRepeated(name: string): string {
  if (/^filter(?:\[or\]\[\d\])?\[[^[\]]+\]$/.test(name))
    return `is given twice; for one of several values write ${name}[in]=a,b`
  if (name === 'sort' || name === 'include' || name === 'by' || name.endsWith('[in]'))
    return `is given twice; give it once, as in ${name}=a,b`
  return 'is given twice; give it once'
}

export const refusalOf = ({ name }: Sent, { detail, allowed }: Hint): FieldError => ({
  parameter: name.slice(0, 100),
  detail,
  code: 'unknown',
  ...(allowed ? allowedNames(allowed) : {}),
})

const mostShown = 50

/** A value as a query has it. */
const shown = (value: string): string =>
  encodeURIComponent(value.slice(0, mostShown).toWellFormed())
    .replaceAll('%40', '@')
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',')
