import type { RemoveCount } from '../../declare/change.ts'
import { withView } from '../changes/view-draft.ts'
import { textShape } from '../shape/shapes.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { inCode, olderPaths, ruleEntry } from './guide-entry.ts'
import { listTraces } from './usage-traces.ts'

export const removeCount: ChangeKind<RemoveCount> = {
  ...usualChange,
  parameters: ['resource'],
  options: {
    form: "removeCount('books')",
    needs: { resource: textShape },
  },
  phase: 3,
  takeBack(draft, { resource }, report) {
    const view = report.view(resource)
    if (!view || !report.claim(`${resource} count`)) return null
    if (view.counted)
      return report.mistake(`${resource} still offers count.`, 'Take count off, or leave this out.')
    return withView(draft, resource, (one) => ({ ...one, counted: true }))
  },
  line: ({ resource }) => ({ where: resource, what: 'count removed' }),
  guideEntry: ({ resource }, step) =>
    ruleEntry(`Lists of ${inCode(resource)} can no longer be counted`, [
      [inCode(`GET ${olderPaths(step, resource)[0]}?count=true`), 'count what you get'],
    ]),
  usage: ({ resource }, step) => listTraces(step, resource, 'count'),
}
