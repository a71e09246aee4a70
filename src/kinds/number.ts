import type { Kind } from './kind.ts'
import { numberText } from './other-kind.ts'
import { jsonOrNull, jsonSql } from './sql.ts'
import { patternOrNull } from './text-patterns.ts'
import { usual } from './usual.ts'

/** As JSON.stringify writes it: PostgreSQL has the same digits, but begins with exponents sooner and writes 1e-07. */
const postgresNumber = (x: string): string =>
  `(CASE WHEN ${x} <> 0 AND abs(${x}) < 1e-6 THEN replace(${x}::text, 'e-0', 'e-') ELSE trim_scale(${x}::text::numeric)::text END)`

/** Numbers that are short enough to be finite. */
const finitePattern = '-?[0-9]{1,200}(?:\\.[0-9]{1,200})?(?:[eE][+-]?[0-9]{1,2})?'

const parseNumber = (text: string): number | undefined => {
  const value = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : undefined
}

/** `z.number()`: a double. */
export const number: Kind = Object.freeze({
  ...usual,
  readsZod: (zodType) => zodType === 'number',
  isStored: (value) => typeof value === 'number',
  bind: (value) => value as number,
  sqlite: {
    type: 'REAL',
    param: (placeholder) => placeholder,
    // SQLite writes 17 digits and 1.0e-07; this function, which every connection registers, writes as JSON.stringify does.
    json: (expression) => jsonOrNull(`nounkit_number(${expression})`),
    literal: (value) => String(value),
  },
  postgres: {
    type: 'double precision',
    param: (placeholder) => `${placeholder}::float8`,
    json: (expression) => jsonSql(postgresNumber(expression)),
    literal: (value) => String(value),
  },
  comparedAs: 'number',
  isOrdered: true,
  fromOther: (value, from) => parseNumber(numberText(value, from)),
  parse: parseNumber,
  filterValueNoun: () => 'a number',
  filterSchema: (_, { orNull }) => (orNull ? patternOrNull(finitePattern) : { type: 'number' }),
} satisfies Kind)
