import type { RenameRelation } from '../../declare/change.ts'
import { type DraftView, withField, withRelation, withView } from '../changes/view-draft.ts'
import type { BelongsToModel, HasManyModel, IncludeNode, View } from '../model.ts'
import { hyphenated } from '../names/name-rules.ts'
import { didYouMean } from '../names/nearest.ts'
import { textShape } from '../shape/shapes.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { exampleOf, inCode } from './guide-entry.ts'
import { namedWell } from './new-names.ts'
import { newerView, olderName, olderView, type VersionStep } from './step.ts'
import { fieldTraces } from './usage-traces.ts'

export const renameRelation: ChangeKind<RenameRelation> = {
  ...usualChange,
  parameters: ['resource', 'from', 'to'],
  options: {
    form: "renameRelation('books', 'old_name', 'new_name')",
    needs: { resource: textShape, from: textShape, to: textShape },
  },
  phase: 3,
  takeBack(draft, { resource, from, to }, report) {
    const view = report.view(resource)
    if (!view || !namedWell(from, 'underscores', report)) return null
    const relation = view.relations.get(to)
    if (!relation)
      return report.mistake(
        `"${to}" is not a relation of ${resource}.`,
        didYouMean(to, view.relations.keys()),
      )
    if (!report.claim(`relation ${resource}.${to}`)) return null
    return withView(draft, resource, (one) => withReference(withRelation(one, to, { name: from }), from, to))
  },
  changesNothing: ({ from, to }) => from === to,
  line: ({ resource, from, to }, step) => {
    const id = isBelongsTo(step, resource, to) ? `, and so is ${from}_id → ${to}_id` : ''
    return { where: `${resource}.${from} → ${to}`, what: `relation renamed${id}` }
  },
  guideEntry: ({ resource, from, to }, step) => {
    const belongs = isBelongsTo(step, resource, to)
    return {
      title: `The relation ${inCode(from)} of ${inCode(resource)} is now ${inCode(to)}`,
      rows: [
        [inCode(`include=${from}`), inCode(`include=${to}`)],
        belongs
          ? [inCode(`${from}_id`), inCode(`${to}_id`)]
          : [
              inCode(`/${olderName(step, resource)}/{id}/${hyphenated(from)}`),
              inCode(`/${resource}/{id}/${hyphenated(to)}`),
            ],
      ],
      note: '',
      example: belongs ? exampleOf(step, resource, [`${from}_id`], [`${to}_id`]) : null,
    }
  },
  stored: ({ from, to }) => ({ kind: 'relation-renamed', from, to }),
  usage: ({ resource, from, to }, step) => {
    const view = olderView(step, resource)
    const relation = newerView(step, resource)?.relations.get(to)?.relation
    const reference = fieldTraces(view, isBelongsTo(step, resource, to) ? [`${from}_id`] : [])
    const path = `/${view?.name}/{id}/${hyphenated(from)}`
    return {
      operation: (_, template) => (template.startsWith(path) ? `calls \`${path}\`` : null),
      detail: (name, kind, at) => {
        const older = step.older.views.get(name)
        if (kind === 'include' && relation && passesBy(older, at, relation)) return `includes \`${at}\``
        const steps = kind === 'filter' ? (older?.filterOf.get(at)?.steps ?? []) : []
        if (steps.some((one) => one.relation === relation)) return `filters by \`${at}\``
        return reference.detail?.(name, kind, at) ?? null
      },
    }
  },
}

const isBelongsTo = (step: VersionStep, resource: string, relation: string): boolean =>
  newerView(step, resource)?.relations.get(relation)?.relation.kind === 'belongs-to'

/** `customer` renamed, `customer_id` follows. */
const withReference = (view: DraftView, from: string, to: string): DraftView =>
  view.relations.get(to)?.relation.kind === 'belongs-to'
    ? withField(view, `${to}_id`, { name: `${from}_id` })
    : view

/** Whether an include path contains the relation. */
const passesBy = (view: View | undefined, path: string, relation: BelongsToModel | HasManyModel): boolean => {
  let nodes: ReadonlyMap<string, IncludeNode> | undefined = view?.include
  for (const name of path.split('.')) {
    const node: IncludeNode | undefined = nodes?.get(name)
    if (node?.relation.relation === relation) return true
    nodes = node?.children
  }
  return false
}
