import type { ViewField } from '../../compile/model.ts'
import type { JsonSchema } from '../../declare/json-schema.ts'
import type { CheckedSchema } from '../../kinds/kind.ts'
import { stringFormats } from '../../kinds/kinds.ts'
import { withoutNul } from '../../kinds/text-patterns.ts'
import { codecRules } from './codec-rules.ts'

/** The schema of a value that a request sends, with the checks that the server adds to the field's own schema. */
export const checkedSchema = (field: ViewField): CheckedSchema => {
  const { codec, schema } = field
  const { pattern, minimum = -Infinity, maximum = Infinity } = codec ? codecRules[codec] : {}
  return withChecks({
    ...schema,
    ...(pattern === undefined ? {} : { pattern: schema.pattern ?? pattern }),
    ...(minimum === -Infinity ? {} : { minimum: Math.max(schema.minimum ?? minimum, minimum) }),
    ...(maximum === Infinity ? {} : { maximum: Math.min(schema.maximum ?? maximum, maximum) }),
  })
}

const withChecks = (schema: JsonSchema): CheckedSchema => {
  const { anyOf, items, prefixItems, properties, additionalProperties } = schema
  return {
    ...schema,
    ...stringChecks(schema),
    ...numberChecks(schema),
    ...(anyOf ? { anyOf: anyOf.map(withChecks) } : {}),
    ...(items ? { items: withChecks(items) } : {}),
    ...(prefixItems ? { prefixItems: prefixItems.map(withChecks) } : {}),
    ...(properties ? { properties: eachWithChecks(properties) } : {}),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: withChecks(additionalProperties) }
      : {}),
  }
}

const eachWithChecks = (properties: NonNullable<JsonSchema['properties']>) =>
  Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, withChecks(one)]))

/** A declared pattern stays as it is: a schema can have only one pattern. */
const stringChecks = (schema: JsonSchema): CheckedSchema => {
  const { type, format, enum: values, const: only, pattern } = schema
  if (type !== 'string' || values || only !== undefined) return {}
  if (format !== undefined) return stringFormats[format]?.checks(schema) ?? {}
  return pattern === undefined ? { pattern: withoutNul } : {}
}

/** Beyond these bounds a JSON number is an integer that a double cannot hold exactly. */
const numberChecks = ({ type, enum: values, const: only, minimum, maximum }: JsonSchema): JsonSchema => {
  if ((type !== 'number' && type !== 'integer') || values || only !== undefined) return {}
  return {
    minimum: Math.max(minimum ?? -Infinity, -Number.MAX_SAFE_INTEGER),
    maximum: Math.min(maximum ?? Infinity, Number.MAX_SAFE_INTEGER),
  }
}
