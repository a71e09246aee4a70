import type { ContractField, ContractResource } from '../../compile/contract-format.ts'
import { sameJson } from '../../compile/schemas/canonical.ts'
import { compareSchemas } from '../../compile/schemas/schema-difference.ts'
import type { SchemaDifference, SchemaVerdict } from '../../compile/schemas/schema-verdict.ts'
import {
  additive,
  breaking,
  type Difference,
  type Differences,
  matched,
  type Say,
  sayAt,
} from './difference.ts'

/** A field that is both sent and returned is judged in both directions, and breaking wins. */
export const compareFields = (
  resource: string,
  from: ContractResource['fields'],
  to: ContractResource['fields'],
): Differences => {
  const { both, gone, come } = matched(from, to)
  return [
    ...gone.map((name) =>
      sayOfField(resource, name, from, to)(breaking, 'field was removed', 'field removed'),
    ),
    ...come.map((name) => addedField(sayOfField(resource, name, from, to), to[name])),
    ...both.flatMap(([name, before, after]) =>
      compareField(sayOfField(resource, name, from, to), before, after),
    ),
  ]
}

const sayOfField = (
  resource: string,
  name: string,
  from: ContractResource['fields'],
  to: ContractResource['fields'],
): Say => sayAt('field', `${resource}.${name}`, { resource, name, from: from[name], to: to[name] })

const addedField = (say: Say, field: ContractField | undefined): Difference =>
  field?.request?.required
    ? say(breaking, 'required request field was added', 'required field added')
    : say(additive, field?.request ? 'optional field was added' : 'response field was added', 'field added')

const compareField = (say: Say, from: ContractField, to: ContractField): Differences => [
  ...compareDirections(say, from, to),
  ...compareRequests(say, from.request, to.request),
  ...compareResponses(say, from.response, to.response),
  ...compareValues(say, from, to),
  ...compareStates(say, from.states, to.states),
  ...compareScopes(say, from.needs_scopes ?? [], to.needs_scopes ?? []),
  ...(from.sum === undefined || to.sum === undefined || from.sum === to.sum
    ? []
    : [say(breaking, `adds up ${to.sum} in place of ${from.sum}`, 'sum')]),
  ...(from.reference === to.reference || from.reference === undefined
    ? []
    : [
        say(
          breaking,
          `names a row of ${to.reference ?? 'nothing'} in place of ${from.reference}`,
          'reference',
        ),
      ]),
]

export const fieldScope = 'field scope'

/** A scope that is newly needed hides the field from callers that saw it; one that is not needed any more shows it to others too. */
const compareScopes = (say: Say, from: readonly string[], to: readonly string[]): Differences => {
  const [before, after] = [new Set(from), new Set(to)]
  const [come, gone] = [[...after.difference(before)], [...before.difference(after)]]
  if (come.length > 0) return [say(breaking, `now needs the scope ${come.join(' and ')}`, fieldScope)]
  return gone.length > 0 ? [say(additive, `no longer needs the scope ${gone.join(' and ')}`, fieldScope)] : []
}

const compareDirections = (say: Say, from: ContractField, to: ContractField): Differences => {
  const found: Difference[] = []
  if (from.request && !to.request) found.push(say(breaking, 'became read-only', 'read-only'))
  if (!from.request && to.request) {
    const must = to.request.required
    found.push(say(must ? breaking : additive, must ? 'must now be sent' : 'may now be sent', 'writable'))
  }
  if (from.response && !to.response) found.push(say(breaking, 'is no longer shown', 'write-only'))
  if (!from.response && to.response) found.push(say(additive, 'is now shown', 'shown'))
  return found
}

