import { toStored } from '../compile/codecs.ts'
import type { ViewField } from '../compile/model.ts'
import { isDate, utcText } from '../compile/time.ts'
import { validate } from './validate.ts'

/** Text of a query parameter → a shown value of the field's type; undefined when it is none. */
export function readScalar(text: string, field: ViewField): unknown {
  if (field.schema.enum) return field.schema.enum.find((value) => String(value) === text)
  const value = parse(text, field)
  return value === undefined || toStored(field, value) === undefined ? undefined : value
}

function parse(text: string, field: ViewField): unknown {
  if (field.codec && field.schema.type === 'integer') return integer(text)
  if (field.codec) return text
  if (field.kind === 'integer') return integer(text)
  if (field.kind === 'number') {
    const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN
    return Number.isFinite(number) ? number : undefined
  }
  if (field.kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  if (field.kind === 'reference') return validate(field.schema, text).length === 0 ? text : undefined
  if (field.kind === 'date') return isDate(text) ? text : undefined
  // In a query a plus sign means a space: an offset written with a bare plus is still understood.
  if (field.kind === 'datetime') return utcText(text.replace(' ', '+')) ?? undefined
  return text
}

function integer(text: string): number | undefined {
  const number = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? number : undefined
}
