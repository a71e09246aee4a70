import type { Field } from '../compile/model.ts'
import { kinds } from '../kinds/kinds.ts'

/** What a statement binds. */
export type BoundValue = string | number | null

/** A value of the declaration as it is bound to a column, the same on every store. */
export function bound(
  { kind, schema, stored }: Pick<Field, 'kind' | 'schema'> & Partial<Pick<Field, 'stored'>>,
  value: unknown,
): BoundValue {
  if (value === null || value === undefined) return null
  return kinds[kind].bind(stored?.up.get(String(value)) ?? value, schema)
}
