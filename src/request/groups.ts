import type { SortKey } from '../call/query.ts'
import type { View, ViewField } from '../compile/model.ts'
import { nearest } from '../compile/names/nearest.ts'
import { countMember } from '../compile/versions/totals-view.ts'
import { allowedNames, type Disclosure, listedNames, offeredGroups } from './disclosure.ts'
import type { FieldErrors } from './field-errors.ts'

/** Reads `by=status,currency`. Without it all rows are one group. */
export function readGroups(
  text: string | undefined,
  view: View,
  disclosure: Disclosure,
  errors: FieldErrors,
): readonly ViewField[] {
  const groups: ViewField[] = []
  for (const name of text === undefined ? [] : text.split(',')) {
    const field = view.totals?.by.has(name) ? view.field.get(name) : undefined
    if (name === '') errors.add(() => ({ parameter: 'by', detail: 'has an empty element', code: 'empty' }))
    else if (!field) errors.add(() => notOffered(name, offeredGroups(view, disclosure)))
    else if (groups.includes(field))
      errors.add(() => ({ parameter: 'by', detail: `names "${name}" twice`, code: 'repeated' }))
    else groups.push(field)
  }
  return groups
}

function notOffered(name: string, offered: readonly string[]) {
  const near = offered.includes(`${name}_id`) ? `${name}_id` : nearest(name, offered)
  const use = near ? `did you mean "${near}"?` : `group by ${listedNames(offered)}`
  return {
    parameter: 'by',
    detail: `"${name.slice(0, 100)}" is not offered; ${use}`,
    code: 'unknown',
    ...allowedNames(offered),
  }
}

/** The order of groups: what was asked for, then the fields that they are made by, which no two groups share. */
export function groupOrder(
  keys: readonly SortKey[],
  groups: readonly ViewField[],
  errors: FieldErrors,
): readonly SortKey[] {
  for (const { field } of keys)
    if (field.name !== countMember && !groups.includes(field))
      errors.add(() => ({
        parameter: 'sort',
        detail: `names "${field.name}", and rows are not grouped by it; add it to by, or sort by ${listedNames([...groups.map(({ name }) => name), countMember])}`,
        code: 'unknown',
      }))
  const descending = keys.at(-1)?.descending ?? false
  const ties = groups.filter((group) => !keys.some(({ field }) => field === group))
  return [...keys, ...ties.map((field) => ({ field, descending }))]
}
