import type { JsonSchema } from '../declare/json-schema.ts'
import type { Kind } from './kind.ts'
import { numberText } from './other-kind.ts'
import { jsonSql } from './sql.ts'
import { patternOrNull } from './text-patterns.ts'
import { usual } from './usual.ts'

const safe = Number.MAX_SAFE_INTEGER

/** Every integer that JSON readers take for the number that was written. */
export const safeInteger: JsonSchema = Object.freeze({ type: 'integer', minimum: -safe, maximum: safe })

const parseInteger = (text: string): number | undefined => {
  const number = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? number : undefined
}

/** The digits of every whole number from 0 to the limit, leading zeros allowed up to the limit's length. No lookahead: RE2 has none. */
export const digitsUpTo = (limit: number): string => {
  const digits = String(limit)
  if (digits.length === 1) return `[0-${digits}]`
  const smaller = [...digits].flatMap((digit, at) => {
    const rest = digits.length - at - 1
    if (digit === '0') return []
    const first = `${digits.slice(0, at)}[0-${Number(digit) - 1}]`
    return [rest === 0 ? first : `${first}[0-9]{${rest}}`]
  })
  return `(?:[0-9]{1,${digits.length - 1}}|${[...smaller, digits].join('|')})`
}

/** A regular expression of every whole number between the bounds, the lower of which is not above zero. */
export const integerPattern = ({ minimum = -safe, maximum = safe }: Bounds = {}): string =>
  `(?:-${digitsUpTo(-minimum)}|${digitsUpTo(maximum)})`

interface Bounds {
  readonly minimum?: number
  readonly maximum?: number
}

/** `z.int()`: exact up to 2^53 - 1. */
export const integer: Kind = Object.freeze({
  ...usual,
  readsZod: (zodType, { type }) => zodType === 'number' && type === 'integer',
  sum: {
    isCount: true,
    schema: () => safeInteger,
    zero: () => 0,
    largest: safe,
    units: (value) => BigInt(value as number),
    ofUnits: (units) => (Number.isSafeInteger(Number(units)) ? Number(units) : undefined),
  },
  isStored: (value) => Number.isSafeInteger(value),
  bind: (value) => value as number,
  sqlite: {
    type: 'INTEGER',
    param: (placeholder) => placeholder,
    json: jsonSql,
    literal: (value) => String(value),
  },
  postgres: {
    type: 'bigint',
    param: (placeholder) => `${placeholder}::bigint`,
    json: (expression) => jsonSql(`${expression}::text`),
    literal: (value) => String(value),
  },
  comparedAs: 'number',
  isOrdered: true,
  fromOther: (value, from) => parseInteger(numberText(value, from)),
  parse: parseInteger,
  filterValueNoun: () => 'an integer between -(2^53 - 1) and 2^53 - 1',
  filterSchema: (_, { orNull }) => (orNull ? patternOrNull(integerPattern()) : safeInteger),
} satisfies Kind)
