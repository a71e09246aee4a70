import type { MistakeList } from '../mistakes.ts'
import type { Resource } from '../model.ts'
import { cyclesOf } from '../names/cycles.ts'
import { didYouMean } from '../names/nearest.ts'
import type { Drafts, ResourceDraft } from './resource-draft.ts'

/** Links each sub-resource to the belongs-to relation of its owner. */
export const linkOwner = (draft: ResourceDraft, drafts: Drafts, mistakes: MistakeList): void => {
  const { name: resource, owner, relations = {} } = draft.declaration
  if (owner === undefined) return
  const note = mistakes.at(`${resource}.owner`)
  const relation = draft.belongsTo.get(owner)
  if (relation === undefined) {
    if (draft.broken.has(owner)) return
    const names = Object.keys(relations).filter((name) => relations[name]?.kind === 'belongs-to')
    note(`"${owner}" is not a belongs-to relation of ${resource}.`, didYouMean(owner, names))
    return
  }
  if (relation.optional)
    note(
      `"${owner}" is optional, but a sub-resource always has its owner.`,
      `Make the relation "${owner}" required.`,
    )
  draft.model.owner = relation
  const over = drafts.get(relation.target.name)
  if (over === undefined || over.broken.size > 0) return
  if (![...over.hasMany.values()].some((many) => many.by === relation && !many.through))
    note(
      `${relation.target.name} has no has-many that leads to ${resource}, so there is no path for it.`,
      `Add to the relations of ${relation.target.name}: hasMany('${resource}').`,
    )
}

export const checkOwnerCycles = (drafts: Drafts, mistakes: MistakeList): void => {
  const models = [...drafts.values()].map(({ model }) => model)
  const owners = new Map(models.flatMap(({ name, owner }) => (owner ? [[name, owner.target.name]] : [])))
  for (const [first = '', ...others] of cyclesOf(owners)) {
    mistakes.add(
      `${first}.owner`,
      `it owns itself: ${[first, ...others, first].join(' → ')}.`,
      'Leave out "owner" on one of them.',
    )
    const model = drafts.get(first)?.model
    if (model) model.owner = null
  }
}

/**
 * Paths are two levels at most: a sub-resource has a collection of its own when something is nested under it, or when its
 * owner is a sub-resource itself.
 */
export const hasTopLevel = ({ owner, hasMany }: Resource): boolean =>
  owner === null || owner.target.owner !== null || hasMany.length > 0
