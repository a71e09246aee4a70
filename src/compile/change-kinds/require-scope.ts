import type { RequireScope } from '../../declare/change.ts'
import { withView } from '../changes/view-draft.ts'
import { methodShape } from '../resources/methods-and-scopes.ts'
import { textShape } from '../shape/shapes.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { inCode, ruleEntry } from './guide-entry.ts'
import { newerView } from './step.ts'
import { methodTraces } from './usage-traces.ts'

export const requireScope: ChangeKind<RequireScope> = {
  ...usualChange,
  parameters: ['resource', 'method'],
  options: {
    form: "requireScope('books', 'POST', { was: 'authenticated' })",
    needs: { resource: textShape, method: methodShape, was: textShape },
  },
  phase: 4,
  takeBack(draft, { resource, method, was }, report) {
    const view = report.view(resource)
    if (!view) return null
    if (view.scopes[method] === was)
      return report.mistake(
        `${method} of ${resource} still needs "${was}".`,
        'Change its scopes, or leave this out.',
      )
    if (!report.claim(`scope of ${method} ${resource}`)) return null
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
