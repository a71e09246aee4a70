import { datePattern } from './date.ts'
import type { Kind, StringFormat } from './kind.ts'
import { asText } from './other-kind.ts'
import { postgresText, quoted, sqliteText } from './sql.ts'
import { patternOrNull } from './text-patterns.ts'
import { isFinerThanKept, utcText } from './time.ts'
import { usual, usualFormat } from './usual.ts'

const hour = '(?:[01][0-9]|2[0-3])'
/** With the milliseconds in which times are kept: nothing is equal to a finer time. */
const timePattern = `${datePattern}[Tt]${hour}:[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,3}0{0,6})?(?:[Zz]|[+-]${hour}:[0-5][0-9])`

const format: StringFormat = {
  ...usualFormat,
  zodName: 'datetime',
  noun: () => 'a time such as 2026-06-01T12:00:00Z',
  test: (value) => utcText(value) !== null,
  example: () => '2026-06-01T12:00:00.000Z',
  source: () => 'z.iso.datetime()',
}

/** `z.iso.datetime()`: a moment, stored and shown in UTC with milliseconds. */
export const datetime: Kind = Object.freeze({
  ...usual,
  readsZod: (zodType, schema) => zodType === 'string' && schema.format === 'date-time',
  formats: { 'date-time': format },
  toStored: (value) => utcText(String(value)) ?? undefined,
  isStored: (value) => typeof value === 'string' && utcText(value) !== null,
  bind: (value) => value as string,
  sqlite: { ...sqliteText, json: quoted },
  postgres: {
    ...postgresText,
    type: 'timestamp(3) with time zone',
    param: (placeholder) => `${placeholder}::text::timestamptz`,
    json: (expression) =>
      quoted(`to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`),
  },
  comparedAs: 'datetime',
  atTime: (moment) => moment,
  isOrdered: true,
  // A date is the first moment of its day, in UTC.
  fromOther: (value, from) =>
    utcText(from === 'date' ? `${value}T00:00:00.000Z` : asText(value)) ?? undefined,
  // In a query a plus sign means a space: an offset written with a bare plus is still understood.
  parse: (text) => utcText(text.replace(' ', '+')) ?? undefined,
  finerThanStored: (text) =>
    isFinerThanKept(text) ? 'has a time finer than the milliseconds in which times are kept' : null,
  filterValueNoun: () => 'a time with an offset (2026-06-01T12:00:00Z)',
  filterSchema: (_, { orNull, compares }) => {
    if (orNull) return patternOrNull(timePattern)
    return { type: 'string', format: 'date-time', ...(compares ? {} : { pattern: `^${timePattern}$` }) }
  },
} satisfies Kind)
