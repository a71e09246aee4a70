import type { RemoveInclude } from '../../declare/change.ts'
import type { Report } from '../changes/report.ts'
import { type Draft, type DraftView, viewOfResource, withView } from '../changes/view-draft.ts'
import { didYouMean } from '../names/nearest.ts'
import { textShape } from '../shape/shapes.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { inCode, olderPaths, ruleEntry } from './guide-entry.ts'
import { olderIncludePath, olderView } from './step.ts'
import { fieldTraces } from './usage-traces.ts'

export const removeInclude: ChangeKind<RemoveInclude> = {
  ...usualChange,
  parameters: ['resource', 'path'],
  options: {
    form: "removeInclude('books', 'author')",
    needs: { resource: textShape, path: textShape },
  },
  phase: 3,
  takeBack(draft, change, report) {
    const view = report.view(change.resource)
    if (!view) return null
    const steps = change.path.split('.')
    if (!checkPath(draft, view, steps, report)) return null
    if (view.includePaths.has(change.path))
      return report.mistake(
        `${change.resource} still offers "${change.path}".`,
        'Take it off the include list, or leave this out.',
      )
    if (steps.length > view.limits.includeDepth) {
      const { includeDepth } = view.limits
      return report.mistake(
        `"${change.path}" has ${steps.length} steps, and ${includeDepth} is the limit.`,
        `Add changeLimit('${change.resource}', 'includeDepth', { was: ${steps.length} }) if the older limit was higher.`,
      )
    }
    if (!report.claim(`include ${change.resource} ${change.path}`)) return null
    const paths = steps.map((_, index) => steps.slice(0, index + 1).join('.'))
    return withView(draft, change.resource, (one) => ({
      ...one,
      includePaths: one.includePaths.union(new Set(paths)),
    }))
  },
  line: ({ resource, path }) => ({ where: resource, what: `include ${path} removed` }),
  guideEntry: ({ resource, path }, step) =>
    ruleEntry(`${inCode(resource)} can no longer include ${inCode(path)}`, [
      [
        inCode(`GET ${olderPaths(step, resource)[0]}?include=${olderIncludePath(step, resource, path)}`),
        'fetch the rows from their own collection',
      ],
    ]),
  usage: ({ resource, path }, step) =>
    fieldTraces(olderView(step, resource), [olderIncludePath(step, resource, path)], ['include']),
}

const checkPath = (draft: Draft, view: DraftView, steps: readonly string[], report: Report): boolean => {
  let at: DraftView | undefined = view
  for (const step of steps) {
    const relation = at?.relations.get(step)
    if (!at || !relation) {
      report.mistake(
        `"${step}" is not a relation of ${at?.name ?? 'it'}.`,
        didYouMean(step, at?.relations.keys() ?? []),
      )
      return false
    }
    at = viewOfResource(draft, relation.relation.target.name)?.[1]
  }
  return true
}