const compareRequests = (
  say: Say,
  from: ContractField['request'],
  to: ContractField['request'],
): Differences => {
  if (!from || !to) return []
  const found: Difference[] = []
  if (to.required && !from.required) found.push(say(breaking, 'became required', 'required'))
  if (!to.required && from.required) found.push(say(additive, 'became optional in requests', 'optional'))
  if (to.nullable && !from.nullable) found.push(say(additive, 'may be null in requests', 'nullable'))
  // A field that became required was reported above; that it cannot be null belongs to that.
  if (!to.nullable && from.nullable && to.required === from.required)
    found.push(say(breaking, 'may no longer be null in requests', 'not nullable'))
  if (to.immutable && !from.immutable) found.push(say(breaking, 'can no longer be changed', 'immutable'))
  if (!to.immutable && from.immutable) found.push(say(additive, 'can now be changed', 'mutable'))
  return [...found, ...compareDefaults(say, from, to)]
}

type Request = NonNullable<ContractField['request']>

const compareDefaults = (say: Say, from: Request, to: Request): Differences => {
  if (from.required || to.required || sameJson(from.default, to.default)) return []
  const [before, after] = [from.default, to.default].map((value) => JSON.stringify(value))
  if (before === undefined) return [say(breaking, `default ${after} is newly serialised`, 'default')]
  if (after === undefined) return [say(breaking, `default ${before} was dropped`, 'default')]
  return [say(breaking, `default ${before} became ${after}`, 'default')]
}

const compareResponses = (
  say: Say,
  from: ContractField['response'],
  to: ContractField['response'],
): Differences => {
  if (!from || !to) return []
  const found: Difference[] = []
  if (to.nullable && !from.nullable)
    found.push(say(breaking, 'became nullable in responses', 'shown nullable'))
  if (!to.nullable && from.nullable) found.push(say(additive, 'is never null in responses', 'never null'))
  if (to.open && !from.open) found.push(say(breaking, 'may show values that are not listed', 'opened'))
  if (!to.open && from.open) found.push(say(additive, 'shows only listed values', 'closed'))
  return found
}

/** One difference per change of values, for requests and responses together. */
const compareValues = (say: Say, from: ContractField, to: ContractField): Differences => {
  const sent = from.request && to.request ? compareSchemas(from.request.schema, to.request.schema) : []
  const shown = from.response && to.response ? compareSchemas(from.response.schema, to.response.schema) : []
  const open = from.response?.open === true
  const all = new Map<string, { one: SchemaDifference; verdict: SchemaVerdict }>()
  const judge = (one: SchemaDifference, verdict: SchemaVerdict): void => {
    const key = `${one.at} ${one.what}`
    if (all.get(key)?.verdict !== 'breaking') all.set(key, { one, verdict })
  }
  for (const one of sent) judge(one, one.request)
  for (const one of shown) judge(one, open && one.listed?.kind === 'value added' ? additive : one.response)
  return [...all.values()].map(({ one, verdict }) => {
    const at = one.at === '' ? '' : `${one.at}: `
    const what = `${at}${one.what}`
    const { listed } = one
    if (listed?.kind === 'key added') return say(verdict, what, 'key added')
    if (!listed || one.at !== '') return say(verdict, what, 'type')
    const is = listed.kind === 'value added' ? 'added' : 'removed'
    return say(verdict, what, 'values', { value: { name: String(listed.value), is } })
  })
}

const compareStates = (say: Say, from: ContractField['states'], to: ContractField['states']): Differences => {
  if (!from && !to) return []
  if (!from) return [say(breaking, 'can now only move along declared moves', 'states')]
  if (!to) return [say(additive, 'can be set to any value', 'states')]
  const found: Difference[] = []
  if (from.initial !== to.initial) {
    found.push(say(breaking, `first state ${from.initial} became ${to.initial}`, 'initial state'))
  }
  for (const move of movesOnlyIn(from, to))
    found.push(say(breaking, `move ${move.from} → ${move.to} was removed`, 'moves', { move }))
  for (const move of movesOnlyIn(to, from))
    found.push(say(additive, `move ${move.from} → ${move.to} was added`, 'moves', { move }))
  return found
}

type States = NonNullable<ContractField['states']>

const movesOnlyIn = (some: States, others: States): readonly { from: string; to: string }[] =>
  Object.entries(some.moves).flatMap(([from, next]) =>
    [...new Set(next)].filter((to) => !others.moves[from]?.includes(to)).map((to) => ({ from, to })),
  )
