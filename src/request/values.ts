import type { ViewField } from '../compile/model.ts'
import { toStored } from '../compile/versions/codecs.ts'

/** A value in the store's terms: what a column holds, before it is bound (JSON is still a value, a boolean a boolean). */
export type StoredValue = unknown

/** Every stored value that a version shows as this one: usually one, several where values were merged. */
export function storedImages(field: ViewField, shown: unknown): readonly StoredValue[] {
  const images: StoredValue[] = []
  for (const [stored, image] of field.values?.down ?? []) if (image === shown) images.push(stored)
  // Several older words may stand for one stored value, of which one is shown. The others find the value that they would write.
  return images.length > 0 ? images : [toStored(field, shown)]
}
