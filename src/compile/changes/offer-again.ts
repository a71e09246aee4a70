import type { RemoveFilter, RemoveSort } from '../../declare/change.ts'
import { kinds } from '../../kinds/kinds.ts'
import type { Report } from './report.ts'
import { type Draft, withView } from './view-draft.ts'

/** Gives a filter or a sort back to the older version. */
export const offerAgain = (
  draft: Draft,
  { resource, field: name }: RemoveFilter | RemoveSort,
  aspect: 'filter' | 'sort',
  report: Report,
): Draft => {
  const set = `${aspect}s` as const
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
