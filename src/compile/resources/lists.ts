import { kinds } from '../../kinds/kinds.ts'
import type { MistakeList, Note } from '../mistakes.ts'
import type { Field, Resource } from '../model.ts'
import { didYouMean } from '../names/nearest.ts'
import { serverFields } from './declared-fields.ts'
import { eitherOrName } from './either-or-limits.ts'
import type { Drafts, ResourceDraft } from './resource-draft.ts'

type Use = 'filter' | 'sort' | 'unique' | 'by' | 'sums'

/** The fields a resource lets its consumers sort by. */
export const sortNames = (draft: ResourceDraft, mistakes: MistakeList): readonly string[] => {
  const note = mistakes.at(`${draft.declaration.name}.sort`)
  const names = namedOnce(draft.declaration.sort, note)
  return names.filter((name) => usable(draft, name, 'sort', note))
}

/** The fields a resource lets its consumers filter by, and paths to fields of rows that its rows belong to. */
export const filterNames = (
  draft: ResourceDraft,
  drafts: Drafts,
  mistakes: MistakeList,
): readonly string[] => {
  const note = mistakes.at(`${draft.declaration.name}.filter`)
  return namedOnce(draft.declaration.filter, note).filter((path) => {
    if (path === eitherOrName) {
      const why = `"${eitherOrName}" is no name of a filter: filter[${eitherOrName}] stands for alternatives, as in filter[${eitherOrName}][0][title]=x.`
      note(why, 'Name the field otherwise, or take it out of filter.')
      return false
    }
    const steps = path.split('.')
    if (steps.length - 1 > mostSteps) {
      const what = `"${path}" has ${steps.length - 1} relations, and ${mostSteps} is the limit.`
      note(what, 'Name a field that is nearer.')
      return false
    }
    const name = steps.pop() ?? ''
    // The path as it is written is said first: by it the place is found in the code.
    const within: Note = steps.length === 0 ? note : (what, hint) => note(`"${path}": ${what}`, hint)
    const at = leadsTo(draft, drafts, steps, within)
    return at !== null && usable(at, name, 'filter', within)
  })
}

/** The names, each once; a mistake is added for each that is named again. */
export const namedOnce = (names: readonly string[] = [], note: Note): readonly string[] =>
  names.filter((name, at) => {
    const isFirst = names.indexOf(name) === at
    if (!isFirst) note(`"${name}" is named twice.`, 'Name it once.')
    return isFirst
  })

const mostSteps = 2

/** The resource that a path of relations leads to. */
const leadsTo = (
  draft: ResourceDraft,
  drafts: Drafts,
  steps: readonly string[],
  note: Note,
): ResourceDraft | null => {
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
      return note(what, didYouMean(step, at.belongsTo.keys()))
    }
    at = target
  }
  return at
}

/** The unique sets of fields. */
export const uniqueSets = (draft: ResourceDraft, mistakes: MistakeList): (readonly string[])[] => {
  const note = mistakes.at(`${draft.declaration.name}.unique`)
  const seen = new Set<string>()
  const sets = (draft.declaration.unique ?? []).map((set) => (typeof set === 'string' ? [set] : set))
  return sets.filter((set) => {
    const key = [...set].sort().join(',')
    if (set.length === 0) note('an empty set of fields.', 'Name at least one field.')
    if (seen.has(key)) note(`"${key}" is named twice.`, 'Name it once.')
    seen.add(key)
    const names = namedOnce(set, note)
    return set.length > 0 && names.every((name) => usable(draft, name, 'unique', note))
  })
}

export const usable = (draft: ResourceDraft, name: string, use: Use, note: Note): boolean => {
  const field = fieldNamed(draft, name, note)
  if (field === null) return false
  const why = unusable(field, use)
  if (why !== null) note(`"${name}" ${why}.`, `Take it out of ${use}.`)
  return why === null
}

/** Null, with a mistake, where there is no field of the name; one that is broken was reported already. */
export const fieldNamed = (
  { declaration, fields, belongsTo, broken }: ResourceDraft,
  name: string,
  note: Note,
): Field | null => {
  const field = broken.has(name) ? null : fields.get(name)
  if (field !== undefined) return field
  const hint = belongsTo.has(name) ? `Write "${name}_id".` : didYouMean(name, fields.keys())
  return note(`"${name}" is not a field of ${declaration.name}.`, hint)
}

/** Whether a field has exact sums; a mistake is added where it has none. */
export const isSummable = (
  { declaration, fields }: ResourceDraft,
  { name, kind }: Field,
  note: Note,
): boolean => {
  if (kinds[kind].sum) return true
  const known = [...fields.values()].filter((one) => kinds[one.kind].sum).map((one) => one.name)
  note(
    `"${name}" of ${declaration.name} is of kind ${kind}, which has no exact sums.`,
    `Integers and decimals have. ${didYouMean(name, known)}`,
  )
  return false
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
