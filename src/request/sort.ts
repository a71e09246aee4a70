import type { View, ViewField } from '../compile/model.ts'
import { nearest } from '../compile/nearest.ts'
import type { FieldError } from '../problems.ts'

export interface SortKey {
  readonly field: ViewField
  readonly descending: boolean
}

/** Reads `-created_at,name`; `id` breaks ties in the direction of the last key, so that one index serves the whole order. */
export function readSort(text: string, view: View, errors: FieldError[]): readonly SortKey[] {
  const keys: SortKey[] = []
  for (const item of text.split(',')) {
    const descending = item.startsWith('-')
    const name = descending ? item.slice(1) : item
    const field = name === 'id' || view.sorts.has(name) ? view.field.get(name) : undefined
    const twice = keys.some((key) => key.field === field)
    if (!field || twice) {
      const near = nearest(name, [...view.sorts])
      const why = twice ? `names "${name}" twice` : `"${name.slice(0, 100)}" is not offered`
      errors.push({
        parameter: 'sort',
        detail:
          name === '' ? 'has an empty element' : `${why}${near && !twice ? `; did you mean "${near}"?` : ''}`,
        code: name === '' ? 'empty' : twice ? 'repeated' : 'unknown',
      })
      continue
    }
    keys.push({ field, descending })
  }
  return withTieBreak(keys, view)
}

export function withTieBreak(keys: readonly SortKey[], view: View): readonly SortKey[] {
  const at = keys.findIndex((key) => key.field.name === 'id')
  // Nothing after the id can change the order.
  if (at >= 0) return keys.slice(0, at + 1)
  const id = view.field.get('id')
  if (!id) throw new Error(`${view.name} has no id`)
  return [...keys, { field: id, descending: keys.at(-1)?.descending ?? view.resource.newestFirst }]
}

export const sortText = (keys: readonly SortKey[]): string =>
  keys.map((key) => `${key.descending ? '-' : ''}${key.field.name}`).join(',')
