import type { TotalsView, Version, View, ViewField } from '../../compile/model.ts'
import {
  eitherOrParameter,
  mostAlternatives,
  mostConditions,
} from '../../compile/resources/either-or-limits.ts'
import { longestSearchedWord, mostSearchedWords, searchParameter } from '../../compile/resources/searched.ts'
import { countMember, mostGroups } from '../../compile/versions/totals-view.ts'
import type { Method } from '../../declare/resource.ts'
import { kinds } from '../../kinds/kinds.ts'
import { type OperatorName, operators, operatorsFor } from '../../kinds/operators.ts'
import { idempotencyKeyPattern, withoutNul } from '../../kinds/text-patterns.ts'
import type { OperationPlace } from '../operations.ts'
import { words } from './document-names.ts'
import { type DocumentPart, requiredScopes, scopesIn } from './field-schemas.ts'
import { filterSchema, nullNote } from './filter-schemas.ts'

const parameterRef = (name: string): DocumentPart => ({ $ref: `#/components/parameters/${name}` })

/** The id of a row, as a part of a path. */
export const pathParameter = (name: 'id' | 'sub_id', view: View): DocumentPart => ({
  name,
  in: 'path',
  required: true,
  description: `The id of a row of ${words(view.name)}.`,
  schema: view.field.get('id')?.schema ?? { type: 'string' },
})

export const headerParameters = (view: View, method: Method, place: OperationPlace): DocumentPart[] => {
  if (method === 'GET') return place === 'row' ? [parameterRef('If-None-Match')] : []
  if (method !== 'POST') return [parameterRef(view.requireIfMatch ? 'If-Match-Required' : 'If-Match')]
  const { mode } = view.idempotency
  if (mode === 'off') return []
  return [parameterRef(mode === 'required' ? 'Idempotency-Key-Required' : 'Idempotency-Key')]
}

export const queryParameters = (view: View, method: Method, place: OperationPlace): DocumentPart[] => {
  if (method !== 'GET') return []
  const include = view.includePaths.length > 0 ? [parameterRef(`${view.name}.include`)] : []
  if (place === 'row') return include
  const filters = filtersOf(view).map(([name]) => parameterRef(name))
  return [
    ...(view.totals ? [parameterRef(`${view.name}.by`)] : []),
    ...include,
    parameterRef(`${view.name}.limit`),
    parameterRef('cursor'),
    parameterRef(`${view.name}.sort`),
    ...(view.searched.size > 0 ? [parameterRef(`${view.name}.${searchParameter}`)] : []),
    ...(view.counted ? [parameterRef(`${view.name}.count`)] : []),
    ...filters,
    ...(view.eitherOr ? [parameterRef(`${view.name}.filter-or`)] : []),
  ]
}

export const parameterComponents = (version: Version, idempotencyHours: number): DocumentPart => {
  const made: { [name: string]: DocumentPart } = { cursor, ...headerComponents(idempotencyHours) }
  for (const view of version.views.values()) {
    made[`${view.name}.include`] = includeParameter(view)
    made[`${view.name}.limit`] = limitParameter(view)
    made[`${view.name}.sort`] = sortParameter(view)
    made[`${view.name}.${searchParameter}`] = searchParameterOf(view)
    made[`${view.name}.count`] = countParameter(view)
    if (view.totals) made[`${view.name}.by`] = byParameter(view, view.totals)
    if (view.eitherOr) made[`${view.name}.filter-or`] = eitherOrParameterOf(view)
    Object.assign(made, Object.fromEntries(filtersOf(view)))
  }
  return made
}

const cursor: DocumentPart = {
  name: 'cursor',
  in: 'query',
  description:
    'Where to go on: `page.next_cursor` of the page before, with the same `sort` and `filter`. Opaque, and bound to the account, the collection and the version.',
  // Characters that need no escape in a URL. The pattern does not say which of them a cursor uses.
  schema: { type: 'string', minLength: 1, pattern: '^[A-Za-z0-9._~-]+$' },
}

const headerComponents = (hours: number): { [name: string]: DocumentPart } => {
  const key: DocumentPart = {
    name: 'Idempotency-Key',
    in: 'header',
    description: `A unique value of your own, such as a UUID: 1 to 255 visible ASCII characters, bare or in double quotes. A retry with the same key and the same request within ${hours} hours gets the first response again, and nothing is created twice.`,
    schema: { type: 'string', pattern: idempotencyKeyPattern },
  }
  const match: DocumentPart = {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag of the version you saw: the call is refused (412) if the row has changed since.',
    schema: { type: 'string' },
  }
  return {
    'Idempotency-Key': { ...key, ...shownOnly('6f1d3c1e-7d5e-4a57-9a0e-2c1f6b1c9a10') },
    'Idempotency-Key-Required': { ...key, required: true },
    'If-Match': { ...match, ...shownOnly('"3.Xq2hVb0w"') },
    'If-Match-Required': { ...match, required: true },
    'If-None-Match': {
      name: 'If-None-Match',
      in: 'header',
      description: 'The ETag you have: the answer is 304 without a body if nothing changed.',
      schema: { type: 'string' },
      ...shownOnly('"3.Xq2hVb0w"'),
    },
  }
}

/** An example for display only: a reference page that can send requests must not prefill it. */
const shownOnly = (value: unknown): DocumentPart => ({ examples: { one: { value, 'x-disabled': true } } })

const commaList = { style: 'form', explode: false } as const

