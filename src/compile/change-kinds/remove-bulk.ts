import type { RemoveBulk } from '../../declare/change.ts'
import { withView } from '../changes/view-draft.ts'
import { textShape } from '../shape/shapes.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { inCode, olderPaths, ruleEntry } from './guide-entry.ts'
import { listTraces } from './usage-traces.ts'

export const removeBulk: ChangeKind<RemoveBulk> = {
  ...usualChange,
  parameters: ['resource'],
  options: {
    form: "removeBulk('books')",
    needs: { resource: textShape },
  },
  phase: 3,
  takeBack(draft, { resource }, report) {
    const view = report.view(resource)
    if (!view || !report.claim(`${resource} bulk`)) return null
    if (view.bulk)
      return report.mistake(`${resource} still takes lists.`, 'Take bulk off, or leave this out.')
    return withView(draft, resource, (one) => ({ ...one, bulk: true }))
  },
  line: ({ resource }) => ({ where: resource, what: 'bulk removed' }),
  guideEntry: ({ resource }, step) =>
    ruleEntry(`A POST of ${inCode(resource)} can no longer bring a list`, [
      [`${inCode(`POST ${olderPaths(step, resource)[0]}`)} with a list`, 'one POST for each row'],
    ]),
  usage: ({ resource }, step) => listTraces(step, resource, 'bulk'),
}
