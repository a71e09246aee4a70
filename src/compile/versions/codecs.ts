import type { CodecName } from '../../declare/change.ts'
import { type FieldKind, kinds } from '../../kinds/kinds.ts'
import type { ViewField } from '../model.ts'

interface Codec {
  /** The kind the newer version has, and the one the older shows. */
  readonly newer: FieldKind
  readonly older: FieldKind
  /** What a value of the older version must be, for messages. */
  readonly form: string
  /** What the older form loses; null where every value survives the way back. */
  readonly loses: string | null
  /** Shown → stored; the shown value is valid against the older schema. Undefined when it cannot be stored. */
  up(shown: unknown): unknown
  down(stored: unknown): unknown
}

/** The dialects have the same conversions as SQL; test/laws/conversions.test.ts compares the two. */
export const codecs: { readonly [N in CodecName]: Codec } = {
  'integer-as-string': {
    newer: 'integer',
    older: 'string',
    form: 'an integer in digits, between -(2^53 - 1) and 2^53 - 1',
    loses: null,
    up: (shown) =>
      /^-?\d{1,16}$/.test(String(shown)) && Number.isSafeInteger(Number(shown)) ? Number(shown) : undefined,
    down: (stored) => String(stored),
  },
  'boolean-as-integer': {
    newer: 'boolean',
    older: 'integer',
    form: '0 or 1',
    loses: null,
    up: (shown) => (shown === 0 || shown === 1 ? shown === 1 : undefined),
    down: (stored) => (stored === true || stored === 1 ? 1 : 0),
  },
  'cents-as-decimal-string': {
    newer: 'integer',
    older: 'string',
    form: 'an amount with at most two decimals (12.50)',
    loses: null,
    up: (shown) => {
      const match = /^(-?)(\d{1,14})(?:\.(\d{1,2}))?$/.exec(String(shown))
      if (!match) return undefined
      const cents = Number(match[2]) * 100 + Number((match[3] ?? '').padEnd(2, '0'))
      return Number.isSafeInteger(cents) ? (match[1] && cents > 0 ? -cents : cents) : undefined
    },
    down: (stored) => {
      const cents = Number(stored)
      const size = Math.abs(cents)
      return `${cents < 0 ? '-' : ''}${Math.floor(size / 100)}.${String(size % 100).padStart(2, '0')}`
    },
  },
  'datetime-as-unix-seconds': {
    newer: 'datetime',
    older: 'integer',
    form: 'a time of the years 0001 to 9999 in unix seconds',
    loses: 'milliseconds',
    up: (shown) => {
      const time = new Date(Number(shown) * 1000)
      const year = time.getUTCFullYear()
      return year >= 1 && year <= 9999 ? time.toISOString() : undefined
    },
    down: (stored) => Math.floor(Date.parse(String(stored)) / 1000),
  },
}

type Shown = Pick<ViewField, 'kind' | 'schema' | 'codec' | 'values'>

/** The stored form of a value of a version; undefined where there is none. */
export function toStored(field: Shown, shown: unknown): unknown {
  if (shown === null) return null
  if (field.codec) return codecs[field.codec].up(shown)
  if (field.values) return field.values.up.get(String(shown))
  return kinds[field.kind].toStored(shown, field.schema)
}

/** A stored value in the form that a version shows. */
export function toShown(
  field: Pick<Shown, 'codec' | 'values'> & Partial<Pick<ViewField, 'nullable' | 'field'>>,
  found: unknown,
): unknown {
  const stored = found ?? (field.nullable === false ? field.field?.whenNone : null)
  if (stored === null || stored === undefined) return null
  if (field.codec) return codecs[field.codec].down(stored)
  return field.values ? (field.values.down.get(String(stored)) ?? stored) : stored
}

/** Whether a version sorts and compares a field as text although a number is stored: the order of its own values, not of the newer ones. */
export const sortsAsText = ({ codec }: Pick<ViewField, 'codec'>): boolean =>
  codec !== null && codecs[codec].older === 'string'
