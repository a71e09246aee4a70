import type { JsonSchema } from '../../declare/json-schema.ts'

/** The TypeScript type of values of a schema. */
export const typeOf = (schema: JsonSchema, list = ''): string => {
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)))
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.anyOf) return union(schema.anyOf.map((one) => typeOf(one, list)))
  if (schema.prefixItems) return `${list}[${schema.prefixItems.map((one) => typeOf(one, list)).join(', ')}]`
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return `${list}${inList(typeOf(schema.items ?? {}, list))}[]`
    case 'object':
      return objectType(schema, (one) => typeOf(one, list))
    case undefined:
      return 'unknown'
    default:
      return String(schema.type)
  }
}

/** The type of a value that is sent: lists may be read-only. */
export const sentType = (schema: JsonSchema): string => typeOf(schema, 'readonly ')

/** The type of a merge patch (RFC 7396): an object has only the members that change, and `null` removes one. */
export const patchType = (schema: JsonSchema): string =>
  schema.type === 'object'
    ? objectType({ ...schema, required: [] }, (one) => union([patchType(one), 'null']))
    : sentType(schema)

export const union = (types: readonly string[]): string => [...new Set(types)].join(' | ')

const inList = (type: string): string => (/[|&]|^readonly /.test(type) ? `(${type})` : type)

const objectType = (
  { properties = {}, required = [], additionalProperties: others }: JsonSchema,
  inner: (schema: JsonSchema) => string,
): string => {
  const members = Object.entries(properties).map(([name, schema]) =>
    required.includes(name)
      ? `${quotedMember(name)}: ${inner(schema)}`
      : `${quotedMember(name)}?: ${union([inner(schema), 'undefined'])}`,
  )
  // Members that are not declared are of one type in TypeScript, which the declared ones must have as well: beside those, it is any type.
  const other = members.length === 0 && typeof others === 'object' ? inner(others) : 'unknown'
  const rest = others ? [`[name: string]: ${other}`] : []
  const all = [...members, ...rest]
  return all.length === 0 ? '{ [name: string]: unknown }' : `{ ${all.join('; ')} }`
}

export const quotedMember = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
