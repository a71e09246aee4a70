import type { ChangeLimit } from '../../declare/change.ts'
import { type DraftView, withView } from '../changes/view-draft.ts'
import { didYouMean } from '../nearest.ts'
import { number, text } from '../shape/shapes.ts'
import type { ChangeKind } from './change-kind.ts'
import { code, ruleEntry } from './guide-entry.ts'
import { newerView } from './step.ts'

export const changeLimit: ChangeKind<ChangeLimit> = {
  parameters: ['resource', 'limit'],
  options: {
    form: "changeLimit('books', 'pageMax', { was: 100 })",
    needs: { resource: text, limit: text, was: number },
  },
  phase: 0,
  takeBack(draft, { resource, limit, was }, report) {
    const view = report.view(resource)
    if (!view) return draft
    if (!(limit in view.limits)) {
      report.mistake(`"${limit}" is not a limit.`, didYouMean(limit, Object.keys(view.limits)))
      return draft
    }
    if (!Number.isSafeInteger(was) || was < 1) {
      report.mistake(`${was} cannot be a limit.`, 'Write a whole number from 1.')
      return draft
    }
    if (view.limits[limit] === was) {
      report.mistake(
        `${limit} of ${resource} is still ${was}.`,
        'Change the limit in the declaration, or leave this out.',
      )
      return draft
    }
    if (!report.claim(`${resource} ${limit}`, 'limit')) return draft
    return withView(draft, resource, (one) =>
      withRows({ ...one, limits: { ...one.limits, [limit]: was } }, limit, was),
    )
  },
  changesNothing: () => false,
  shownInContract: true,
  verdict: ({ resource, limit, was }, newer) =>
    (newer.views.get(resource)?.limits[limit] ?? 0) < was ? 'breaking' : 'additive',
  loss: () => 'two-way',
  line: ({ resource, limit, was }, step) => ({
    where: `${resource}.limits.${limit}`,
    what: `${was} → ${newerView(step, resource)?.limits[limit]}`,
  }),
  guideEntry: ({ resource, limit, was }, step) =>
    ruleEntry(`The limit ${code(limit)} of ${code(resource)} changed`, [
      [String(was), String(newerView(step, resource)?.limits[limit] ?? '')],
    ]),
  newerFields: () => [],
  describedFields: () => [],
  stored: () => null,
  // Usage does not record how near a call came to a limit.
  usage: () => ({}),
}

/** The limit on rows holds for each to-many relation that has no cap of its own. */
const withRows = (view: DraftView, limit: string, was: number): DraftView => {
  if (limit !== 'includeRows') return view
  const relations = [...view.relations].map(([key, one]) => {
    const capped = one.relation.kind === 'has-many' && one.relation.cap === null
    return [key, capped ? { ...one, cap: was } : one] as const
  })
  return { ...view, relations: new Map(relations) }
}
