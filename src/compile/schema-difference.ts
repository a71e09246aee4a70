import type { JsonSchema } from '../declare/json-schema.ts'
import { sameJson } from './canonical.ts'
import { integersAmong } from './integer-schema.ts'
import { withoutOrder } from './order.ts'

export type Verdict = 'additive' | 'breaking'

/** One way in which the values a schema allows changed, judged for what consumers send and for what they are shown. */
export interface SchemaDifference {
  /** A path within the value: empty for the value itself. */
  readonly at: string
  readonly what: string
  readonly request: Verdict
  readonly response: Verdict
  /** A listed value: readers of an open field were told to expect it. A key of a closed object: nothing can hide it. */
  readonly added: 'value' | 'key' | null
}

type Found = readonly SchemaDifference[]
interface Judged {
  readonly request: Verdict
  readonly response: Verdict
}

/** More values are allowed: senders lose nothing, readers meet something new. */
const wider: Judged = { request: 'additive', response: 'breaking' }
/** Fewer values are allowed: senders are refused, readers lose nothing. */
const narrower: Judged = { request: 'breaking', response: 'additive' }
const broken: Judged = { request: 'breaking', response: 'breaking' }
const harmless: Judged = { request: 'additive', response: 'additive' }

const one = (at: string, what: string, judged: Judged, added: SchemaDifference['added'] = null): Found => [
  { at, what, ...judged, added },
]

export const compareSchemas = (from: JsonSchema, to: JsonSchema, at = ''): Found => {
  if ([from, to].some(({ anyOf, type }) => anyOf || Array.isArray(type))) return compareForms(from, to, at)
  if (from.type !== to.type) return compareTypes(from, to, at)
  const [before, after] = from.type === 'integer' ? integersAmong(from, to) : [from, to]
  return [
    ...compareValues(from, to, at),
    ...compareFormats(from, to, at),
    ...comparePatterns(from, to, at),
    ...compareBounds(before, after, at),
    ...compareSteps(before, after, at),
    ...compareArrays(from, to, at),
    ...compareObjects(from, to, at),
  ]
}

const compareTypes = (from: JsonSchema, to: JsonSchema, at: string): Found => {
  const what = `type ${from.type ?? 'any'} became ${to.type ?? 'any'}`
  if (from.type === 'integer' && to.type === 'number') {
    return [...one(at, `${what} (widened)`, wider), ...compareNumbers(from, to, at, wider)]
  }
  if (from.type === 'number' && to.type === 'integer') {
    return [...one(at, `${what} (narrowed)`, narrower), ...compareNumbers(from, to, at, narrower)]
  }
  if (to.type === undefined) return one(at, `${what} (widened)`, wider)
  return from.type === undefined ? one(at, `${what} (narrowed)`, narrower) : one(at, what, broken)
}

/** What else changed between whole numbers and any, but for what goes the way of the type and is told by it. */
const compareNumbers = (from: JsonSchema, to: JsonSchema, at: string, type: Judged): Found => {
  const [before, after] = integersAmong(from, to)
  const found = [
    ...compareValues(from, to, at),
    ...compareBounds(before, after, at),
    ...compareSteps(before, after, at),
  ]
  return found.filter(({ request, response }) => request !== type.request || response !== type.response)
}

/** Zod writes forms that differ in nothing but their type as a list of types. */
const formsOf = (schema: JsonSchema): readonly JsonSchema[] => {
  const types = schema.type as JsonSchema['type'] | readonly NonNullable<JsonSchema['type']>[]
  if (schema.anyOf) return schema.anyOf
  return Array.isArray(types) ? types.map((type) => ({ ...schema, type })) : [schema]
}

const compareForms = (from: JsonSchema, to: JsonSchema, at: string): Found => {
  const texts = (schema: JsonSchema) => new Set(formsOf(schema).map(withoutOrder))
  const [before, after] = [texts(from), texts(to)]
  const come = [...after.difference(before)].join(', ')
  const gone = [...before.difference(after)].join(', ')
  return [
    ...(come === '' ? [] : one(at, `the form ${come} was added (type widened)`, wider)),
    ...(gone === '' ? [] : one(at, `the form ${gone} was removed (type narrowed)`, narrower)),
  ]
}

const listed = (schema: JsonSchema): readonly string[] | null => {
  if (schema.const !== undefined) return [JSON.stringify(schema.const)]
  return schema.enum ? schema.enum.map((value) => JSON.stringify(value)) : null
}

const compareValues = (from: JsonSchema, to: JsonSchema, at: string): Found => {
  const [before, after] = [listed(from), listed(to)]
  if (before === null && after === null) return []
  if (before === null) return one(at, `became one of ${after?.join(', ')} (type narrowed)`, narrower)
  if (after === null) return one(at, 'is no longer one of listed values (type widened)', wider)
  const come = after.filter((value) => !before.includes(value))
  const gone = before.filter((value) => !after.includes(value))
  return [
    ...come.flatMap((value) => one(at, `value ${value} was added`, wider, 'value')),
    ...gone.flatMap((value) => one(at, `value ${value} was removed`, narrower)),
  ]
}

const compareFormats = (from: JsonSchema, to: JsonSchema, at: string): Found =>
  from.format === to.format
    ? []
    : one(at, `format ${from.format ?? 'none'} became ${to.format ?? 'none'}`, broken)

const comparePatterns = (from: JsonSchema, to: JsonSchema, at: string): Found => {
  if (from.pattern === to.pattern) return []
  if (from.pattern === undefined) return one(at, `pattern ${to.pattern} was newly set`, narrower)
  if (to.pattern === undefined) return one(at, `pattern ${from.pattern} was dropped`, wider)
  return one(at, `pattern ${from.pattern} became ${to.pattern}`, broken)
}

