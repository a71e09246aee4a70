import { toStored } from '../compile/codecs.ts'
import type { ViewField } from '../compile/model.ts'
import { kinds } from '../kinds/kinds.ts'

/** Text of a query parameter → a shown value of the field's type; undefined when it is none. */
export function readScalar(text: string, field: ViewField): unknown {
  const value = kinds[field.kind].parse(text, field.schema)
  return value === undefined || toStored(field, value) === undefined ? undefined : value
}
