import type { MistakeList } from '../mistakes.ts'
import type { BelongsToModel, Resource } from '../model.ts'
import type { Drafts } from './resource-draft.ts'

/** Rows that require each other cannot be created: each would have to exist before the other. Each cycle is reported once. */
export const checkReferenceCycles = (drafts: Drafts, mistakes: MistakeList): void => {
  const reported = new Set<BelongsToModel>()
  for (const { model } of drafts.values()) {
    const cycle = cycleFrom(model, drafts)
    const [first] = cycle
    if (first === undefined || cycle.some((relation) => reported.has(relation))) continue
    for (const relation of cycle) reported.add(relation)
    mistakes.add(
      `${model.name}.relations.${first.name}`,
      `no row can ever be created: ${[model, ...cycle.map(({ target }) => target)].map(({ name }) => name).join(' needs ')}.`,
      `Make one of these references optional, as in belongsTo('${first.target.name}', { optional: true }).`,
    )
  }
}

/** The shortest way along required references that leads from a resource back to itself; empty when there is none. */
const cycleFrom = (start: Resource, drafts: Drafts): readonly BelongsToModel[] => {
  const ways: (readonly BelongsToModel[])[] = [[]]
  const seen = new Set<Resource>()
  for (const way of ways) {
    const here = way.at(-1)?.target ?? start
    for (const relation of drafts.get(here.name)?.belongsTo.values() ?? []) {
      // A row that code answers for need not exist.
      if (relation.optional || relation.target.answered) continue
      if (relation.target === start) return [...way, relation]
      if (!seen.has(relation.target)) ways.push([...way, relation])
      seen.add(relation.target)
    }
  }
  return []
}
