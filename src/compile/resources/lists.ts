import { kinds } from '../../kinds/kinds.ts'
import type { MistakeList } from '../mistakes.ts'
import type { Field, Resource } from '../model.ts'
import { didYouMean } from '../names/nearest.ts'
import { serverFields } from './declared-fields.ts'
import { eitherOrName } from './either-or-limits.ts'
import type { Drafts, ResourceDraft } from './resource-draft.ts'

type Use = 'filter' | 'sort' | 'unique' | 'by' | 'sums'

/** The fields a resource lets its consumers sort by. */
export const sortNames = (draft: ResourceDraft, mistakes: MistakeList): string[] =>
  listed(draft, 'sort', mistakes, (name, where) => usable(draft, name, 'sort', where, mistakes))

/** The fields a resource lets its consumers filter by, and paths to fields of rows that its rows belong to. */
export const filterNames = (draft: ResourceDraft, drafts: Drafts, mistakes: MistakeList): string[] =>
  listed(draft, 'filter', mistakes, (path, where) => {
    if (path === eitherOrName) {
      const why = `filter[${eitherOrName}] stands for alternatives, as in filter[${eitherOrName}][0][title]=x, so no filter can have this name.`
      mistakes.add(where, why, 'Name the field otherwise, or take it out of filter.')
      return false
    }
    const steps = path.split('.')
    const name = steps.pop() ?? ''
    const at = leadsTo(draft, drafts, steps, where, mistakes)
    return at !== null && usable(at, name, 'filter', where, mistakes)
  })

const listed = (
  { declaration }: ResourceDraft,
  use: 'filter' | 'sort',
  mistakes: MistakeList,
  holds: (name: string, where: string) => boolean,
): string[] =>
  (declaration[use] ?? []).filter((name, index, all) => {
    const where = `${declaration.name}.${use}`
    if (all.indexOf(name) !== index) mistakes.add(where, `"${name}" is named twice.`, 'Name it once.')
    return all.indexOf(name) === index && holds(name, where)
  })

const mostSteps = 2

/** The resource that a path of relations leads to. */
const leadsTo = (
  draft: ResourceDraft,
  drafts: Drafts,
  steps: readonly string[],
  where: string,
  mistakes: MistakeList,
): ResourceDraft | null => {
  const path = steps.join('.')
  if (steps.length > mostSteps)
    return mistakes.add(
      where,
      `"${path}" has ${steps.length} relations, and ${mostSteps} is the limit.`,
      'Name a field that is nearer.',
    )
  let at = draft
  for (const step of steps) {
    if (at.broken.has(step)) return null
    const relation = at.belongsTo.get(step)
    const target = relation && drafts.get(relation.target.name)
    if (!target) {
      const of = at.declaration.name
      const what = at.hasMany.has(step)
        ? `"${step}" of ${of} leads to many rows, and a filter leads to one.`
        : `"${step}" is not a to-one relation of ${of}.`
      return mistakes.add(where, what, didYouMean(step, at.belongsTo.keys()))
    }
    at = target
  }
  return at
}

/** The unique sets of fields. */
export const uniqueSets = (draft: ResourceDraft, mistakes: MistakeList): (readonly string[])[] => {
  const where = `${draft.declaration.name}.unique`
  const seen = new Set<string>()
  const sets = (draft.declaration.unique ?? []).map((set) => (typeof set === 'string' ? [set] : set))
  return sets.filter((set) => {
    const key = [...set].sort().join(',')
    if (set.length === 0) mistakes.add(where, 'an empty set of fields.', 'Name at least one field.')
    if (seen.has(key)) mistakes.add(where, `"${key}" is named twice.`, 'Name it once.')
    seen.add(key)
    if (new Set(set).size !== set.length)
      mistakes.add(where, `"${set.join(', ')}" repeats a field.`, 'Name it once.')
    return set.length > 0 && set.every((name) => usable(draft, name, 'unique', where, mistakes))
  })
}

export const usable = (
  draft: ResourceDraft,
  name: string,
  use: Use,
  where: string,
  mistakes: MistakeList,
): boolean => {
  if (draft.broken.has(name)) return false
  const field = draft.fields.get(name)
  if (field === undefined) {
    const asReference = draft.belongsTo.has(name) ? `${name}_id` : null
    const hint = asReference === null ? didYouMean(name, draft.fields.keys()) : `Write "${asReference}".`
    mistakes.add(where, `"${name}" is not a field of ${draft.declaration.name}.`, hint)
    return false
  }
  const why = unusable(field, use)
  if (why !== null) mistakes.add(where, `"${name}" ${why}.`, `Take it out of ${use}.`)
  return why === null
}

const unusable = (field: Field, use: Use): string | null => {
  const { notQueryable } = kinds[field.kind]
  if (notQueryable !== null) return notQueryable
  if (field.writeOnly && use !== 'unique') return 'is write-only, and this would show what it holds'
  if (use === 'unique' && serverFields.has(field.name)) return 'is set by the server'
  if (use === 'by' && serverFields.has(field.name)) return 'differs from row to row'
  return null
}

/** Every filter, sort and reference is backed by an index; where a unique index serves, no second one is made. */
export const indexSets = (
  resource: Resource,
  filters: Iterable<string>,
  sorts: Iterable<string>,
): (readonly string[])[] => {
  const references = resource.belongsTo.map((relation) => relation.field)
  const served = new Set(resource.uniques.filter((set) => isWhole(resource, set)).flat())
  const names = new Set([...references, ...filters, ...sorts])
  return [...names].filter((name) => name !== 'id' && !served.has(name)).map((name) => [name])
}

/** A unique index over one field that is never NULL orders rows completely. */
const isWhole = (resource: Resource, set: readonly string[]): boolean =>
  set.length === 1 && resource.field.get(set[0] ?? '')?.nullable === false