const none = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY }

const compareBounds = (from: JsonSchema, to: JsonSchema, at: string): Found => [
  ...(['minLength', 'minItems'] as const).flatMap((name) =>
    compareEdges({ name, at: from[name] ?? 0 }, { name, at: to[name] ?? 0 }, at, 0),
  ),
  ...compareEdges(lowerEdge(from), lowerEdge(to), at, none.least),
  ...(['maxLength', 'maxItems'] as const).flatMap((name) =>
    compareEdges({ name, at: from[name] ?? none.most }, { name, at: to[name] ?? none.most }, at, none.most),
  ),
  ...compareEdges(upperEdge(from), upperEdge(to), at, none.most),
]

/** Where the values of a schema end. */
interface Edge {
  readonly name: string
  readonly at: number
  /** The value itself is no longer one of them. */
  readonly beyond?: true
}

const lowerEdge = ({ minimum = none.least, exclusiveMinimum = none.least }: JsonSchema): Edge =>
  exclusiveMinimum >= minimum && exclusiveMinimum > none.least
    ? { name: 'exclusiveMinimum', at: exclusiveMinimum, beyond: true }
    : { name: 'minimum', at: minimum }

const upperEdge = ({ maximum = none.most, exclusiveMaximum = none.most }: JsonSchema): Edge =>
  exclusiveMaximum <= maximum && exclusiveMaximum < none.most
    ? { name: 'exclusiveMaximum', at: exclusiveMaximum, beyond: true }
    : { name: 'maximum', at: maximum }

const compareEdges = (from: Edge, to: Edge, at: string, nothing: number): Found => {
  if (from.at === to.at && from.beyond === to.beyond) return []
  const show = (edge: Edge) => (edge.at === nothing ? 'none' : edge.at)
  const outward = nothing === none.most ? to.at > from.at : to.at < from.at
  const relaxed = outward || (to.at === from.at && from.beyond === true)
  const became = from.name === to.name ? show(to) : `${to.name} ${show(to)}`
  return one(at, `${from.name} ${show(from)} became ${became}`, relaxed ? wider : narrower)
}

const compareSteps = (
  { multipleOf: from }: JsonSchema,
  { multipleOf: to }: JsonSchema,
  at: string,
): Found => {
  if (from === to) return []
  const what = `multipleOf ${from ?? 'none'} became ${to ?? 'none'}`
  if (to === undefined || (from !== undefined && Number.isInteger(from / to))) return one(at, what, wider)
  const shrank = from === undefined || Number.isInteger(to / from)
  return one(at, what, shrank ? narrower : broken)
}

const compareArrays = (from: JsonSchema, to: JsonSchema, at: string): Found => {
  const items = from.items || to.items ? compareSchemas(from.items ?? {}, to.items ?? {}, `${at}[]`) : []
  const [before, after] = [from.prefixItems ?? [], to.prefixItems ?? []]
  if (before.length !== after.length) {
    return [...items, ...one(at, `${before.length} places became ${after.length}`, broken)]
  }
  const places = before.flatMap((item, place) => compareSchemas(item, after[place] ?? {}, `${at}[${place}]`))
  return [...items, ...places]
}

const compareObjects = (from: JsonSchema, to: JsonSchema, at: string): Found => {
  const names = new Set([...Object.keys(from.properties ?? {}), ...Object.keys(to.properties ?? {})])
  return [
    ...[...names].flatMap((name) => compareProperty(name, from, to, at)),
    ...compareOthers(from, to, at),
  ]
}

const compareProperty = (name: string, from: JsonSchema, to: JsonSchema, at: string): Found => {
  const [before, after] = [from.properties?.[name], to.properties?.[name]]
  const [must, had] = [to.required?.includes(name) ?? false, from.required?.includes(name) ?? false]
  const where = at === '' ? name : `${at}.${name}`
  if (!after) return one(where, 'was removed', broken)
  if (!before) return addedProperty(where, from.additionalProperties ?? true, after, must)
  const values = compareSchemas(before, after, where)
  if (must === had) return values
  return [...values, ...one(where, must ? 'became required' : 'became optional', must ? narrower : wider)]
}

/** Where other keys were possible, it could already be sent and shown, as one of them. */
const addedProperty = (
  where: string,
  others: boolean | JsonSchema,
  property: JsonSchema,
  must: boolean,
): Found => {
  const what = must ? 'was added and is required' : 'was added'
  const judged = must ? narrower : harmless
  if (others === false) return one(where, what, judged, 'key')
  return [...one(where, what, judged), ...compareSchemas(others === true ? {} : others, property, where)]
}

const compareOthers = (from: JsonSchema, to: JsonSchema, at: string): Found => {
  const [before, after] = [from.additionalProperties ?? true, to.additionalProperties ?? true]
  const keys =
    withoutOrder(from.propertyNames ?? {}) === withoutOrder(to.propertyNames ?? {})
      ? []
      : one(at, 'the rule for keys changed', broken)
  if (typeof before === 'object' && typeof after === 'object') {
    return [...keys, ...compareSchemas(before, after, `${at}{}`)]
  }
  if (sameJson(before, after)) return keys
  const grew = before === false || after === true
  const what = grew ? 'other keys became possible' : 'other keys became limited'
  return [...keys, ...one(at, what, grew ? wider : narrower, before === false ? 'key' : null)]
}
