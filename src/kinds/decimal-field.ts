import { z } from 'zod'
import type { DecimalSchema } from '../declare/field.ts'
import { decimalNoun, decimalText, isDecimal, mostDecimals, mostDigits, unitsOf } from './decimal.ts'

export interface DecimalOptions {
  /** Digits after the point, 0 to 6. Values are shown with exactly as many. */
  readonly scale: number
  /** Digits before and after the point together. At most 12 stand before the point, which is also the default. */
  readonly precision?: number
  /** The least and the greatest value, as strings. */
  readonly min?: string
  readonly max?: string
}

/** A field of exact decimal numbers: prices, rates, quantities. */
export const decimal = (options: DecimalOptions): DecimalSchema => {
  checkDecimalOptions(options)
  const schema = schemaOf(options)
  const isShownForm = (text: string) => isDecimal(text, schema) && decimalText(text, schema) === text
  return z.stringFormat('decimal', isShownForm).meta(schema) as z.ZodType<string, string> as DecimalSchema
}

const schemaOf = ({ scale, precision = mostDigits + scale, min, max }: DecimalOptions) => {
  const fail = (what: string) => new RangeError(`decimal({ scale: ${scale}, … }): ${what}`)
  if (!Number.isInteger(scale) || scale < 0 || scale > mostDecimals)
    throw fail(`scale must be a whole number from 0 to ${mostDecimals}.`)
  if (!Number.isInteger(precision) || precision <= scale || precision > mostDigits + scale)
    throw fail(`precision must be a whole number from ${scale + 1} to ${mostDigits + scale}.`)
  const schema = { 'x-precision': precision, 'x-scale': scale }
  const bound = (name: 'min' | 'max', text: string | undefined) => {
    if (text !== undefined && !isDecimal(text, schema))
      throw fail(`${name} must be ${decimalNoun(schema)}, and is ${JSON.stringify(text)}.`)
    return text === undefined ? {} : { [`x-${name}imum`]: decimalText(text, schema) }
  }
  if (min !== undefined && max !== undefined && (unitsOf(min) ?? 0n) > (unitsOf(max) ?? 0n))
    throw fail(`min ${min} is above max ${max}.`)
  return { ...schema, ...bound('min', min), ...bound('max', max) }
}

const names: readonly string[] = ['scale', 'precision', 'min', 'max'] satisfies (keyof DecimalOptions)[]

/** Throws a sentence for options of another type, which a declaration without types may have. */
function checkDecimalOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw new RangeError(
      `decimal(${shown(options)}): its options are missing. Write decimal({ scale: 2 }), with as many digits as values have after the point.`,
    )
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    if (!names.includes(name)) throw new RangeError(`decimal({ ${name}: … }): ${notAnOption(name, value)}`)
    const wanted = name === 'scale' || name === 'precision' ? 'number' : 'string'
    if (typeof value === wanted) continue
    const hint =
      wanted === 'string'
        ? `Write ${name}: '${typeof value === 'number' ? value : 0}', in quotes.`
        : `Write ${name}: ${name === 'scale' ? 2 : 10}, without quotes.`
    throw new RangeError(
      `decimal({ ${name}: ${shown(value)}, … }): ${name} must be a ${wanted}, and is ${shown(value)}. ${hint}`,
    )
  }
}

const notAnOption = (name: string, value: unknown): string =>
  name === 'default'
    ? `a default is given behind it. Write decimal({ … }).default(${shown(String(value))}).`
    : `"${name}" is not an option. Its options are ${names.join(', ')}.`

const shown = (value: unknown): string => {
  if (typeof value === 'string') return `'${value}'`
  if (value === undefined) return ''
  return typeof value === 'number' || typeof value === 'boolean' || value === null
    ? String(value)
    : typeof value
}
