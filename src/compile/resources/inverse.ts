import type { HasMany } from '../../declare/relation.ts'
import type { Note } from '../mistakes.ts'
import type { BelongsToModel } from '../model.ts'
import { didYouMean } from '../names/nearest.ts'
import type { ResourceDraft } from './resource-draft.ts'

/**
 * The belongs-to of another resource that points to this one; adds a mistake where there is none, or several and none is named. `links` are
 * the resources that point to both, which the message offers.
 */
export const inverseOf = (
  draft: ResourceDraft,
  target: ResourceDraft,
  declared: HasMany,
  note: Note,
  links: readonly string[] = [],
): BelongsToModel | null => {
  const here = draft.declaration.name
  const there = target.declaration.name
  const candidates = [...target.belongsTo.values()].filter((relation) => relation.target === draft.model)
  if (declared.by !== undefined) {
    const by = candidates.find((relation) => relation.name === declared.by)
    if (by !== undefined) return by
    if (target.broken.has(declared.by)) return null
    const names = candidates.map((relation) => relation.name)
    return note(
      `"${declared.by}" is not a belongs-to of ${there} that points to ${here}.`,
      didYouMean(declared.by, names),
    )
  }
  if (candidates.length === 1) return candidates[0] ?? null
  if (candidates.length > 1) {
    const names = candidates.map((relation) => `by: '${relation.name}'`).join(' or ')
    note(`${there} points to ${here} in ${candidates.length} ways.`, `Say which: ${names}.`)
  } else if (
    ![...target.broken].some((name) => target.declaration.relations?.[name]?.kind === 'belongs-to')
  ) {
    note(
      `${there} has no belongs-to that points to ${here}.`,
      links.length === 0
        ? `Add to the relations of ${there}: belongsTo('${here}').`
        : `${links.length === 1 ? `${links[0]} links` : `${links.join(' and ')} link`} the two: write hasMany('${there}', { through: '${links[0]}' }). Or add to the relations of ${there}: belongsTo('${here}').`,
    )
  }
  return null
}
