import { codecs } from '../compile/codecs.ts'
import type { ViewField } from '../compile/model.ts'
import { utcText } from './time.ts'

/** A value in the store's terms: what a column holds, before it is bound (JSON is still a value, a boolean a boolean). */
export type StoredValue = unknown

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
