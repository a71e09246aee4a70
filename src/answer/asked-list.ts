import type { Filter, SortKey } from '../call/query.ts'
import { operators } from '../kinds/operators.ts'

/** Conditions as the code of a noun gets them: `{ price: { gte: 100 } }`, in the newest version's names and values. */
export type AskedFilter = { readonly [field: string]: { readonly [operator: string]: unknown } }

/** What `list` of the code gets. */
export interface AskedList {
  readonly filter: AskedFilter
  readonly sort: readonly string[]
  readonly limit: number | undefined
  readonly after: string | undefined
}

/** `within` is a field that has one of some values, such as the reference to the owner in the path. */
export function askedFilter(
  filters: readonly Filter[],
  within: { readonly field: string; readonly values: readonly string[] } | null,
): AskedFilter {
  const asked: { [field: string]: { [operator: string]: unknown } } = {}
  for (const { field, operator, values } of filters) {
    const name = field.field?.name ?? field.name
    asked[name] ??= {}
    // A value of an older version may stand for several of today's.
    const isOne = !operators[operator].takesList && values.length === 1
    asked[name][isOne ? operator : 'in'] = isOne ? values[0] : values
  }
  if (within) {
    const { field, values } = within
    const tests = asked[field] ?? {}
    // A caller may filter by the same field: then both hold.
    asked[field] = 'in' in tests ? { ...tests, in: both(values, tests.in) } : { ...tests, in: values }
  }
  return asked
}

const both = (values: readonly string[], asked: unknown): readonly string[] =>
  values.filter((value) => (asked as readonly unknown[]).includes(value))

/** The fields that the caller sorts by, without the id that breaks ties. */
export function askedSort(sort: readonly SortKey[]): readonly string[] {
  const texts = sort.map(
    ({ field, descending }) => `${descending ? '-' : ''}${field.field?.name ?? field.name}`,
  )
  const last = sort.at(-1)
  const addedDescending = sort.at(-2)?.descending ?? false
  return last?.field.name === 'id' && last.descending === addedDescending ? texts.slice(0, -1) : texts
}