const includeParameter = (view: View): DocumentPart => ({
  name: 'include',
  in: 'query',
  description: `Relations to embed, joined with commas in one parameter: \`include=a,b.c\`; \`a.b\` brings \`a\` along. At most ${view.limits.includeRelations} a call, ${view.limits.includeDepth} deep.`,
  ...commaList,
  schema: { type: 'array', items: { type: 'string', enum: view.includePaths }, minItems: 1 },
})

const limitParameter = (view: View): DocumentPart => ({
  name: 'limit',
  in: 'query',
  description: `How many rows a page has at most. More than ${view.limits.pageMax} is lowered to ${view.limits.pageMax}.`,
  schema: { type: 'integer', minimum: 1, default: view.limits.pageDefault },
})

const sortParameter = (view: View): DocumentPart => {
  const names = [...new Set([...view.sorts, ...(view.totals ? [] : ['id'])])]
  const sorted = [...view.sorts].flatMap((name) => view.field.get(name) ?? [])
  return {
    name: 'sort',
    in: 'query',
    description: `The order, most important field first, joined with commas in one parameter; \`-\` reverses. Each field once. ${tieNote(view)}${scopeNote(sorted)}`,
    ...commaList,
    schema: {
      type: 'array',
      items: { type: 'string', enum: names.flatMap((name) => [name, `-${name}`]) },
      minItems: 1,
      maxItems: names.length,
      uniqueItems: true,
    },
  }
}

const tieNote = ({ totals }: View): string =>
  totals
    ? `Only \`${countMember}\` and the fields of \`by\`, in whose order groups are unless you say otherwise.`
    : 'Ties are broken by `id`, which is also the default: the order of creation.'

const byParameter = (view: View, { by, of }: TotalsView): DocumentPart => {
  const names = [...by.keys()]
  const fields = names.flatMap((name) => view.field.get(name) ?? [])
  return {
    name: 'by',
    in: 'query',
    description: `The fields that make the groups, joined with commas in one parameter. Rows of ${words(of().name)} with equal values are one group. Without it all rows together are one group. At most ${mostGroups} groups.${scopeNote(fields)}`,
    ...commaList,
    schema: {
      type: 'array',
      items: { type: 'string', enum: names },
      minItems: 1,
      maxItems: names.length,
      uniqueItems: true,
    },
  }
}

const searchParameterOf = (view: View): DocumentPart => ({
  name: searchParameter,
  in: 'query',
  description: `Rows in which every word is the beginning of a word of ${[...view.searched].map((name) => `\`${name}\``).join(' or ')}. Words are runs of letters and digits; case and accents do not matter. At most ${mostSearchedWords} words of ${longestSearchedWord} characters, and at least one.`,
  schema: { type: 'string', minLength: 1, pattern: withoutNul },
  ...shownOnly('ada lov'),
})

const countParameter = (view: View): DocumentPart => ({
  name: 'count',
  in: 'query',
  description: `\`true\` adds \`page.total\`: how many rows the filters find, counted up to ${view.limits.countRows.toLocaleString('en-US')}.`,
  schema: { type: 'boolean', enum: [true] },
})

/** Component name and parameter of every filter: `orders.filter.total.gte`. */
const filtersOf = (view: View): [string, DocumentPart][] =>
  [...view.filterOf.values()].flatMap(({ field }) =>
    operatorsFor(kinds[field.kind]).map((operator): [string, DocumentPart] => [
      // A dot stands before the operator, and no name of a field has a hyphen.
      `${view.name}.filter.${field.name.replaceAll('.', '-')}${operator === 'eq' ? '' : `.${operator}`}`,
      filterParameter(field, operator),
    ]),
  )

/** No style of OpenAPI writes objects within a list, so the names are told in words. */
const eitherOrParameterOf = (view: View): DocumentPart => {
  const [name = ''] = view.filters
  const fields = [...view.filterOf.values()].map(({ field }) => field)
  return {
    name: eitherOrParameter,
    in: 'query',
    description: `Alternatives, of which one must hold besides all other filters: \`${eitherOrParameter}[0][${name}]=…&${eitherOrParameter}[1][${fields.at(-1)?.name}]=…\`. At most ${mostAlternatives}, numbered from 0, with at most ${mostConditions} conditions each, all of which must hold. Fields and operators are those of the other filters.${scopeNote(fields)}`,
    style: 'deepObject',
    explode: true,
    schema: {
      type: 'array',
      minItems: 1,
      maxItems: mostAlternatives,
      items: {
        type: 'object',
        minProperties: 1,
        properties: Object.fromEntries(fields.map((field) => [field.name, filterSchema(field, 'eq')])),
        additionalProperties: false,
      },
    },
  }
}

const scopeNote = (fields: readonly ViewField[]): string =>
  fields
    .filter(({ needsScopes }) => needsScopes.length > 0)
    .map(({ name, needsScopes }) => ` \`${name}\` needs the scope ${scopesIn(needsScopes)}.`)
    .join('')

const filterParameter = (field: ViewField, operator: OperatorName): DocumentPart => {
  const { words: condition, takesList } = operators[operator]
  const one = filterSchema(field, operator)
  const [first] = field.schema.enum ?? []
  return {
    name: `filter[${field.name}]${operator === 'eq' ? '' : `[${operator}]`}`,
    in: 'query',
    description: `Rows whose \`${field.name}\` is ${condition}.${nullNote(field, operator)}${scopeNote([field])}`,
    ...requiredScopes(field),
    ...(takesList
      ? { ...commaList, schema: { type: 'array', items: one, minItems: 1 } }
      : { schema: one, ...(first === undefined ? {} : shownOnly(first)) }),
  }
}
