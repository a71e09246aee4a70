import type { JsonSchema } from '../../declare/json-schema.ts'

/** The members of a union, or the schema itself. Zod writes forms that differ in nothing but their type as a list of types. */
export const formsOf = (schema: JsonSchema): readonly JsonSchema[] => {
  const types = schema.type as JsonSchema['type'] | readonly NonNullable<JsonSchema['type']>[]
  if (schema.anyOf) return schema.anyOf
  return Array.isArray(types) ? types.map((type) => ({ ...schema, type })) : [schema]
}

export interface MatchedForms {
  readonly both: readonly (readonly [JsonSchema, JsonSchema])[]
  readonly gone: readonly JsonSchema[]
  readonly come: readonly JsonSchema[]
}

/**
 * Pairs the members of two unions, the least different first. `distance` is 0 for members that allow the same values.
 * A member that can correspond to no other one (another type, another discriminator) stays alone.
 */
export const matchForms = (
  before: readonly JsonSchema[],
  after: readonly JsonSchema[],
  distance: (from: JsonSchema, to: JsonSchema) => number,
): MatchedForms => {
  const candidates = before
    .flatMap((from) => after.filter((to) => areAkin(from, to)).map((to) => ({ from, to })))
    .map((pair) => ({ ...pair, distance: distance(pair.from, pair.to) }))
    .toSorted((one, other) => one.distance - other.distance)
  const both = new Map<JsonSchema, JsonSchema>()
  const taken = new Set<JsonSchema>()
  for (const { from, to } of candidates) {
    if (both.has(from) || taken.has(to)) continue
    both.set(from, to)
    taken.add(to)
  }
  return {
    both: [...both],
    gone: before.filter((form) => !both.has(form)),
    come: after.filter((form) => !taken.has(form)),
  }
}

/** Of one type; objects also of one discriminator: a key that both fix must not be fixed to different values. */
const areAkin = (from: JsonSchema, to: JsonSchema): boolean => {
  if (kindOf(from) !== kindOf(to)) return false
  return Object.entries(from.properties ?? {}).every(([name, one]) => {
    const other = to.properties?.[name]
    return one.const === undefined || other?.const === undefined || one.const === other.const
  })
}

const kindOf = ({ type }: JsonSchema): string => (type === 'integer' ? 'number' : (type ?? 'any'))
