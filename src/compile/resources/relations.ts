import type { BelongsTo, HasMany } from '../../declare/relation.ts'
import type { MistakeList } from '../mistakes.ts'
import type { BelongsToModel, Field, HasManyModel } from '../model.ts'
import { hyphenated, resourceNameFault, snakeNameFault, underscored } from '../names/name-rules.ts'
import { didYouMean, nearest } from '../names/nearest.ts'
import { answeredIdSchema, idSchema, plainField } from './declared-fields.ts'
import { checkFormerName } from './former-name.ts'
import { inverseOf } from './inverse.ts'
import { joinedBy } from './many-to-many.ts'
import type { Drafts, Mutable, ResourceDraft } from './resource-draft.ts'

/** Makes every belongs-to of a resource, and its reference field, in declared order. */
export const linkBelongsTo = (
  draft: ResourceDraft,
  drafts: Drafts,
  mistakes: MistakeList,
): Mutable<Field>[] => {
  const { name: resource, relations = {}, owner, shared } = draft.declaration
  const references: Mutable<Field>[] = []
  for (const [name, declared] of Object.entries(relations)) {
    if (declared.kind !== 'belongs-to') continue
    const note = mistakes.at(`${resource}.relations.${name}`)
    checkFormerName(declared.was, name, note)
    const target = targetOf(draft, name, declared, drafts, mistakes)
    if (target === null) continue
    if (shared === true && target.declaration.shared !== true)
      note(
        `shared rows cannot belong to ${declared.target}, which each account has of its own.`,
        `Make ${declared.target} shared too, or ${resource} not shared.`,
      )
    if (target.declaration.shared === true && declared.onTargetDelete === 'cascade')
      note(
        `deleting a shared row of ${declared.target} would delete rows of every account.`,
        "Leave out onTargetDelete: 'cascade'.",
      )
    const relation: BelongsToModel = Object.freeze({
      kind: 'belongs-to',
      name,
      source: draft.model,
      target: target.model,
      field: `${name}_id`,
      optional: declared.optional,
      onTargetDelete: declared.onTargetDelete,
      description: declared.description ?? '',
    })
    draft.belongsTo.set(name, relation)
    references.push({
      ...plainField(
        relation.field,
        'reference',
        target.model.answered ? answeredIdSchema : idSchema(target.model.idPrefix),
      ),
      nullable: declared.optional,
      optional: declared.optional,
      immutable: declared.immutable || owner === name,
      relation,
      description: relation.description,
    })
  }
  return references
}

/** The target of a relation; adds a mistake when there is none, or when the relation's name is wrong. */
const targetOf = (
  draft: ResourceDraft,
  name: string,
  declared: BelongsTo | HasMany,
  drafts: Drafts,
  mistakes: MistakeList,
): ResourceDraft | null => {
  const note = mistakes.at(`${draft.declaration.name}.relations.${name}`)
  const fault = snakeNameFault(name, 'relation') ?? doubleName(draft, name, declared)
  if (fault !== null) note(fault.what, fault.hint)
  const target = drafts.get(declared.target)
  // A relation without a target was unusable, and the mistake is already reported.
  if (target === undefined && declared.target !== undefined)
    note(`there is no resource "${declared.target}".`, howToFind(declared, drafts))
  if (fault === null && target !== undefined) return target
  draft.broken.add(name)
  if (declared.kind === 'belongs-to') draft.broken.add(`${name}_id`)
  return null
}

/** What to do about a target that does not exist. The engine's own resources are no targets. */
const howToFind = ({ target, byResource }: BelongsTo | HasMany, drafts: Drafts): string => {
  if (byResource) return 'It is declared, but not listed: add it to the resources of api(…).'
  const own = [...drafts].filter(([, { model }]) => !model.engineMade).map(([name]) => name)
  const near = didYouMean(target, own)
  return nearest(target, own) === null
    ? `${near} If it is declared, add it to the resources of api(…).`
    : near
}

const doubleName = (draft: ResourceDraft, name: string, declared: BelongsTo | HasMany) => {
  const { fields = {}, relations = {} } = draft.declaration
  const reference = `${name}_id`
  if (name in fields)
    return {
      what: `"${name}" is also a field, and an include would show both under one name.`,
      hint: 'Rename one of them.',
    }
  if (declared.kind === 'belongs-to' && reference in fields)
    return {
      what: `it makes the field "${reference}", which is also declared.`,
      hint: `Take "${reference}" out of fields: the relation brings it.`,
    }
  if (declared.kind === 'belongs-to' && reference in relations)
    return {
      what: `it makes the field "${reference}", which is also the name of a relation.`,
      hint: 'Rename one of them.',
    }
  return null
}

/** The resources that link two others: they point to both. */
const linksOf = (one: ResourceDraft, other: ResourceDraft, drafts: Drafts): readonly string[] =>
  [...drafts.values()]
    .filter(({ belongsTo }) => {
      const targets = [...belongsTo.values()].map(({ target }) => target)
      return one !== other && targets.includes(one.model) && targets.includes(other.model)
    })
    .map(({ declaration }) => declaration.name)

/** Makes every has-many of a resource; belongs-to relations of all resources must be linked before. */
export const linkHasMany = (draft: ResourceDraft, drafts: Drafts, mistakes: MistakeList): void => {
  const { name: resource, relations = {} } = draft.declaration
  for (const [name, declared] of Object.entries(relations)) {
    if (declared.kind !== 'has-many') continue
    const note = mistakes.at(`${resource}.relations.${name}`)
    const target = targetOf(draft, name, declared, drafts, mistakes)
    if (target === null) continue
    const because = declared.nameIsPluralBecause ?? target.declaration.nameIsPluralBecause
    const fault = resourceNameFault(hyphenated(name), because)
    if (fault !== null) note(`it is a path segment, and ${fault.what}`, underscored(fault.hint))
    if (
      declared.cap !== undefined &&
      !(Number.isInteger(declared.cap) && declared.cap >= 1 && declared.cap <= 1000)
    )
      mistakes.add(
        `${resource}.relations.${name}.cap`,
        `${declared.cap} is out of range.`,
        'Write a whole number from 1 to 1000.',
      )
    const led =
      declared.through === undefined
        ? directly(inverseOf(draft, target, declared, note, linksOf(draft, target, drafts)))
        : joinedBy(draft, target, declared, drafts, note)
    if (led === null) {
      draft.broken.add(name)
      continue
    }
    const relation: HasManyModel = Object.freeze({
      kind: 'has-many',
      name,
      source: draft.model,
      target: target.model,
      ...led,
      cap: declared.cap ?? null,
      description: declared.description ?? '',
    })
    draft.hasMany.set(name, relation)
  }
}

const directly = (by: BelongsToModel | null) => by && { by, through: null }
