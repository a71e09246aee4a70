import { isSum } from '../../declare/field.ts'
import type { MistakeList } from '../mistakes.ts'
import type { BelongsToModel, HasManyModel } from '../model.ts'
import { hyphenated } from '../names/name-rules.ts'
import type { Drafts, ResourceDraft } from './resource-draft.ts'

/** What relations from and to nouns that are answered by code cannot be used for: all that the store does by itself. */
export const checkAnsweredRelations = (draft: ResourceDraft, drafts: Drafts, mistakes: MistakeList): void => {
  for (const relation of draft.belongsTo.values()) checkBelongsTo(relation, mistakes)
  for (const relation of draft.hasMany.values()) checkHasMany(relation, mistakes)
  checkOwner(draft, mistakes)
  checkSums(draft, mistakes)
  checkOnlyWhile(draft, mistakes)
  checkFilters(draft, drafts, mistakes)
  checkIncludes(draft, drafts, mistakes)
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
  const where = `${source.name}.relations.${name}`
  if (through) {
    const answered = [source, target, through.source].find((one) => one.answered)
    if (answered)
      mistakes.add(
        where,
        `a many-to-many is read from the store, and ${notStored(answered.name)}.`,
        `Lead to ${through.source.name} itself, without "through".`,
      )
    return
  }
  if (source.answered && !source.answered.get)
    mistakes.add(
      where,
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

const checkFilters = ({ declaration, model }: ResourceDraft, drafts: Drafts, mistakes: MistakeList) => {
  for (const path of declaration.filter ?? []) {
    if (typeof path !== 'string' || !path.includes('.')) continue
    const passed = [model, ...drafted(model.name, path.split('.').slice(0, -1), drafts)]
    const answered = passed.find((one) => one.answered)
    if (answered)
      mistakes.add(
        `${declaration.name}.filter`,
        `"${path}" leads through relations, which only the store follows, and ${notStored(answered.name)}.`,
        'Name a field of its own, or leave it out.',
      )
  }
}

const checkIncludes = ({ declaration }: ResourceDraft, drafts: Drafts, mistakes: MistakeList): void => {
  for (const path of declaration.include ?? []) {
    if (typeof path !== 'string') continue
    const last = drafted(declaration.name, path.split('.'), drafts).at(-1)
    if (last?.answered && !last.answered.list)
      mistakes.add(
        `${declaration.name}.include`,
        `"${path}" leads to ${last.name}, which has no list among its answers, and rows are included by it.`,
        `Write list into the answers of ${last.name}, or leave the path out.`,
      )
  }
}

/** The resources that the steps of a path lead to, as far as there are any. */
const drafted = (from: string, steps: readonly string[], drafts: Drafts) => {
  const passed: ResourceDraft['model'][] = []
  let here = drafts.get(from)
  for (const step of steps) {
    const relation: BelongsToModel | HasManyModel | undefined =
      here?.belongsTo.get(step) ?? here?.hasMany.get(step)
    here = relation && drafts.get(relation.target.name)
    if (!here) break
    passed.push(here.model)
  }
  return passed
}
