import type { JsonSchema } from '../../declare/json-schema.ts'
import { sameJson } from './canonical.ts'
import { integersAmong } from './integer-schema.ts'
import { withoutOrder } from './order.ts'
import { formsOf, matchForms } from './schema-forms.ts'
import {
  compareBounds,
  compareFormats,
  comparePatterns,
  compareRewrites,
  compareSteps,
  compareValues,
} from './schema-scalars.ts'
import {
  broken,
  differenceAt,
  harmless,
  type Judged,
  narrower,
  type SchemaDifferences,
  wider,
} from './schema-verdict.ts'

export const compareSchemas = (from: JsonSchema, to: JsonSchema, at = ''): SchemaDifferences => {
  if ([from, to].some(({ anyOf, type }) => anyOf || Array.isArray(type))) return compareForms(from, to, at)
  if (from.type !== to.type) return compareTypes(from, to, at)
  const [before, after] = from.type === 'integer' ? integersAmong(from, to) : [from, to]
  return [
    ...compareValues(from, to, at),
    ...compareFormats(from, to, at),
    ...comparePatterns(from, to, at),
    ...compareRewrites(from, to, at),
    ...compareBounds(before, after, at),
    ...compareSteps(before, after, at),
    ...compareArrays(from, to, at),
    ...compareObjects(from, to, at),
  ]
}

const compareTypes = (from: JsonSchema, to: JsonSchema, at: string): SchemaDifferences => {
  const what = `type ${from.type ?? 'any'} became ${to.type ?? 'any'}`
  if (from.type === 'integer' && to.type === 'number') {
    return [...differenceAt(at, `${what} (widened)`, wider), ...compareNumbers(from, to, at, wider)]
  }
  if (from.type === 'number' && to.type === 'integer') {
    return [...differenceAt(at, `${what} (narrowed)`, narrower), ...compareNumbers(from, to, at, narrower)]
  }
  if (to.type === undefined) return differenceAt(at, `${what} (widened)`, wider)
  return from.type === undefined
    ? differenceAt(at, `${what} (narrowed)`, narrower)
    : differenceAt(at, what, broken)
}

/** The other differences between an integer and a number schema, without those that follow from the type. */
const compareNumbers = (from: JsonSchema, to: JsonSchema, at: string, type: Judged): SchemaDifferences => {
  const [before, after] = integersAmong(from, to)
  const found = [
    ...compareValues(from, to, at),
    ...compareBounds(before, after, at),
    ...compareSteps(before, after, at),
  ]
  return found.filter(({ request, response }) => request !== type.request || response !== type.response)
}

const compareForms = (from: JsonSchema, to: JsonSchema, at: string): SchemaDifferences => {
  const distance = (one: JsonSchema, other: JsonSchema) => {
    const found = compareSchemas(one, other)
    return found.length + found.filter(({ request, response }) => request === response).length
  }
  const { both, gone, come } = matchForms(formsOf(from), formsOf(to), distance)
  const texts = (forms: readonly JsonSchema[]) => forms.map(withoutOrder).join(', ')
  return [
    ...both.flatMap(([before, after]) => compareSchemas(before, after, at)),
    ...(come.length === 0 ? [] : differenceAt(at, `the form ${texts(come)} was added (type widened)`, wider)),
    ...(gone.length === 0
      ? []
      : differenceAt(at, `the form ${texts(gone)} was removed (type narrowed)`, narrower)),
  ]
}

const compareArrays = (from: JsonSchema, to: JsonSchema, at: string): SchemaDifferences => {
  const items = from.items || to.items ? compareSchemas(from.items ?? {}, to.items ?? {}, `${at}[]`) : []
  const [before, after] = [from.prefixItems ?? [], to.prefixItems ?? []]
  if (before.length !== after.length) {
    return [...items, ...differenceAt(at, `${before.length} places became ${after.length}`, broken)]
  }
  const places = before.flatMap((item, place) => compareSchemas(item, after[place] ?? {}, `${at}[${place}]`))
  return [...items, ...places]
}

