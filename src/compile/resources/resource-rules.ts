import { isSum } from '../../declare/field.ts'
import { kinds } from '../../kinds/kinds.ts'
import type { MistakeList, Note } from '../mistakes.ts'
import type { Field, Resource, SumFeed, WhileRule } from '../model.ts'
import { didYouMean } from '../names/nearest.ts'
import { fieldNamed, isSummable } from './lists.ts'
import type { Drafts, Mutable, ResourceDraft } from './resource-draft.ts'

/** Links the sums of a resource to their relations. */
export const linkSums = (
  draft: ResourceDraft,
  drafts: Drafts,
  mistakes: MistakeList,
): Map<Resource, SumFeed[]> => {
  const feeds = new Map<Resource, SumFeed[]>()
  for (const [name, declared] of Object.entries(draft.declaration.fields ?? {})) {
    const field = draft.fields.get(name)
    if (!isSum(declared) || field === undefined || draft.broken.has(declared.relation)) continue
    const note = mistakes.at(`${draft.declaration.name}.fields.${name}`)
    const relation = draft.hasMany.get(declared.relation)
    if (relation === undefined) {
      note(
        `"${declared.relation}" is not a has-many of ${draft.declaration.name}.`,
        didYouMean(declared.relation, draft.hasMany.keys()),
      )
      continue
    }
    if (relation.through) {
      const join = relation.through.source.name
      note(
        `"${relation.name}" leads through ${join}, and a row may be linked several times.`,
        `Keep what is summed in a field of ${join}, and sum over a has-many of ${join}.`,
      )
      continue
    }
    const target = drafts.get(relation.target.name)
    if (draft.model.shared && !relation.target.shared)
      note(`a shared row cannot hold a sum over rows of one account.`, 'Take the sum away.')
    if (declared.of.length === 0) note('it sums nothing.', "Name a field, as in sum('items', 'price').")
    if (target !== undefined) {
      for (const of of declared.of) {
        checkSummand(of, target, note)
        checkSummandScopes(field, target.fields.get(of), note)
      }
      takeKind(
        field,
        declared.of.flatMap((of) => target.fields.get(of) ?? []),
        note,
      )
    }
    field.sum = Object.freeze({ relation, of: declared.of })
    const feed: SumFeed = { field, on: draft.model, by: relation.by, of: declared.of }
    feeds.set(relation.target, [...(feeds.get(relation.target) ?? []), feed])
  }
  return feeds
}

const checkSummand = (name: string, target: ResourceDraft, note: Note): void => {
  const field = fieldNamed(target, name, note)
  if (field && isSummable(target, field, note) && isSum(target.declaration.fields[name]))
    note(`"${name}" is itself a sum, and sums of sums are not kept.`, 'Sum the fields it is made of.')
}

/** The sum over one row is the value itself, so it needs the same scopes. */
const checkSummandScopes = (sum: Field, summand: Field | undefined, note: Note): void => {
  for (const scope of summand?.needsScopes ?? [])
    if (!sum.needsScopes.includes(scope))
      note(
        `it would show what "${summand?.name}" holds to callers without the scope "${scope}".`,
        `Write needsScope('${scope}', sum(…)).`,
      )
}

/** A sum is of the kind of the factor that is no count: prices times pieces are a price. */
const takeKind = (field: Mutable<Field>, factors: readonly Field[], note: Note): void => {
  const [measure, second] = factors.filter(({ kind }) => kinds[kind].sum?.isCount === false)
  if (second !== undefined)
    note(
      `it multiplies "${measure?.name}" by "${second.name}", and only one factor can be other than an integer.`,
      'Take one of the two away.',
    )
  const summing = measure && kinds[measure.kind].sum
  if (!summing) return
  field.kind = measure.kind
  field.schema = summing.schema(measure.schema)
  field.default = summing.zero(measure.schema)
}

/** `onlyWhile`: a related row's field must have one of the values for a row to be written. */
export const whileRules = (draft: ResourceDraft, drafts: Drafts, mistakes: MistakeList): WhileRule[] => {
  const note = mistakes.at(`${draft.declaration.name}.onlyWhile`)
  return Object.entries(draft.declaration.onlyWhile ?? {}).flatMap(([name, fields]) => {
    const relation = draft.belongsTo.get(name)
    if (relation === undefined) {
      if (!draft.broken.has(name))
        note(
          `"${name}" is not a belongs-to relation of ${draft.declaration.name}.`,
          didYouMean(name, draft.belongsTo.keys()),
        )
      return []
    }
    const target = drafts.get(relation.target.name)
    return Object.entries(fields).flatMap(([field, values]) =>
      target !== undefined && checkValues(target, field, values, note) ? [{ relation, field, values }] : [],
    )
  })
}

export const deleteRules = (draft: ResourceDraft, mistakes: MistakeList) => {
  const note = mistakes.at(`${draft.declaration.name}.deleteOnlyWhile`)
  return Object.entries(draft.declaration.deleteOnlyWhile ?? {})
    .filter(([field, values]) => checkValues(draft, field, values, note))
    .map(([field, values]) => ({ field, values }))
}

const checkValues = (draft: ResourceDraft, name: string, values: readonly string[], note: Note): boolean => {
  if (draft.broken.has(name)) return false
  const field = draft.fields.get(name)
  const choosable = [...draft.fields.values()].filter(hasValues)
  if (field === undefined || !hasValues(field)) {
    const what =
      field === undefined ? `is not a field of ${draft.declaration.name}` : 'is neither a state nor an enum'
    const none = `${draft.declaration.name} has no field with states or an enum, and only those can be named here. Declare one, such as status: states('draft', { draft: ['placed'] }).`
    const names = choosable.map((known) => known.name)
    note(`"${name}" ${what}.`, names.length === 0 ? none : didYouMean(name, names))
    return false
  }
  if (values.length === 0)
    note(`no value of "${name}" is allowed, so it is never possible.`, 'Name at least one.')
  const known = (field.schema.enum ?? []) as readonly string[]
  for (const value of values)
    if (!known.includes(value)) note(`"${value}" is not a value of "${name}".`, didYouMean(value, known))
  return true
}

const hasValues = (field: Field): boolean => kinds[field.kind].listsValues
