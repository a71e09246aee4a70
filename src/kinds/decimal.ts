import type { JsonSchema } from '../declare/json-schema.ts'
import type { FormatChange, Kind, StringFormat } from './kind.ts'
import { asText } from './other-kind.ts'
import { quoted, sqlText } from './sql.ts'
import { patternOrNull } from './text-patterns.ts'
import { usual } from './usual.ts'

/** The decimals that every store holds. */
export const mostDecimals = 6
export const mostDigits = 12
const unitsPerOne = 10n ** BigInt(mostDecimals)
/** The first number of millionths that is too large. */
const beyond = 10n ** BigInt(mostDigits) * unitsPerOne

/** The value in millionths; null for a text that is no decimal. */
export const unitsOf = (text: string): bigint | null => {
  const match = /^(-?)((?:0|[1-9]\d{0,11}))(?:\.(\d{1,6}))?$/.exec(text)
  if (!match) return null
  const [, sign, whole = '', decimals = ''] = match
  const size = BigInt(whole) * unitsPerOne + BigInt(decimals.padEnd(mostDecimals, '0'))
  return sign === '-' ? -size : size
}

const knownUnits = (text: string): bigint => {
  const units = unitsOf(text)
  if (units === null) throw new RangeError(`${JSON.stringify(text)} is no decimal number`)
  return units
}

const scaleOf = (schema: JsonSchema): number => Number(schema['x-scale'] ?? mostDecimals)
const digitsOf = (schema: JsonSchema): number =>
  Number(schema['x-precision'] ?? mostDigits + mostDecimals) - scaleOf(schema)
const boundOf = (schema: JsonSchema, name: 'x-minimum' | 'x-maximum'): bigint | null =>
  schema[name] === undefined ? null : unitsOf(String(schema[name]))

