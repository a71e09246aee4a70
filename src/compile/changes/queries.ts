import type { RemoveFilter, RemoveInclude, RemoveSort } from '../../declare/change.ts'
import { kinds } from '../../kinds/kinds.ts'
import { didYouMean } from '../nearest.ts'
import type { Inverse } from './inverse.ts'
import type { Report } from './report.ts'
import { type Draft, type DraftView, viewOfResource, withView } from './view-draft.ts'

export const removeInclude: Inverse<RemoveInclude> = (draft, change, report) => {
  const view = report.view(change.resource)
  if (!view) return draft
  const steps = change.path.split('.')
  if (!checkPath(draft, view, steps, report)) return draft
  if (view.includePaths.has(change.path)) {
    report.mistake(
      `${change.resource} still offers "${change.path}".`,
      'Take it off the include list, or leave this out.',
    )
    return draft
  }
  if (steps.length > view.limits.includeDepth) {
    const { includeDepth } = view.limits
    report.mistake(
      `"${change.path}" has ${steps.length} steps, and ${includeDepth} is the limit.`,
      `Add changeLimit('${change.resource}', 'includeDepth', { was: ${steps.length} }) if the older limit was higher.`,
    )
    return draft
  }
  if (!report.claim(`include ${change.resource} ${change.path}`, 'include')) return draft
  const paths = steps.map((_, index) => steps.slice(0, index + 1).join('.'))
  return withView(draft, change.resource, (one) => ({
    ...one,
    includePaths: one.includePaths.union(new Set(paths)),
  }))
}

const checkPath = (draft: Draft, view: DraftView, steps: readonly string[], report: Report): boolean => {
  let at: DraftView | undefined = view
  for (const step of steps) {
    const relation = at?.relations.get(step)
    if (!at || !relation) {
      report.mistake(
        `"${step}" is not a relation of ${at?.name ?? 'it'}.`,
        didYouMean(step, at?.relations.keys() ?? []),
      )
      return false
    }
    at = viewOfResource(draft, relation.relation.target.name)?.[1]
  }
  return true
}

export const removeFilter: Inverse<RemoveFilter> = (draft, change, report) =>
  offerAgain(draft, change, 'filter', 'filters', report)

export const removeSort: Inverse<RemoveSort> = (draft, change, report) =>
  offerAgain(draft, change, 'sort', 'sorts', report)

const offerAgain = (
  draft: Draft,
  { resource, field: name }: RemoveFilter | RemoveSort,
  aspect: 'filter' | 'sort',
  set: 'filters' | 'sorts',
  report: Report,
): Draft => {
  const view = report.view(resource)
  const field = view && report.field(view, resource, name)
  if (!field) return draft
  if (view[set].has(name)) {
    report.mistake(
      `${resource} still offers ${aspect} by ${name}.`,
      `Take it off the ${aspect} list, or leave this out.`,
    )
    return draft
  }
  if (field.made || field.writeOnly || kinds[field.kind].notQueryable !== null) {
    report.mistake(`${name} cannot be a ${aspect}.`, 'Only stored, shown, simple values can.')
    return draft
  }
  if (!report.claim(`${resource}.${name}`, aspect)) return draft
  return withView(draft, resource, (one) => ({ ...one, [set]: one[set].union(new Set([name])) }))
}
