import type { RemoveMethod } from '../../declare/change.ts'
import { type Draft, type DraftView, withView } from '../changes/view-draft.ts'
import { didYouMean } from '../nearest.ts'
import { hasTopLevel } from '../owners.ts'
import { text } from '../shape/shapes.ts'
import type { ChangeKind } from './change-kind.ts'
import { code, ruleEntry } from './guide-entry.ts'
import { olderName } from './step.ts'
import { methodTraces } from './usage-traces.ts'

export const removeMethod: ChangeKind<RemoveMethod> = {
  parameters: ['resource', 'method'],
  options: {
    form: "removeMethod('books', 'DELETE')",
    needs: { resource: text, method: text },
  },
  phase: 3,
  takeBack(draft, { resource, method }, report) {
    const view = report.view(resource)
    if (!view) return draft
    if (!(method in view.scopes)) {
      report.mistake(`"${method}" is not a method.`, didYouMean(method, Object.keys(view.scopes)))
      return draft
    }
    if (view.methods.has(method)) {
      report.mistake(
        `${resource} still offers ${method}.`,
        'Take it off the methods of the resource, or leave this out.',
      )
      return draft
    }
    if (!report.claim(`${method} ${resource}`, 'method')) return draft
    return withView(draft, resource, (one) => ({
      ...(one.methods.size === 0 ? withPaths(one, draft) : one),
      methods: new Set([...one.methods, method]),
    }))
  },
  changesNothing: () => false,
  shownInContract: true,
  verdict: () => 'breaking',
  loss: () => 'two-way',
  line: ({ resource, method }) => ({ where: `${method} ${resource}`, what: 'method removed' }),
  guideEntry: ({ resource, method }, step) =>
    ruleEntry(`${code(method)} is no longer offered on ${code(resource)}`, [
      [code(`${method} /${step.older.name}/${olderName(step, resource)}`), 'nothing'],
    ]),
  newerFields: () => [],
  describedFields: () => [],
  stored: () => null,
  usage: ({ resource, method }, step) => methodTraces(step, resource, method),
}

/** A resource that the newer version dropped has no paths there; its older ones follow from what is stored. */
const withPaths = (view: DraftView, draft: Draft): DraftView => ({
  ...view,
  topLevel: hasTopLevel(view.resource),
  under: [...draft.values()].flatMap((owner) =>
    [...owner.relations]
      .filter(([, { relation }]) => relation.kind === 'has-many' && relation.target === view.resource)
      .map(([key]) => ({ owner: owner.resource.name, relation: key })),
  ),
})
