import type { ViewField } from '../../compile/model.ts'
import { withoutNul } from '../../compile/text-patterns.ts'
import type { Part } from './fields.ts'
import { codecRules, written } from './value-patterns.ts'

/**
 * The schema of one value of a filter. Only the type of the value must be right: a value that no row can hold finds nothing.
 * Where `null` is a value too, the schema is a string with a pattern: generators make no usable type of two schemas in one
 * parameter.
 */
export const filterSchema = (field: ViewField, operator: string): Part => {
  if (field.kind === 'string' && field.codec === null)
    return { type: 'string', minLength: 1, pattern: operator === 'in' ? listItem : withoutNul }
  if (isComparison(operator)) return valueSchema(field)
  if (field.nullable) return orNullWord(field)
  const isTime = field.kind === 'datetime' && field.codec === null
  return { ...valueSchema(field), ...(isTime ? { pattern: `^${written.datetime}$` } : {}) }
}

/** The sentence that a filter's description has where `null` is a value. */
export const nullNote = (field: ViewField, operator: string): string =>
  field.nullable && !isComparison(operator) ? ' `null` stands for an unset value.' : ''

const isComparison = (operator: string): boolean => !['eq', 'ne', 'in'].includes(operator)

/** An element of a list: a comma ends it unless a backslash stands before. */
const listItem = '^(?:[^,\\\\\\x00]|\\\\[,\\\\])+$'

const valueSchema = (field: ViewField): Part => {
  const { type, format, pattern, enum: values } = field.schema
  const safe = { minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
  return {
    ...(type ? { type } : {}),
    ...(format ? { format } : {}),
    ...(pattern && field.kind === 'reference' ? { pattern } : {}),
    ...(values ? { enum: values } : type === 'integer' ? safe : {}),
    ...(field.codec ? codecRules[field.codec] : {}),
  }
}

const orNullWord = (field: ViewField): Part => {
  const { enum: values } = field.schema
  // The word itself, as a value, is written in quotes.
  if (values) {
    const texts = values.map((value) => (value === 'null' ? '"null"' : String(value)))
    return { type: 'string', enum: [...texts, 'null'] }
  }
  return { type: 'string', pattern: `^(?:${writtenForm(field)}|null)$` }
}

const writtenForm = ({ codec, kind, schema }: ViewField): string => {
  const rules = codec ? codecRules[codec] : {}
  const pattern = rules.pattern ?? (kind === 'reference' ? schema.pattern : undefined)
  if (pattern !== undefined) return pattern.replace(/^\^|\$$/g, '')
  if (schema.type === 'integer') return written.integer(rules)
  switch (kind) {
    case 'reference':
      return written.uuid
    case 'number':
    case 'boolean':
    case 'date':
    case 'datetime':
      return written[kind]
    default:
      return '[^\\x00]+'
  }
}
