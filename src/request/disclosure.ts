import type { View, ViewField } from '../compile/model.ts'
import type { FieldError } from '../problems.ts'

/** What a refusal may suggest and list: only what the caller may know. */
export interface Disclosure {
  mayKnow(field: ViewField): boolean
  mayRead(view: View): boolean
}

/** The filters that the caller can use. */
export const offeredFilters = (view: View, told: Disclosure): readonly string[] =>
  known([...view.filters], view, told)

/** The fields that the caller can sort by. */
export const offeredSorts = (view: View, told: Disclosure): readonly string[] =>
  known([...new Set(['id', ...view.sorts])], view, told)

const known = (names: readonly string[], view: View, told: Disclosure): readonly string[] =>
  names.filter((name) => {
    const field = view.field.get(name)
    return field !== undefined && told.mayKnow(field)
  })

/** The relations of a view whose rows the caller may read. */
export const offeredRelations = (view: View, told: Disclosure): readonly string[] =>
  [...view.relations].filter(([, relation]) => told.mayRead(relation.target())).map(([name]) => name)

/** The include paths of which the caller may read every step. */
export const offeredPaths = (view: View, told: Disclosure): readonly string[] =>
  view.includePaths.filter((path) => {
    let at: View | undefined = view
    for (const step of path.split('.')) {
      at = at?.relations.get(step)?.target()
      if (!at || !told.mayRead(at)) return false
    }
    return true
  })

const mostListed = 50
const mostInText = 10

/** The names that a refused parameter could have had. A declaration may have hundreds, so the list is bounded. */
export const allowedNames = (names: readonly string[]): Pick<FieldError, 'allowed'> => ({
  allowed: names.slice(0, mostListed),
})

/** `a, b or c`; after ten names `or one of 12 others`. */
export function anyOf(names: readonly string[]): string {
  const [last, ...before] = names.slice(0, mostInText).toReversed()
  const more = names.length - mostInText
  if (more > 0)
    return `${names.slice(0, mostInText).join(', ')} or ${more === 1 ? 'one more' : `${more} more`}`
  return before.length === 0 ? `${last ?? ''}` : `${before.toReversed().join(', ')} or ${last}`
}
