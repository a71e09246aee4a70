import fc from 'fast-check'
import { z } from 'zod'
import { type CodecName, changeType, custom } from '../../src/declare/change.ts'
import { type Mark, marked, type RandomField, why } from './random-field.ts'
import type { At } from './random-words.ts'

interface Typed {
  readonly codec: CodecName
  readonly newer: z.ZodType
  readonly older: z.ZodType
  readonly stored: readonly unknown[]
  readNewer(sent: unknown): unknown
  readOlder(sent: unknown): unknown
  showOlder(stored: never): unknown
  /** What a filter by this text asks for, as it is shown; bounds do not matter there. */
  askNewer(text: string): unknown
  askOlder(text: string): unknown
}

const integerIn = (min: number, max: number) => (value: unknown) =>
  Number.isInteger(value) && Number(value) >= min && Number(value) <= max ? Number(value) + 0 : undefined
const textLike = (pattern: RegExp, longest: number, value: unknown): value is string =>
  typeof value === 'string' && value.length <= longest && pattern.test(value)
const integerOf = (text: string) =>
  /^-?\d{1,16}$/.test(text) ? integerIn(-(2 ** 53) + 1, 2 ** 53 - 1)(Number(text)) : undefined
const [earliest, latest] = [-62135596800, 253402300799]

const timeOf = (sent: unknown) =>
  textLike(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/, 40, sent) &&
  Date.parse(sent) >= earliest * 1000
    ? new Date(sent).toISOString()
    : undefined

const typed: readonly Typed[] = [
  {
    codec: 'integer-as-string',
    newer: z.int().min(0).max(1000),
    older: z.string().max(5),
    stored: [0, 1, 12, 1000],
    readNewer: integerIn(0, 1000),
    readOlder: (sent) => (textLike(/^-?\d+$/, 5, sent) ? integerIn(0, 1000)(Number(sent)) : undefined),
    showOlder: (stored: number) => `${stored}`,
    askNewer: integerOf,
    askOlder: (text) => integerOf(text)?.toString(),
  },
  {
    codec: 'cents-as-decimal-string',
    newer: z.int().min(-50).max(99_999),
    older: z.string().max(6),
    stored: [-50, 0, 12, 1200, 99_999],
    readNewer: integerIn(-50, 99_999),
    readOlder: (sent) =>
      textLike(/^-?\d+(\.\d{1,2})?$/, 6, sent)
        ? integerIn(-50, 99_999)(Math.round(Number(sent) * 100))
        : undefined,
    showOlder: (stored: number) => (stored / 100).toFixed(2),
    askNewer: integerOf,
    askOlder: (text) => (/^-?\d{1,14}(\.\d{1,2})?$/.test(text) ? (Number(text) + 0).toFixed(2) : undefined),
  },
  {
    codec: 'boolean-as-integer',
    newer: z.boolean(),
    older: z.int(),
    stored: [true, false],
    readNewer: (sent) => (typeof sent === 'boolean' ? sent : undefined),
    readOlder: (sent) => (sent === 0 || sent === 1 ? sent === 1 : undefined),
    showOlder: (stored: boolean) => (stored ? 1 : 0),
    askNewer: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
    askOlder: (text) => integerIn(0, 1)(integerOf(text)),
  },
  {
    codec: 'datetime-as-unix-seconds',
    newer: z.iso.datetime({ offset: true }),
    older: z.int(),
    stored: [
      '2026-06-01T12:00:00.000Z',
      '2026-06-01T12:00:00.250Z',
      '1969-12-31T23:59:59.750Z',
      '0001-01-01T00:00:00.000Z',
    ],
    readNewer: timeOf,
    readOlder: (sent) => {
      const seconds = integerIn(earliest, latest)(sent)
      return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString()
    },
    showOlder: (stored: string) => Math.floor(Date.parse(stored) / 1000),
    // No row has a time between two milliseconds, and a filter says so.
    askNewer: (text) => (/\.\d{3}0*[1-9]/.test(text) ? undefined : timeOf(text)),
    askOlder: (text) => integerIn(earliest, latest)(integerOf(text)),
  },
]
/** Other forms and types of the values above, and what lies just outside. */
const odd: readonly unknown[] = [
  ...[0, 1, 2, -1, 12, 1000, 1001, 12.5, 1200, 99_999.5, 1e15, earliest - 1, latest + 1, 1780315200.25],
  ...['', '0', '1', '-0', '012', '12.0', '0.12', '1e2', '1001', ' 12', '12.005', '1000.00', 'true', 'null'],
  ...['1780315200', '2026-06-01T14:00:00+02:00', '2026-06-01T12:00:00.2500001Z', '0000-12-31T23:59:59Z'],
  ...[true, false, [], {}, ['a'], { toString: 1, valueOf: 1 }],
]

export const typedField = fc
  .record({
    one: fc.constantFrom(...typed),
    changedBy: fc.constantFrom<0 | 1>(0, 1),
    mark: fc.constantFrom<Mark>('plain', 'immutable', 'readOnly'),
  })
  .map(({ one, changedBy, mark }): RandomField => {
    const schema = marked(mark, one.newer)
    const isOlder = (at: At) => at <= changedBy
    return {
      mark,
      declared: { frozen: schema, now: schema },
      changes: (at, name) =>
        at === changedBy
          ? [changeType('things', name, { was: marked(mark, one.older), codec: one.codec, why })]
          : [],
      stored: one.stored,
      shown: (at, stored) => (isOlder(at) ? one.showOlder(stored as never) : stored),
      read: (at, sent) => (isOlder(at) ? one.readOlder(sent) : one.readNewer(sent)),
      sent: odd,
      finds: (at, text) => {
        const asked = isOlder(at) ? one.askOlder(text) : one.askNewer(text)
        if (asked === undefined) return undefined
        return (stored) => (isOlder(at) ? one.showOlder(stored as never) : stored) === asked
      },
    }
  })

/** Made by code: the older version may show what it would not take, and takes it back all the same. */
export const madeField = fc.constantFrom<0 | 1>(0, 1).map((changedBy): RandomField => {
  const schema = z.int().min(0).max(500)
  return {
    mark: 'plain',
    declared: { frozen: schema, now: schema },
    changes: (at, name) =>
      at !== changedBy
        ? []
        : [
            custom('things', {
              fields: { [name]: z.string().max(2) },
              replaces: [name],
              up: (older) => ({ [name]: /^\d+$/.test(String(older[name])) ? Number(older[name]) : null }),
              down: (newer) => ({ [name]: String(newer[name]) }),
              samples: [{ older: { [name]: '8' }, newer: { [name]: 8 } }],
            }),
          ],
    stored: [0, 12, 99, 100, 500],
    shown: (at, stored) => (at <= changedBy ? String(stored) : stored),
    read: (at, sent) =>
      at > changedBy
        ? integerIn(0, 500)(sent)
        : textLike(/^\d+$/, 2, sent)
          ? integerIn(0, 500)(Number(sent))
          : undefined,
    sent: odd,
  }
})
