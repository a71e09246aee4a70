import type { View, ViewField, ViewRelation } from '../compile/model.ts'
import type { FieldError } from '../problems.ts'

/** What a refusal may suggest and list: only what the caller may know. */
export interface Disclosure {
  mayKnow(field: ViewField): boolean
  mayRead(view: View): boolean
}

/** The filters that the caller can use. */
export const offeredFilters = ({ filterOf }: View, disclosure: Disclosure): readonly string[] =>
  [...filterOf]
    .filter(
      ([, { steps, field }]) =>
        disclosure.mayKnow(field) && steps.every((step) => disclosure.mayRead(step.target())),
    )
    .map(([name]) => name)

/** The fields that the caller can sort by. */
export const offeredSorts = (view: View, disclosure: Disclosure): readonly string[] =>
  [...new Set(['id', ...view.sorts])].filter((name) => {
    const field = view.field.get(name)
    return field !== undefined && disclosure.mayKnow(field)
  })

/** The fields that a caller can group totals by. */
export const offeredGroups = ({ totals, field }: View, disclosure: Disclosure): readonly string[] =>
  [...(totals?.by.keys() ?? [])].filter((name) => {
    const group = field.get(name)
    return group !== undefined && disclosure.mayKnow(group)
  })

/** The relations of a view whose rows the caller may read. */
export const offeredRelations = (view: View, disclosure: Disclosure): readonly string[] =>
  [...view.relations].filter(([, relation]) => mayFollow(relation, disclosure)).map(([name]) => name)

const mayFollow = ({ target, join }: ViewRelation, disclosure: Disclosure): boolean =>
  disclosure.mayRead(target()) && (!join || disclosure.mayRead(join()))

/** The include paths of which the caller may read every step. */
export const offeredPaths = (view: View, disclosure: Disclosure): readonly string[] =>
  view.includePaths.filter((path) => {
    let at: View | undefined = view
    for (const step of path.split('.')) {
      const relation: ViewRelation | undefined = at?.relations.get(step)
      if (!relation || !mayFollow(relation, disclosure)) return false
      at = relation.target()
    }
    return true
  })

const mostListed = 50
const mostInText = 10

/** The names that a refused parameter could have had. A declaration may have hundreds, so the list is bounded. */
export const allowedNames = (names: readonly string[]): Pick<FieldError, 'allowed'> => ({
  allowed: names.slice(0, mostListed),
})

/** `a, b or c`; after ten names `or 12 more`. */
export function listedNames(names: readonly string[]): string {
  const [last, ...before] = names.slice(0, mostInText).toReversed()
  const more = names.length - mostInText
  if (more > 0)
    return `${names.slice(0, mostInText).join(', ')} or ${more === 1 ? 'one more' : `${more} more`}`
  return before.length === 0 ? `${last ?? ''}` : `${before.toReversed().join(', ')} or ${last}`
}
