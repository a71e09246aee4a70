import type { Kind, StringFormat } from './kind.ts'
import { asText } from './other-kind.ts'
import { postgresText, quoted, sqliteText } from './sql.ts'
import { patternOrNull } from './text-patterns.ts'
import { isDate } from './time.ts'
import { usual, usualFormat } from './usual.ts'

const longMonth = '(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])'
const shortMonth = '(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)'
const february = '02-(?:0[1-9]|1[0-9]|2[0-8])'
const year = '(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])'
const leapYear = '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)'

/** A regular expression of every date of the years 1 to 9999. No lookahead: RE2 has none. */
export const datePattern = `(?:${year}-(?:${longMonth}|${shortMonth}|${february})|${leapYear}-02-29)`

const format: StringFormat = {
  ...usualFormat,
  zodName: 'date',
  noun: () => 'a date such as 2026-06-01',
  test: isDate,
  example: () => '2026-06-01',
  source: () => 'z.iso.date()',
}

/** `z.iso.date()`: a day without a time zone. */
export const date: Kind = Object.freeze({
  ...usual,
  readsZod: (zodType, schema) => zodType === 'string' && schema.format === 'date',
  formats: { date: format },
  isStored: (value) => typeof value === 'string' && isDate(value),
  bind: (value) => value as string,
  sqlite: { ...sqliteText, json: quoted },
  postgres: {
    ...postgresText,
    type: 'date',
    param: (placeholder) => `${placeholder}::text::date`,
    json: (expression) => quoted(`to_char(${expression}, 'YYYY-MM-DD')`),
  },
  comparedAs: 'date',
  atTime: (moment) => moment.slice(0, 'yyyy-mm-dd'.length),
  isOrdered: true,
  fromOther: (value) => (isDate(asText(value)) ? value : undefined),
  parse: (text) => (isDate(text) ? text : undefined),
  filterValueNoun: () => 'a date (2026-06-01)',
  filterSchema: (_, { orNull }) => (orNull ? patternOrNull(datePattern) : { type: 'string', format: 'date' }),
} satisfies Kind)
