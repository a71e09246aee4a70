import type { Dependent, Resource } from '../model.ts'

/** Whether rows go along today: a cascade that some process of an older declaration does not know is refused, by all. */
export const goesAlong = ({ relation, onDelete }: Dependent): boolean =>
  onDelete === 'cascade' && !relation.source.refusing.has(relation.field)

/** All relations that the delete of a row affects: those that refer to it, and those that refer to rows deleted with it. */
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
