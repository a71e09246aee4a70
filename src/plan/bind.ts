import type { Field } from '../compile/model.ts'
import { kinds } from '../kinds/kinds.ts'

/** A stored value as it is bound, the same on every store. */
export const bound = (
  { kind, schema }: Pick<Field, 'kind' | 'schema'>,
  value: unknown,
): string | number | null => (value === null || value === undefined ? null : kinds[kind].bind(value, schema))
