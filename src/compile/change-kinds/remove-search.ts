import type { RemoveSearch } from '../../declare/change.ts'
import { withView } from '../changes/view-draft.ts'
import { whyNotSearched } from '../resources/searched.ts'
import { textShape } from '../shape/shapes.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { inCode, olderPaths, ruleEntry } from './guide-entry.ts'
import { newerView } from './step.ts'
import { listTraces } from './usage-traces.ts'

export const removeSearch: ChangeKind<RemoveSearch> = {
  ...usualChange,
  parameters: ['resource', 'field'],
  options: {
    form: "removeSearch('books', 'title')",
    needs: { resource: textShape, field: textShape },
  },
  phase: 3,
  takeBack(draft, { resource, field: name }, report) {
    const view = report.view(resource)
    const field = view && report.field(resource, name)
    if (!view || !field || !report.claim(`${resource}.${name}`)) return null
    if (view.searched.has(name))
      return report.mistake(
        `${resource} still offers search in "${name}".`,
        'Take it off the search list, or leave this out.',
      )
    if (!field.field || whyNotSearched(field) !== null)
      return report.mistake(`"${name}" cannot be searched.`, 'Only stored, shown texts can.')
    return withView(draft, resource, (one) => ({ ...one, searched: one.searched.union(new Set([name])) }))
  },
  line: ({ resource, field }) => ({ where: `${resource}.${field}`, what: 'search removed' }),
  guideEntry: ({ resource, field }, step) => {
    const left = [...(newerView(step, resource)?.searched ?? [])].map(inCode)
    const now =
      left.length > 0 ? `the same finds words of ${left.join(' and ')} alone` : 'search what you get'
    return ruleEntry(`${inCode(resource)} can no longer be searched in ${inCode(field)}`, [
      [inCode(`GET ${olderPaths(step, resource)[0]}?search=…`), now],
    ])
  },
  newerFields: ({ field }) => [field],
  // Usage does not record in which field a word was found.
  usage: ({ resource }, step) => listTraces(step, resource, 'search'),
}
