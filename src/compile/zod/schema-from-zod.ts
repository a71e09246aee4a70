import { z } from 'zod'
import type { JsonSchema } from '../../declare/json-schema.ts'
import { stringFormats } from '../../kinds/kinds.ts'
import { isJsonObject } from '../schemas/canonical.ts'
import { defOf } from './def.ts'
import { formatOf, patternsOf, rewritesAskedBy } from './strings.ts'

const known = new Set([
  'type',
  'enum',
  'const',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'required',
  'x-rewrite',
  'description',
  'examples',
])

type Raw = { readonly [key: string]: unknown }
type Part = { [key: string]: unknown }

/** JSON Schema (2020-12) of a Zod schema that has no refused parts. */
export const jsonSchemaOf = (schema: z.ZodType): JsonSchema =>
  clean(
    z.toJSONSchema(schema, {
      io: 'output',
      metadata: withoutIds(),
      override: ({ zodSchema, jsonSchema }) =>
        describeString(zodSchema as unknown as z.ZodType, jsonSchema as Part),
    }) as Raw,
  )

/** Zod repeats a format as a long pattern, and omits the format where there is a pattern too. */
const describeString = (schema: z.ZodType, out: Part): void => {
  if (out.type !== 'string' || defOf(schema).type !== 'string') return
  delete out.allOf
  delete out.pattern
  delete out.format
  const format = formatOf(schema)
  const [pattern] = patternsOf(schema)
  if (format !== undefined) out.format = format
  if (pattern !== undefined) out.pattern = pattern.source
  const rewrites = rewritesAskedBy(schema)
  if (rewrites.length > 0) out['x-rewrite'] = rewrites
}

/** A schema with an `id` would become a `$ref`; fields are described in place. */
const withoutIds = () => {
  const registry = z.registry<z.GlobalMeta>()
  registry.get = (schema) => {
    const { id: _, ...rest } = z.globalRegistry.get(schema) ?? {}
    return rest as never
  }
  return registry
}

const clean = (raw: Raw): JsonSchema => {
  // Zod writes forms that differ in nothing but their type as a list of types. Here each is a form of its own.
  if (Array.isArray(raw.type)) {
    const { type: types, description, ...rest } = raw
    const forms = (types as readonly string[]).map((type) => clean({ ...rest, type }))
    return { ...(description === undefined ? {} : { description: String(description) }), anyOf: forms }
  }
  const out: Part = {}
  const own: readonly string[] = stringFormats[String(raw.format)]?.keywords ?? []
  for (const [key, value] of Object.entries(raw)) if (known.has(key) || own.includes(key)) out[key] = value
  if (raw.type === 'integer') capInteger(out)
  if (isJsonObject(raw.items)) out.items = clean(raw.items)
  if (Array.isArray(raw.prefixItems)) out.prefixItems = raw.prefixItems.map(clean)
  if (isJsonObject(raw.properties))
    out.properties = Object.fromEntries(
      Object.entries(raw.properties).map(([name, child]) => [name, clean(child as Raw)]),
    )
  if (raw.additionalProperties === false) out.additionalProperties = false
  if (isJsonObject(raw.additionalProperties)) out.additionalProperties = clean(raw.additionalProperties)
  // Every key of a JSON object is a string: that restriction is redundant.
  if (isJsonObject(raw.propertyNames) && Object.keys(raw.propertyNames).length > 1)
    out.propertyNames = clean(raw.propertyNames)
  const choices = raw.anyOf ?? raw.oneOf
  if (Array.isArray(choices)) out.anyOf = choices.map(clean)
  return out as JsonSchema
}

const safe = Number.MAX_SAFE_INTEGER

const capInteger = (out: Part): void => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = out
  if (typeof exclusiveMinimum === 'number' && Number.isInteger(exclusiveMinimum)) {
    out.minimum = exclusiveMinimum + 1
    delete out.exclusiveMinimum
  } else out.minimum = typeof minimum === 'number' ? Math.max(minimum, -safe) : -safe
  if (typeof exclusiveMaximum === 'number' && Number.isInteger(exclusiveMaximum)) {
    out.maximum = exclusiveMaximum - 1
    delete out.exclusiveMaximum
  } else out.maximum = typeof maximum === 'number' ? Math.min(maximum, safe) : safe
}