/** The value with as many decimals as its scale says, or more where it has more. */
const textOf = (units: bigint, scale: number): string => {
  const size = String(units < 0n ? -units : units).padStart(mostDecimals + 1, '0')
  const [whole, decimals] = [size.slice(0, -mostDecimals), size.slice(-mostDecimals)]
  const shown = decimals.slice(0, scale) + decimals.slice(scale).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${whole}${shown === '' ? '' : `.${shown}`}`
}

export const decimalText = (text: string, schema: JsonSchema): string | undefined => {
  const units = unitsOf(text)
  return units === null ? undefined : textOf(units, scaleOf(schema))
}

export const isDecimal = (text: string, schema: JsonSchema): boolean => {
  const units = unitsOf(text)
  if (units === null) return false
  const [least, greatest] = [boundOf(schema, 'x-minimum'), boundOf(schema, 'x-maximum')]
  const [whole = '', decimals = ''] = text.replace('-', '').split('.')
  return (
    decimals.length <= scaleOf(schema) &&
    (whole === '0' || whole.length <= digitsOf(schema)) &&
    (least === null || units >= least) &&
    (greatest === null || units <= greatest)
  )
}

const patternOf = (digits: number, scale: number): string =>
  `-?(?:0|[1-9][0-9]{0,${digits - 1}})${scale === 0 ? '' : `(?:\\.[0-9]{1,${scale}})?`}`

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

export const decimalNoun = (schema: JsonSchema): string => {
  const { 'x-minimum': least, 'x-maximum': greatest } = schema
  return [
    `a decimal such as "${example(schema)}"`,
    `with at most ${counted(digitsOf(schema), 'digit')} before the point and ${scaleOf(schema)} after`,
    ...(least === undefined ? [] : [`at least ${least}`]),
    ...(greatest === undefined ? [] : [`at most ${greatest}`]),
  ].join(', ')
}

const example = (schema: JsonSchema): string => {
  const step = 10n ** BigInt(mostDecimals - scaleOf(schema))
  const most = 10n ** BigInt(digitsOf(schema)) * unitsPerOne - step
  const greatest = boundOf(schema, 'x-maximum') ?? most
  const least = boundOf(schema, 'x-minimum') ?? -most
  const usual = (12n * unitsPerOne + unitsPerOne / 2n) / step
  const value = [usual * step, most, greatest].reduce((a, b) => (b < a ? b : a))
  return textOf(value < least ? least : value, scaleOf(schema))
}

/** How the values of two schemas differ in one respect, where `more` says which of two bounds lets more values pass. */
const changed = <T>(name: string, from: T, to: T, more: (from: T, to: T) => boolean): FormatChange[] =>
  from === to
    ? []
    : [
        {
          what: `${name} ${from ?? 'none'} became ${to ?? 'none'}`,
          values: more(from, to) ? 'more' : 'fewer',
        },
      ]

const compare = (from: JsonSchema, to: JsonSchema): readonly FormatChange[] => {
  const [before, after] = [scaleOf(from), scaleOf(to)]
  const bound = (schema: JsonSchema, name: 'x-minimum' | 'x-maximum') =>
    schema[name] === undefined ? null : String(decimalText(String(schema[name]), to))
  const isWider = (sign: 1n | -1n) => (older: string | null, newer: string | null) =>
    newer === null || (older !== null && ((unitsOf(newer) ?? 0n) - (unitsOf(older) ?? 0n)) * sign > 0n)
  return [
    // With fewer decimals, every value is written in another way, and values with more are refused.
    ...(before > after ? [{ what: `scale ${before} became ${after}`, values: 'other' } as const] : []),
    ...(before < after ? [{ what: `scale ${before} became ${after}`, values: 'more' } as const] : []),
    ...changed('digits before the point', digitsOf(from), digitsOf(to), (older, newer) => newer > older),
    ...changed('minimum', bound(from, 'x-minimum'), bound(to, 'x-minimum'), isWider(-1n)),
    ...changed('maximum', bound(from, 'x-maximum'), bound(to, 'x-maximum'), isWider(1n)),
  ]
}

const source = (schema: JsonSchema): string => {
  const { 'x-precision': precision, 'x-minimum': min, 'x-maximum': max } = schema
  const options = [
    `scale: ${scaleOf(schema)}`,
    ...(digitsOf(schema) === mostDigits ? [] : [`precision: ${precision}`]),
    ...(min === undefined ? [] : [`min: '${min}'`]),
    ...(max === undefined ? [] : [`max: '${max}'`]),
  ]
  return `decimal({ ${options.join(', ')} })`
}

const format: StringFormat = {
  zodName: 'decimal',
  keywords: ['x-precision', 'x-scale', 'x-minimum', 'x-maximum'],
  noun: decimalNoun,
  test: isDecimal,
  checks: (schema) => ({ pattern: `^${patternOf(digitsOf(schema), scaleOf(schema))}$` }),
  example,
  source,
  compare,
}

/** With all six decimals, so that SQL only has to take the point away to count in millionths. */
const bind = (value: unknown, schema: JsonSchema): string => {
  const units = typeof value === 'string' ? unitsOf(value) : null
  const step = 10n ** BigInt(mostDecimals - scaleOf(schema))
  if (units === null || units % step !== 0n)
    throw new RangeError(`${JSON.stringify(value)} is not ${decimalNoun(schema)}, in a string.`)
  return textOf(units, mostDecimals)
}

/** Filters take every decimal that a store can hold. One that the field cannot hold finds nothing. */
const filterPattern = patternOf(mostDigits, mostDecimals)

/**
 * Exact decimal numbers, written as strings. Both stores keep every decimal in the same unit, a millionth, whatever its scale: SQLite as
 * an integer of 64 bits, PostgreSQL as numeric(18,6). So a field's scale can change without its column.
 */
export const decimalKind: Kind = Object.freeze({
  ...usual,
  readsZod: (zodType, schema) => zodType === 'string' && schema.format === 'decimal',
  formats: { decimal: format },
  sum: {
    isCount: false,
    schema: (summand) => ({
      type: 'string',
      format: 'decimal',
      'x-precision': mostDigits + scaleOf(summand),
      'x-scale': scaleOf(summand),
    }),
    zero: (summand) => textOf(0n, scaleOf(summand)),
    largest: textOf(beyond - 1n, mostDecimals),
    units: (value) => knownUnits(String(value)),
    ofUnits: (units, schema) =>
      units < beyond && units > -beyond ? textOf(units, scaleOf(schema)) : undefined,
  },
  toStored: (value, schema) => decimalText(String(value), schema),
  isStored: (value) => typeof value === 'string' && unitsOf(value) !== null,
  bind,
  sqlite: {
    // SQLite takes INT for INTEGER, and we tell by it that a column counts in millionths.
    type: 'INT',
    param: (placeholder) => `CAST(replace(${placeholder}, '.', '') AS INTEGER)`,
    json: (x, schema) => {
      const whole = `CASE WHEN ${x} < 0 THEN '-' ELSE '' END || (abs(${x}) / ${unitsPerOne})`
      const decimals = `substr(printf('%06d', abs(${x}) % ${unitsPerOne}), 1, ${scaleOf(schema)})`
      return quoted(scaleOf(schema) === 0 ? whole : `${whole} || '.' || ${decimals}`)
    },
    literal: (value) => String(unitsOf(String(value))),
  },
  postgres: {
    type: `numeric(${mostDigits + mostDecimals},${mostDecimals})`,
    param: (placeholder) => `${placeholder}::text::numeric`,
    json: (x, schema) => quoted(`trunc(${x}, ${scaleOf(schema)})::text`),
    literal: (value) => sqlText(String(value)),
  },
  comparedAs: 'decimal',
  isOrdered: true,
  fromOther: (value, _, schema) => decimalText(asText(value), schema),
  parse: decimalText,
  filterValueNoun: () => decimalNoun({}),
  filterSchema: (_, { orNull }) =>
    orNull
      ? patternOrNull(filterPattern)
      : { type: 'string', format: 'decimal', pattern: `^${filterPattern}$` },
} satisfies Kind)
