import type { RequireIdempotencyKey } from '../../declare/change.ts'
import { withView } from '../changes/view-draft.ts'
import { textShape } from '../shape/shapes.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { inCode, olderPaths, ruleEntry } from './guide-entry.ts'
import { methodTraces } from './usage-traces.ts'

export const requireIdempotencyKey: ChangeKind<RequireIdempotencyKey> = {
  ...usualChange,
  parameters: ['resource'],
  options: {
    form: "requireIdempotencyKey('books')",
    needs: { resource: textShape },
  },
  phase: 3,
  takeBack(draft, { resource }, report) {
    const view = report.view(resource)
    if (!view) return null
    if (view.idempotency.mode !== 'required')
      return report.mistake(
        `the Idempotency-Key of ${resource} is ${view.idempotency.mode}, not required.`,
        `Declare it on ${resource}: idempotencyKey: 'required'.`,
      )
    if (!report.claim(`${resource} Idempotency-Key`)) return null
    return withView(draft, resource, (one) => ({
      ...one,
      idempotency: { ...one.idempotency, mode: 'optional' },
    }))
  },
  line: ({ resource }) => ({ where: resource, what: 'creating needs an Idempotency-Key' }),
  guideEntry: ({ resource }, step) =>
    ruleEntry(
      `Creating ${inCode(resource)} needs an Idempotency-Key`,
      [[inCode(`POST ${olderPaths(step, resource)[0]}`), inCode('Idempotency-Key: <a UUID of your own>')]],
      'Send the same key again when you retry, a new one for each new row.',
    ),
  usage: ({ resource }, step) => methodTraces(step, resource, 'POST'),
}
