import type { ApiDeclaration } from '../../declare/api.ts'
import type { ResourceDeclaration } from '../../declare/resource.ts'
import { type MistakeList, mistakeList } from '../mistakes.ts'
import type { Field, Resource } from '../model.ts'
import { ownerRules } from '../rules/owner-rules.ts'
import { declaredProblems } from '../service/declared-problems.ts'
import type { KeptField } from '../versions/versions.ts'
import { readZod } from '../zod/read.ts'
import { readAnswers } from './answered-model.ts'
import { checkAnsweredRelations } from './answered-relations.ts'
import { isAudited } from './audited-resources.ts'
import {
  answeredIdSchema,
  declaredFields,
  idField,
  plainField,
  timeField,
  zodField,
} from './declared-fields.ts'
import { hasEvents } from './event-resources.ts'
import { checkFormerName, checkSwappedNames } from './former-name.ts'
import { checkKept } from './kept-resources.ts'
import { uniqueSets } from './lists.ts'
import { checkOwnerCycles, linkOwner } from './owners.ts'
import { checkReferenceCycles } from './reference-cycles.ts'
import { linkBelongsTo, linkHasMany } from './relations.ts'
import { type Drafts, type Mutable, plainResource, type ResourceDraft } from './resource-draft.ts'
import { checkResourceName } from './resource-name.ts'
import { deleteRules, linkSums, whileRules } from './resource-rules.ts'

/** Everything the store keeps, from the declarations: fields first, then what refers to them across resources. */
export const draftResources = (
  declaration: ApiDeclaration,
  kept: ReadonlyMap<string, readonly KeptField[]>,
  mistakes: MistakeList,
): Drafts => {
  const drafts = emptyDrafts(declaration, mistakes)
  const all = [...drafts.values()]
  for (const draft of all) {
    const references = linkBelongsTo(draft, drafts, mistakes)
    const own = declaredFields(draft, mistakes)
    const unseen = [...keptFields(draft, kept.get(draft.declaration.name) ?? []), ...hiddenFields(draft)]
    setFields(draft, [...references, ...own], unseen)
  }
  for (const draft of all) linkHasMany(draft, drafts, mistakes)
  for (const draft of all) linkOwner(draft, drafts, mistakes)
  for (const draft of all) checkAnsweredRelations(draft, mistakes)
  checkSwappedNames(declaration, mistakes)
  checkOwnerCycles(drafts, mistakes)
  checkReferenceCycles(drafts, mistakes)
  for (const draft of all) finish(draft, drafts, mistakes)
  checkKept(drafts, mistakes)
  for (const {
    model,
    declaration: { engineMade },
  } of all)
    if (engineMade?.ownedBy !== undefined) model.rules = ownerRules(model, engineMade.ownedBy)
  for (const { model } of all) {
    model.dependents = all.flatMap((other) =>
      other.model.belongsTo
        // Rows that code answers for refer to others, but nothing of them is stored.
        .filter((relation) => relation.target === model && !other.model.answered)
        .map((relation) => ({ relation, onDelete: relation.onTargetDelete })),
    )
  }
  return drafts
}

const emptyDrafts = (declaration: ApiDeclaration, mistakes: MistakeList): Map<string, ResourceDraft> => {
  const drafts = new Map<string, ResourceDraft>()
  for (const declared of declaration.resources) {
    checkResourceName(declared, declaration, drafts, mistakes)
    checkPrefix(declared, mistakes)
    const answered = readAnswers(declared, mistakes)
    checkFormerName(declared.was, declared.name, mistakes.at(declared.name))
    drafts.set(declared.name, {
      declaration: declared,
      model: {
        ...emptyResource(declared, mistakes),
        events: !answered && hasEvents(declared, declaration, mistakes),
        audited: isAudited(declared, declaration, { isStored: !answered }, mistakes),
        answered,
      },
      fields: new Map(),
      belongsTo: new Map(),
      hasMany: new Map(),
      broken: new Set(),
    })
  }
  return drafts
}

const checkPrefix = ({ name, idPrefix }: ResourceDeclaration, mistakes: MistakeList): void => {
  if (idPrefix !== undefined && !/^[a-z][a-z0-9]{0,15}_$/.test(idPrefix))
    mistakes.add(
      `${name}.idPrefix`,
      `"${idPrefix}" is not a prefix.`,
      'Write at most 16 letters or digits and an underscore, such as "ord_".',
    )
}

const emptyResource = (declared: ResourceDeclaration, mistakes: MistakeList): Mutable<Resource> => {
  const { hooks = {}, engineMade } = declared
  const byEngine = engineMade !== undefined
  return {
    ...plainResource(declared.name),
    shared: declared.shared === true,
    keptOnDeletion: declared.keepOnAccountDeletion === true,
    engineMade: byEngine,
    newestFirst: engineMade?.newestFirst ?? false,
    idPrefix: declared.idPrefix ?? '',
    description: declared.description ?? '',
    problems: declaredProblems(declared, mistakes),
    hooks,
    hasHooks: {
      create: byEngine || hooks.beforeCreate !== undefined || hooks.afterCreate !== undefined,
      update: byEngine || hooks.beforeUpdate !== undefined || hooks.afterUpdate !== undefined,
      delete: hooks.beforeDelete !== undefined || hooks.afterDelete !== undefined,
    },
  }
}

/**
 * Fields that were removed since, but that an old version still shows; a head that never sends them leaves them unset.
 * Mistakes in their schemas are reported at the change.
 */
const keptFields = (draft: ResourceDraft, kept: readonly KeptField[]): Mutable<Field>[] =>
  kept.flatMap(({ name, schema }) => {
    const elsewhere = mistakeList().at(name)
    const read = readZod(schema, elsewhere)
    if (read === null || draft.declaration.fields[name] !== undefined) return []
    return [{ ...zodField(name, read, elsewhere), nullable: true, optional: true, kept: true }]
  })

/** Fields of the engine's own resources that no version shows. */
const hiddenFields = ({ declaration: { engineMade } }: ResourceDraft): Mutable<Field>[] =>
  Object.entries(engineMade?.hidden ?? {}).map(([name, kind]) => ({
    ...plainField(name, kind, {}),
    nullable: true,
    optional: true,
    kept: true,
  }))

const setFields = (
  draft: ResourceDraft,
  own: readonly Mutable<Field>[],
  old: readonly Mutable<Field>[],
): void => {
  const id = draft.model.answered
    ? { ...idField(''), schema: answeredIdSchema }
    : idField(draft.model.idPrefix)
  const times = draft.model.answered
    ? []
    : [timeField('created_at', 'When it was created.'), timeField('updated_at', 'When it was last changed.')]
  for (const field of [id, ...own, ...times]) draft.fields.set(field.name, field)
  draft.model.fields = [id, ...own, ...old, ...times]
  draft.model.field = new Map(draft.model.fields.map((field) => [field.name, field]))
}

const finish = (draft: ResourceDraft, drafts: Drafts, mistakes: MistakeList): void => {
  const { model } = draft
  model.belongsTo = [...draft.belongsTo.values()]
  model.references = model.belongsTo.filter(({ target }) => !target.answered)
  model.hasMany = [...draft.hasMany.values()]
  model.uniques = uniqueSets(draft, mistakes)
  model.onlyWhile = whileRules(draft, drafts, mistakes)
  model.deleteOnlyWhile = deleteRules(draft, mistakes)
  for (const [target, feeds] of linkSums(draft, drafts, mistakes)) {
    const fed = drafts.get(target.name)
    if (fed !== undefined) fed.model.feeds = [...fed.model.feeds, ...feeds]
  }
}
