import type { RemoveFilter, RemoveSort } from '../../declare/change.ts'
import { kinds } from '../../kinds/kinds.ts'
import type { Report } from '../changes/report.ts'
import {
  type Draft,
  type DraftField,
  type DraftView,
  viewOfResource,
  withView,
} from '../changes/view-draft.ts'
import { didYouMean } from '../names/nearest.ts'
import { textShape } from '../shape/shapes.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { inCode, olderPaths, ruleEntry } from './guide-entry.ts'
import { olderFilterName, olderView } from './step.ts'
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
  ...usualChange,
  parameters: ['resource', 'field'],
  options: { form: `${builder}('books', 'isbn')`, needs: { resource: textShape, field: textShape } },
  phase: 3,
  takeBack: (draft, change, report) => offerAgain(draft, change, aspect, report),
  line: ({ resource, field }) => ({ where: `${resource}.${field}`, what: `${aspect} removed` }),
  guideEntry: ({ resource, field }, step) =>
    ruleEntry(`${inCode(resource)} can no longer be ${participle} by ${inCode(field)}`, [
      [
        inCode(`GET ${olderPaths(step, resource)[0]}?${query(olderFilterName(step, resource, field))}`),
        `${aspect} what you get`,
      ],
    ]),
  newerFields: ({ field }) => [field],
  usage: ({ resource, field }, step) =>
    fieldTraces(olderView(step, resource), [olderFilterName(step, resource, field)], [aspect]),
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
  const path = aspect === 'filter' ? name.split('.') : [name]
  const field = view && fieldAt(draft, view, resource, path, path.length > 1 ? report.within(name) : report)
  if (!view || !field || !report.claim(`${resource}.${name}`)) return null
  if (view[set].has(name))
    return report.mistake(
      `${resource} still offers ${aspect} by "${name}".`,
      `Take it off the ${aspect} list, or leave this out.`,
    )
  if (field.made || field.writeOnly || kinds[field.kind].notQueryable !== null)
    return report.mistake(`"${name}" cannot be a ${aspect}.`, 'Only stored, shown, simple values can.')
  return withView(draft, resource, (one) => ({ ...one, [set]: one[set].union(new Set([name])) }))
}

/** The field that to-one relations lead to. */
const fieldAt = (
  draft: Draft,
  from: DraftView,
  resource: string,
  path: readonly string[],
  report: Report,
): DraftField | null => {
  const [name = '', ...rest] = path
  if (rest.length === 0) return report.field(resource, name)
  const relation = from.relations.get(name)
  const target = relation && viewOfResource(draft, relation.relation.target.name)
  if (relation?.relation.kind !== 'belongs-to' || !target)
    return report.mistake(
      relation?.relation.kind === 'has-many'
        ? `"${name}" of ${resource} leads to many rows, and a filter leads to one.`
        : `"${name}" is not a to-one relation of ${resource}.`,
      didYouMean(name, toOnesOf(from)),
    )
  return fieldAt(draft, target[1], target[0], rest, report)
}

const toOnesOf = ({ relations }: DraftView): readonly string[] =>
  [...relations].filter(([, { relation }]) => relation.kind === 'belongs-to').map(([name]) => name)
