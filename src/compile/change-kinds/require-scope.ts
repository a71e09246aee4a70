import type { RequireScope } from '../../declare/change.ts'
import { withView } from '../changes/view-draft.ts'
import { didYouMean } from '../names/nearest.ts'
import { textShape } from '../shape/shapes.ts'
import { type ChangeKind, narrowsRequests } from './change-kind.ts'
import { inCode, ruleEntry } from './guide-entry.ts'
import { newerView } from './step.ts'
import { methodTraces } from './usage-traces.ts'

export const requireScope: ChangeKind<RequireScope> = {
  ...narrowsRequests,
  parameters: ['resource', 'method'],
  options: {
    form: "requireScope('books', 'POST', { was: 'authenticated' })",
    needs: { resource: textShape, method: textShape, was: textShape },
  },
  phase: 4,
  takeBack(draft, { resource, method, was }, report) {
    const view = report.view(resource)
    if (!view) return null
    const rule = view.scopes[method]
    if (rule === undefined || rule === was)
      return report.mistake(
        rule === undefined
          ? `"${method}" is not a method.`
          : `${method} of ${resource} still needs "${was}".`,
        rule === undefined
          ? didYouMean(method, Object.keys(view.scopes))
          : 'Change its scopes, or leave this out.',
      )
    if (!report.claim(`scope of ${method} ${resource}`, 'key')) return null
    return withView(draft, resource, (one) => ({ ...one, scopes: { ...one.scopes, [method]: was } }))
  },
  line: ({ resource, method, was }, step) => ({
    where: `${method} ${resource}`,
    what: `scope ${was} → ${newerView(step, resource)?.scopes[method]}`,
  }),
  guideEntry: ({ resource, method, was }, step) =>
    ruleEntry(`${inCode(`${method} ${resource}`)} needs another scope`, [
      [inCode(was), inCode(newerView(step, resource)?.scopes[method] ?? '')],
    ]),
  usage: ({ resource, method }, step) => methodTraces(step, resource, method),
}
