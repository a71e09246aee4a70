import type { RemoveFilter, RemoveSort } from '../../declare/change.ts'
import { kinds } from '../../kinds/kinds.ts'
import type { Report } from '../changes/report.ts'
import { type Draft, withView } from '../changes/view-draft.ts'
import { text } from '../shape/shapes.ts'
import { type ChangeKind, narrowsRequests } from './change-kind.ts'
import { code, olderPaths, ruleEntry } from './guide-entry.ts'
import { olderFieldName, olderView } from './step.ts'
import { fieldTraces } from './usage-traces.ts'

type Change = RemoveFilter | RemoveSort
type Aspect = 'filter' | 'sort'

/** `query` is the parameter that named the field. */
const removed = (
  aspect: Aspect,
  builder: string,
  participle: string,
  query: (field: string) => string,
): ChangeKind<Change> => ({
  ...narrowsRequests,
  parameters: ['resource', 'field'],
  options: { form: `${builder}('books', 'isbn')`, needs: { resource: text, field: text } },
  phase: 3,
  takeBack: (draft, change, report) => offerAgain(draft, change, aspect, report),
  line: ({ resource, field }) => ({ where: `${resource}.${field}`, what: `${aspect} removed` }),
  guideEntry: ({ resource, field }, step) =>
    ruleEntry(`${code(resource)} can no longer be ${participle} by ${code(field)}`, [
      [
        code(`GET ${olderPaths(step, resource)[0]}?${query(olderFieldName(step, resource, field))}`),
        `${aspect} what you get`,
      ],
    ]),
  newerFields: ({ field }) => [field],
  usage: ({ resource, field }, step) =>
    fieldTraces(olderView(step, resource), [olderFieldName(step, resource, field)], [aspect]),
})

export const removeFilter = removed('filter', 'removeFilter', 'filtered', (field) => `filter[${field}]=…`)
export const removeSort = removed('sort', 'removeSort', 'sorted', (field) => `sort=${field}`)

/** Gives a filter or a sort back to the older version. */
const offerAgain = (
  draft: Draft,
  { resource, field: name }: Change,
  aspect: Aspect,
  report: Report,
): Draft | null => {
  const set = `${aspect}s` as const
  const view = report.view(resource)
  const field = view && report.field(view, resource, name)
  if (!field) return null
  if (view[set].has(name))
    return report.mistake(
      `${resource} still offers ${aspect} by ${name}.`,
      `Take it off the ${aspect} list, or leave this out.`,
    )
  if (field.made || field.writeOnly || kinds[field.kind].notQueryable !== null)
    return report.mistake(`${name} cannot be a ${aspect}.`, 'Only stored, shown, simple values can.')
  if (!report.claim(`${resource}.${name}`, aspect)) return null
  return withView(draft, resource, (one) => ({ ...one, [set]: one[set].union(new Set([name])) }))
}
