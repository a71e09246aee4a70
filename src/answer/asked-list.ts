import type { Filter, SortKey } from '../call/query.ts'
import { toShown } from '../compile/versions/codecs.ts'
import { fewValuesOf } from '../compile/versions/few-values.ts'
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
  const add = (name: string, operator: string, value: unknown): void => {
    const tests = asked[name] ?? {}
    asked[name] = tests
    // Several conditions may say which values there are: then all of them hold.
    tests[operator] = Array.isArray(tests[operator])
      ? both(tests[operator], value as readonly unknown[])
      : value
  }
  for (const filter of filters) {
    const { field, operator, values } = filter
    const name = field.field?.name ?? field.name
    const among = field.codec || field.values ? valuesThatMeet(filter) : null
    if (among && !(operator === 'eq' && among.length === 1)) add(name, 'in', among)
    else add(name, operator, operators[operator].takesList ? values : values[0])
  }
  if (within) add(within.field, 'in', within.values)
  return asked
}

const both = (some: readonly unknown[], others: readonly unknown[]): readonly unknown[] =>
  some.filter((value) => others.includes(value))

/** Today's values that meet a condition as an older version shows them; null where they are too many to say. */
function valuesThatMeet({ field, operator, shown }: Filter): readonly unknown[] | null {
  const few = fewValuesOf(field)
  const all = few && (field.nullable ? [...few, null] : few)
  return all?.filter((value) => operators[operator].holds(toShown(field, value), shown)) ?? null
}

/** The fields that the caller sorts by, without the id that breaks ties. */
export function askedSort(sort: readonly SortKey[]): readonly string[] {
  const texts = sort.map(
    ({ field, descending }) => `${descending ? '-' : ''}${field.field?.name ?? field.name}`,
  )
  const last = sort.at(-1)
  const addedDescending = sort.at(-2)?.descending ?? false
  return last?.field.name === 'id' && last.descending === addedDescending ? texts.slice(0, -1) : texts
}
