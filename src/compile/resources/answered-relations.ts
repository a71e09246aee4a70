import { isSum } from '../../declare/field.ts'
import type { MistakeList } from '../mistakes.ts'
import type { BelongsToModel, HasManyModel } from '../model.ts'
import { hyphenated } from '../names/name-rules.ts'
import type { ResourceDraft } from './resource-draft.ts'

/** What relations from and to nouns that are answered by code cannot be used for: all that the store does by itself. */
export const checkAnsweredRelations = (draft: ResourceDraft, mistakes: MistakeList): void => {
  for (const relation of draft.belongsTo.values()) checkBelongsTo(relation, mistakes)
  for (const relation of draft.hasMany.values()) checkHasMany(relation, mistakes)
  checkOwner(draft, mistakes)
  checkSums(draft, mistakes)
  checkOnlyWhile(draft, mistakes)
}

const notStored = (name: string): string => `rows of ${name} are answered by code, and not stored`

const checkBelongsTo = (relation: BelongsToModel, mistakes: MistakeList): void => {
  const { source, target, name, onTargetDelete } = relation
  const answered = source.answered ? source : target.answered ? target : null
  if (answered && onTargetDelete === 'cascade')
    mistakes.add(
      `${source.name}.relations.${name}`,
      `nothing can be deleted along: ${notStored(answered.name)}.`,
      "Leave out onTargetDelete: 'cascade'.",
    )
}

const checkHasMany = (relation: HasManyModel, mistakes: MistakeList): void => {
  const { source, target, name, through } = relation
  const note = mistakes.at(`${source.name}.relations.${name}`)
  if (through) {
    const answered = [source, target, through.source].find((one) => one.answered)
    if (answered)
      note(
        `a many-to-many is read from the store, and ${notStored(answered.name)}.`,
        `Lead to ${through.source.name} itself, without "through".`,
      )
    return
  }
  if (source.answered && !source.answered.get)
    note(
      `/${source.name}/{id}/${hyphenated(name)} needs to know whether there is such a row, and answers has no get.`,
      `Write get into the answers of ${source.name}, or leave the relation out.`,
    )
}

const checkOwner = ({ declaration, model: { answered, owner } }: ResourceDraft, mistakes: MistakeList) => {
  if (!owner?.target.answered || answered) return
  mistakes.add(
    `${declaration.name}.owner`,
    `${notStored(owner.target.name)}, so they own no stored rows.`,
    'Leave out owner: the rows are still listed below it.',
  )
}

const checkSums = ({ declaration, hasMany, model }: ResourceDraft, mistakes: MistakeList): void => {
  for (const [name, field] of Object.entries(declaration.fields ?? {})) {
    if (!isSum(field)) continue
    const target = hasMany.get(field.relation)?.target
    const answered = model.answered ? model : target?.answered ? target : null
    if (answered)
      mistakes.add(
        `${declaration.name}.fields.${name}`,
        `the store keeps sums, and ${notStored(answered.name)}.`,
        'Declare it as a field that the code gives, or leave it out.',
      )
  }
}

const checkOnlyWhile = ({ declaration, belongsTo }: ResourceDraft, mistakes: MistakeList): void => {
  for (const name of Object.keys(declaration.onlyWhile ?? {})) {
    const target = belongsTo.get(name)?.target
    if (target?.answered)
      mistakes.add(
        `${declaration.name}.onlyWhile`,
        `"${name}" cannot be looked at: ${notStored(target.name)}.`,
        'Leave it out.',
      )
  }
}
