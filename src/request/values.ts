import type { ViewField } from '../compile/model.ts'
import type { CodecName } from '../declare/change.ts'
import { utcText } from './time.ts'

/** A value in the store's terms: what a column holds, before it is bound (JSON is still a value, a boolean a boolean). */
export type StoredValue = unknown

interface Codec {
  /** Shown → stored; the shown value is already valid against the older schema. Undefined when it cannot be stored. */
  up(shown: unknown): unknown
  down(stored: unknown): unknown
}

/** The same conversions stand in the dialects as SQL; a law holds the two together. */
export const codecs: { readonly [N in CodecName]: Codec } = {
  'integer-as-string': {
    up: (shown) =>
      /^-?\d{1,16}$/.test(String(shown)) && Number.isSafeInteger(Number(shown)) ? Number(shown) : undefined,
    down: (stored) => String(stored),
  },
  'boolean-as-integer': {
    up: (shown) => shown === 1,
    down: (stored) => (stored === true ? 1 : 0),
  },
  'cents-as-decimal-string': {
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
    up: (shown) => {
      const time = new Date(Number(shown) * 1000)
      return Number.isNaN(time.getTime()) ? undefined : (utcText(time.toISOString()) ?? undefined)
    },
    down: (stored) => Math.floor(Date.parse(String(stored)) / 1000),
  },
}

/** What the store keeps for a valid shown value; undefined when it can keep none. */
export function toStored(field: ViewField, shown: unknown): StoredValue | undefined {
  if (shown === null) return null
  const plain = field.codec ? codecs[field.codec].up(shown) : shown
  if (plain === undefined) return undefined
  if (field.values) return field.values.up.get(String(plain)) ?? plain
  if (field.kind === 'datetime' && !field.codec) return utcText(String(plain)) ?? undefined
  return plain
}

/** What a version shows for a stored value. */
export function toShown(field: ViewField, stored: StoredValue): unknown {
  if (stored === null || stored === undefined) return null
  const plain = field.values ? (field.values.down.get(String(stored)) ?? stored) : stored
  return field.codec ? codecs[field.codec].down(plain) : plain
}

/** Every stored value that a version shows as this one: usually one, several where values were merged. */
export function storedImages(field: ViewField, shown: unknown): readonly StoredValue[] {
  if (!field.values) return [toStored(field, shown) ?? shown]
  const images: StoredValue[] = []
  for (const [stored, image] of field.values.down) if (image === shown) images.push(stored)
  return images.length > 0 ? images : [toStored(field, shown) ?? shown]
}