const compareObjects = (older: JsonSchema, newer: JsonSchema, at: string): SchemaDifferences => {
  const [from, to] = [withListedKeys(older), withListedKeys(newer)]
  const names = new Set(
    [from, to].flatMap(({ properties, required }) => [...Object.keys(properties ?? {}), ...(required ?? [])]),
  )
  return [
    ...[...names].flatMap((name) => compareProperty(name, from, to, at)),
    ...compareOthers(from, to, at),
  ]
}

/** A record whose keys are listed has these keys and no other, as an object has its properties. */
const withListedKeys = (schema: JsonSchema): JsonSchema => {
  const { propertyNames, additionalProperties: others = true, ...rest } = schema
  if (!propertyNames?.enum || others === false) return schema
  const listed = propertyNames.enum.map((name) => [String(name), others === true ? {} : others])
  return {
    ...rest,
    properties: { ...Object.fromEntries(listed), ...schema.properties },
    additionalProperties: false,
    propertyNames,
  }
}

const compareProperty = (name: string, from: JsonSchema, to: JsonSchema, at: string): SchemaDifferences => {
  const [before, after] = [from.properties?.[name], propertyOf(to, name)]
  const [must, had] = [to.required?.includes(name) ?? false, from.required?.includes(name) ?? false]
  const where = at === '' ? name : `${at}.${name}`
  if (!after) return differenceAt(where, 'was removed', broken)
  if (!before) return addedProperty(where, from, after, must)
  const values = compareSchemas(before, after, where)
  if (must === had) return values
  return [
    ...values,
    ...differenceAt(where, must ? 'became required' : 'became optional', must ? narrower : wider),
  ]
}

/** A key without a name of its own is one of the other keys, where there is no rule for those. */
const propertyOf = (schema: JsonSchema, name: string): JsonSchema | undefined => {
  const { properties, additionalProperties: others = true, propertyNames } = schema
  if (properties?.[name] || others === false || propertyNames) return properties?.[name]
  return others === true ? {} : others
}

/** Where other keys were possible, it could already be sent and shown, as one of them. */
const addedProperty = (
  where: string,
  from: JsonSchema,
  property: JsonSchema,
  must: boolean,
): SchemaDifferences => {
  const others = from.additionalProperties ?? true
  const what = must ? 'was added and is required' : 'was added'
  // Readers of a record know every key that it can have.
  if (from.propertyNames) return differenceAt(where, what, must ? broken : wider, { kind: 'key added' })
  const judged = must ? narrower : harmless
  if (others === false) return differenceAt(where, what, judged, { kind: 'key added' })
  return [
    ...differenceAt(where, what, judged),
    ...compareSchemas(others === true ? {} : others, property, where),
  ]
}

const compareOthers = (from: JsonSchema, to: JsonSchema, at: string): SchemaDifferences => {
  const [before, after] = [from.additionalProperties ?? true, to.additionalProperties ?? true]
  const hasKeys = before !== false && after !== false && !sameJson(from.propertyNames, to.propertyNames)
  const keys = hasKeys ? compareKeys(from.propertyNames, to.propertyNames, at) : []
  if (typeof before === 'object' && typeof after === 'object')
    return [...keys, ...compareSchemas(before, after, `${at}{}`)]
  if (sameJson(before, after)) return keys
  const grew = before === false || after === true
  const what = grew ? 'other keys became possible' : 'other keys became limited'
  return [
    ...keys,
    ...differenceAt(at, what, grew ? wider : narrower, before === false ? { kind: 'key added' } : null),
  ]
}

const anyKey: JsonSchema = { type: 'string' }

const compareKeys = (from: JsonSchema = anyKey, to: JsonSchema = anyKey, at: string): SchemaDifferences =>
  compareSchemas(from, to).map((found) => ({
    ...found,
    at,
    what: `the rule for keys: ${found.what}`,
    listed: null,
  }))
