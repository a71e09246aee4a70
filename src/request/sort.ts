import type { SortKey } from '../call/query.ts'
import type { View } from '../compile/model.ts'
import { nearest } from '../compile/names/nearest.ts'
import type { FieldError } from '../problems.ts'
import { allowedNames, type Disclosure, listedNames, offeredSorts } from './disclosure.ts'
import type { FieldErrors } from './field-errors.ts'
import { sortMeant } from './query-hints.ts'

/** Reads `-created_at,name`. What breaks ties is not among the keys. */
export function readSortKeys(
  text: string,
  view: View,
  disclosure: Disclosure,
  errors: FieldErrors,
): readonly SortKey[] {
  const keys: SortKey[] = []
  for (const item of text.split(',')) {
    const descending = item.startsWith('-')
    const name = descending ? item.slice(1) : item
    const field = name === 'id' || view.sorts.has(name) ? view.field.get(name) : undefined
    if (name === '') errors.add(() => ({ parameter: 'sort', detail: 'has an empty element', code: 'empty' }))
    else if (!field) errors.add(() => notOffered(item, view, disclosure))
    else if (keys.some((key) => key.field === field))
      errors.add(() => ({ parameter: 'sort', detail: `names "${name}" twice`, code: 'repeated' }))
    else keys.push({ field, descending })
  }
  return keys
}

function notOffered(item: string, view: View, disclosure: Disclosure): FieldError {
  const offered = offeredSorts(view, disclosure)
  const near = nearest(item.replace(/^-+/, ''), offered)
  const meant = sortMeant(item, offered) ?? (near && (item.startsWith('-') ? `-${near}` : near))
  const use = meant ? `did you mean "${meant}"?` : `sort by ${listedNames(offered)}`
  return {
    parameter: 'sort',
    detail: `"${item.slice(0, 100)}" is not offered; ${use}`,
    code: 'unknown',
    ...allowedNames(offered),
  }
}

/** `id` breaks ties in the direction of the last key, so that one index serves the whole order. */
export function withTieBreak(keys: readonly SortKey[], view: View): readonly SortKey[] {
  const at = keys.findIndex((key) => key.field.name === 'id')
  // Nothing after the id can change the order.
  if (at >= 0) return keys.slice(0, at + 1)
  const id = view.field.get('id')
  if (!id) throw new Error(`${view.name} has no id`)
  return [...keys, { field: id, descending: keys.at(-1)?.descending ?? view.resource.newestFirst }]
}
