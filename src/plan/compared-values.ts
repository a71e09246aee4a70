import type { Filter } from '../call/query.ts'
import type { Field, ViewField } from '../compile/model.ts'
import { sortsAsText } from '../compile/versions/codecs.ts'
import { operators } from '../kinds/operators.ts'
import { powerOfTwo } from './dialect.ts'

/** What the values of an SQL expression are. */
export type ComparedValues = Pick<Field, 'kind' | 'schema'>

export const stored = (field: ViewField): Field => {
  if (!field.field) throw new Error(`${field.name} is made by code: it cannot be filtered or sorted by`)
  return field.field
}

const texts: ComparedValues = { kind: 'string', schema: {} }

/** The values that a sort by this field compares. */
export const sortValues = (field: ViewField): ComparedValues => {
  if (sortsAsText(field)) return texts
  const { kind, schema, stored: kept } = stored(field)
  // Mapped values are sorted as the version shows them, which need not be values of the stored field.
  return { kind, schema: field.values || kept ? {} : schema }
}

/** Whether the texts of a version are compared, and not what is stored. */
export const comparesTexts = ({ operator, field }: Compared): boolean =>
  operators[operator].compares && sortsAsText(field)

/** What decides how a condition compares. */
type Compared = Pick<Filter, 'operator' | 'field'>

/** The kind and schema of the values that a filter binds. The field need not allow the values: such a filter finds nothing. */
export const filterValueKind = (filter: Compared): ComparedValues & Partial<Pick<Field, 'stored'>> => {
  if (comparesTexts(filter)) return texts
  const { kind, stored: kept } = stored(filter.field)
  return { kind, schema: {}, stored: kept }
}

/** With the last value repeated, so that lists of many lengths share a statement. */
export const padded = <T>(values: readonly T[]): readonly T[] => [
  ...values,
  ...Array(powerOfTwo(values.length) - values.length).fill(values.at(-1)),
]

/** The values that a filter binds. */
export const filterValues = (filter: Filter): readonly unknown[] => {
  const set = (comparesTexts(filter) ? filter.shown : filter.values).filter((value) => value !== null)
  return set.length === 0 ? [] : padded(set)
}
