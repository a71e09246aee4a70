import type { ViewField } from '../model.ts'

/** The stored values that a field can have, where these are few: a condition in an older version's values can then be said as a list. */
export function fewValuesOf({ field }: Pick<ViewField, 'field'>): readonly unknown[] | null {
  if (!field) return null
  return field.schema.type === 'boolean' ? [false, true] : (field.schema.enum ?? null)
}
