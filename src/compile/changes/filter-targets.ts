import type { FilterTarget, View, ViewRelation } from '../model.ts'

/** What the filters of a view are about, by name. A path that the version does not have all of is left out. */
export const filterTargets = (
  view: Pick<View, 'field' | 'relations'>,
  names: Iterable<string>,
): ReadonlyMap<string, FilterTarget> =>
  new Map(
    [...names].flatMap((name) => {
      const target = filterTarget(view, name)
      return target ? [[name, target] as const] : []
    }),
  )

const filterTarget = (from: Pick<View, 'field' | 'relations'>, path: string): FilterTarget | null => {
  const names = path.split('.')
  const last = names.pop() ?? ''
  const steps: ViewRelation[] = []
  let view = from
  for (const name of names) {
    const relation = view.relations.get(name)
    if (relation?.relation.kind !== 'belongs-to') return null
    steps.push(relation)
    view = relation.target()
  }
  const field = view.field.get(last)
  if (!field || (steps.length > 0 && !field.field)) return null
  if (steps.length === 0) return Object.freeze({ steps, field })
  const nullable =
    field.nullable || steps.some(({ relation }) => relation.kind === 'belongs-to' && relation.optional)
  return Object.freeze({ steps, field: Object.freeze({ ...field, name: path, nullable }) })
}
