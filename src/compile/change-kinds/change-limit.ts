import type { ChangeLimit } from '../../declare/change.ts'
import { type DraftView, withView } from '../changes/view-draft.ts'
import { limitNames, mostOf } from '../service/limits.ts'
import { textShape, wholeFromOne, wordFrom } from '../shape/shapes.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { inCode, ruleEntry } from './guide-entry.ts'
import { newerView } from './step.ts'
import { type ListPart, listTraces } from './usage-traces.ts'

export const changeLimit: ChangeKind<ChangeLimit> = {
  ...usualChange,
  parameters: ['resource', 'limit'],
  options: {
    form: "changeLimit('books', 'pageMax', { was: 100 })",
    needs: { resource: textShape, limit: wordFrom(limitNames, 'a limit'), was: wholeFromOne },
  },
  phase: 0,
  takeBack(draft, { resource, limit, was }, report) {
    const view = report.view(resource)
    if (!view) return null
    if (was > mostOf(limit))
      return report.mistake(
        `"was" is ${was}, which ${limit} cannot be.`,
        `Write a whole number from 1 to ${mostOf(limit)}.`,
      )
    if (view.limits[limit] === was)
      return report.mistake(
        `${limit} of ${resource} is still ${was}.`,
        'Change the limit in the declaration, or leave this out.',
      )
    if (!report.claim(`${resource} ${limit}`)) return null
    return withView(draft, resource, (one) =>
      withRows({ ...one, limits: { ...one.limits, [limit]: was } }, limit, was),
    )
  },
  verdict: ({ resource, limit, was }, newer) =>
    (newer.views.get(resource)?.limits[limit] ?? 0) < was ? 'breaking' : 'additive',
  line: ({ resource, limit, was }, step) => ({
    where: `${resource}.limits.${limit}`,
    what: `${was} → ${newerView(step, resource)?.limits[limit]}`,
  }),
  guideEntry: ({ resource, limit, was }, step) =>
    ruleEntry(`The limit ${inCode(limit)} of ${inCode(resource)} changed`, [
      [String(was), String(newerView(step, resource)?.limits[limit] ?? '')],
    ]),
  // Usage does not record how near a call came to a limit.
  usage: ({ resource, limit }, step) => {
    const part = limitedParts[limit]
    return part ? listTraces(step, resource, part) : { isUnknown: true }
  },
}

/** Limits that bound only calls which ask for the part. */
const limitedParts: { readonly [limit: string]: ListPart } = { countRows: 'count', bulkRows: 'bulk' }

/** The limit on rows holds for each to-many relation that has no cap of its own. */
const withRows = (view: DraftView, limit: string, was: number): DraftView => {
  if (limit !== 'includeRows') return view
  const relations = [...view.relations].map(([key, one]) => {
    const capped = one.relation.kind === 'has-many' && one.relation.cap === null
    return [key, capped ? { ...one, cap: was } : one] as const
  })
  return { ...view, relations: new Map(relations) }
}
