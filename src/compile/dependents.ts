import type { Dependent, Resource } from './model.ts'

/** All that the delete of a row reaches: the relations that lead to it, and those that lead to rows which are deleted along. */
export const reachedByDelete = (resource: Resource): readonly Dependent[] => {
  const found = new Set<Dependent>()
  const walk = ({ dependents }: Resource): void => {
    for (const dependent of dependents) {
      if (found.has(dependent)) continue
      found.add(dependent)
      if (dependent.onDelete === 'cascade') walk(dependent.relation.source)
    }
  }
  walk(resource)
  return [...found]
}
