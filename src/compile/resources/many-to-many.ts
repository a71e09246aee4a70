import type { HasMany } from '../../declare/relation.ts'
import type { Note } from '../mistakes.ts'
import type { BelongsToModel } from '../model.ts'
import { didYouMean } from '../names/nearest.ts'
import { inverseOf } from './inverse.ts'
import type { Drafts, ResourceDraft } from './resource-draft.ts'

/** The two relations of a join by which it links rows. */
export interface JoinedBy {
  /** Leads to the resource that declares the many-to-many. */
  readonly by: BelongsToModel
  /** Leads to its target. */
  readonly through: BelongsToModel
}

/** Finds what `hasMany(target, { through })` leads by; adds a mistake where that is nothing, or several relations. */
export const joinedBy = (
  draft: ResourceDraft,
  target: ResourceDraft,
  declared: HasMany,
  drafts: Drafts,
  note: Note,
): JoinedBy | null => {
  const join = drafts.get(declared.through ?? '')
  if (join === undefined) {
    const own = [...drafts].filter(([, { model }]) => !model.engineMade).map(([name]) => name)
    return note(
      `there is no resource "${declared.through}" to lead through.`,
      didYouMean(declared.through ?? '', own),
    )
  }
  if (join.declaration.methods?.includes('GET') === false) {
    const { name } = join.declaration
    return note(
      `it leads through ${name}, which offers no GET, so nobody may see the links.`,
      `Add 'GET' to the methods of ${name}.`,
    )
  }
  const by = inverseOf(draft, join, declared, note)
  const through = by && farSide(join, target, by, note)
  return through && { by, through }
}

/** The belongs-to of a join that leads to the target. A resource may be linked to itself: then it is another one than that which leads back. */
const farSide = (
  join: ResourceDraft,
  target: ResourceDraft,
  by: BelongsToModel,
  note: Note,
): BelongsToModel | null => {
  const [between, there] = [join.declaration.name, target.declaration.name]
  const candidates = [...join.belongsTo.values()].filter(
    (relation) => relation !== by && relation.target === target.model,
  )
  const [first, ...others] = candidates
  if (first === undefined) {
    const another = by.target === target.model ? 'second ' : ''
    return note(
      `${between} has no ${another}belongs-to that points to ${there}, so it links nothing to it.`,
      `Add to the relations of ${between}: belongsTo('${there}').`,
    )
  }
  if (others.length > 0)
    return note(
      `${between} points to ${there} in ${candidates.length} ways: ${candidates.map(({ name }) => `"${name}"`).join(', ')}.`,
      'Lead through a resource that points there once.',
    )
  return first
}
