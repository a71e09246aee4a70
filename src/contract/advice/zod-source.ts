import type { ContractField } from '../../compile/contract-format.ts'
import type { JsonSchema } from '../../declare/json-schema.ts'
import { stringFormats } from '../../kinds/kinds.ts'

/** A value as source code, strings in single quotes. */
export const inSource = (value: unknown): string => {
  const text = JSON.stringify(value)
  if (typeof value !== 'string') return text
  return `'${text.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** A key of an object as source code. */
export const keyed = (name: string): string => (/^[a-z_$][\w$]*$/i.test(name) ? name : inSource(name))

/** The Zod source code of a field; close enough to start from. */
export const zodFor = ({ request, response, needs_scopes = [] }: ContractField): string => {
  const { schema = {}, nullable = false } = request ?? response ?? {}
  const fallback = request?.default === undefined ? '' : `.default(${inSource(request.default)})`
  const absent = !nullable ? '' : fallback !== '' || request?.required ? '.nullable()' : '.optional()'
  const marks = [
    ...(request ? [] : ['readOnly']),
    ...(response ? [] : ['writeOnly']),
    ...(request?.immutable ? ['immutable'] : []),
    ...(response?.open ? ['open'] : []),
  ]
  const marked = marks.reduce((inner, mark) => `${mark}(${inner})`, `${zodOf(schema)}${absent}${fallback}`)
  return needs_scopes.reduce((inner, scope) => `needsScope(${inSource(scope)}, ${inner})`, marked)
}

const zodOf = (schema: JsonSchema): string => {
  if (schema.enum) return `z.enum([${schema.enum.map(inSource).join(', ')}])`
  const bound = (name: string, value: number | undefined) =>
    value === undefined || Math.abs(value) === Number.MAX_SAFE_INTEGER ? '' : `.${name}(${value})`
  switch (schema.type) {
    case 'string': {
      const pattern = schema.pattern === undefined ? '' : `.regex(/${schema.pattern}/)`
      const text = stringFormats[schema.format ?? '']?.source(schema) ?? 'z.string()'
      return `${text}${bound('min', schema.minLength)}${bound('max', schema.maxLength)}${pattern}`
    }
    case 'integer':
    case 'number':
      return [
        schema.type === 'integer' ? 'z.int()' : 'z.number()',
        bound('min', schema.minimum),
        bound('max', schema.maximum),
        bound('gt', schema.exclusiveMinimum),
        bound('lt', schema.exclusiveMaximum),
        bound('multipleOf', schema.multipleOf),
      ].join('')
    case 'boolean':
      return 'z.boolean()'
    default:
      return '…'
  }
}
