import type { FieldKind } from '../compile/model.ts'

/** A stored value as it is bound: booleans as 0 and 1, JSON as text. The same on every store. */
export function bound(kind: FieldKind, value: unknown): string | number | null {
  if (value === null || value === undefined) return null
  if (kind === 'json') return JSON.stringify(value)
  if (kind === 'boolean') return value ? 1 : 0
  return value as string | number
}
