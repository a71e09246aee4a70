import type { RemoveMethod } from '../../declare/change.ts'
import { type Draft, type DraftView, withView } from '../changes/view-draft.ts'
import { rowPath } from '../names/collection-paths.ts'
import { methodShape } from '../resources/methods-and-scopes.ts'
import { hasTopLevel } from '../resources/owners.ts'
import { textShape } from '../shape/shapes.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { inCode, olderPaths, ruleEntry } from './guide-entry.ts'
import { olderView } from './step.ts'
import { methodTraces } from './usage-traces.ts'

export const removeMethod: ChangeKind<RemoveMethod> = {
  ...usualChange,
  parameters: ['resource', 'method'],
  options: {
    form: "removeMethod('books', 'DELETE')",
    needs: { resource: textShape, method: methodShape },
  },
  phase: 3,
  takeBack(draft, { resource, method }, report) {
    const view = report.view(resource)
    if (!view) return null
    if (view.methods.has(method))
      return report.mistake(
        `${resource} still offers ${method}.`,
        'Take it off the methods of the resource, or leave this out.',
      )
    if (!report.claim(`${method} ${resource}`)) return null
    return withView(draft, resource, (one) => ({
      ...(one.methods.size === 0 ? withPaths(one, draft) : one),
      methods: new Set([...one.methods, method]),
    }))
  },
  line: ({ resource, method }) => ({ where: `${method} ${resource}`, what: 'method removed' }),
  guideEntry: ({ resource, method }, step) =>
    ruleEntry(
      `${inCode(method)} is no longer offered on ${inCode(resource)}`,
      olderPaths(step, resource)
        .flatMap((path) => (olderView(step, resource)?.totals ? [path] : pathsWith(method, path)))
        .map((path) => [inCode(`${method} ${path}`), 'nothing']),
    ),
  usage: ({ resource, method }, step) => methodTraces(step, resource, method),
}

/** GET is of lists and of rows, POST of lists, all others of rows. */
const pathsWith = (method: string, collection: string): readonly string[] => [
  ...(method === 'GET' || method === 'POST' ? [collection] : []),
  ...(method === 'POST' ? [] : [rowPath(collection)]),
]

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
