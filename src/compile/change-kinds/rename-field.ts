import type { RenameField } from '../../declare/change.ts'
import { withField, withView } from '../changes/view-draft.ts'
import { textShape } from '../shape/shapes.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { fieldEntry, inCode } from './guide-entry.ts'
import { namedWell } from './new-names.ts'
import { newerView, olderName, olderView, type VersionStep } from './step.ts'
import { fieldTraces } from './usage-traces.ts'

export const renameField: ChangeKind<RenameField> = {
  ...usualChange,
  parameters: ['resource', 'from', 'to'],
  options: {
    form: "renameField('books', 'old_name', 'new_name')",
    needs: { resource: textShape, from: textShape, to: textShape },
  },
  phase: 3,
  takeBack(draft, { resource, from, to }, report) {
    const field = report.field(resource, to)
    if (!field || !namedWell(from, 'underscores', report)) return null
    if (field.field?.relation) {
      const relation = to.replace(/_id$/, '')
      return report.mistake(
        `"${to}" is the id of the relation ${relation}.`,
        `Write renameRelation('${resource}', '${from.replace(/_id$/, '')}', '${relation}'): it renames both.`,
      )
    }
    if (field.field?.name === 'id')
      return report.mistake('the id of a row is called "id" in every version.', 'Leave this change out.')
    if (!report.claim(`${resource}.${to}`, 'name')) return null
    return withView(draft, resource, (one) => withField(one, to, { name: from }))
  },
  changesNothing: ({ from, to }) => from === to,
  line: ({ resource, from, to }) => ({ where: `${resource}.${from} → ${to}`, what: 'renamed' }),
  guideEntry: ({ resource, from, to }, step) =>
    fieldEntry(step, resource, to, {
      title: `${inCode(`${olderName(step, resource)}.${from}`)} is now ${inCode(`${resource}.${to}`)}`,
      rows: [[inCode(from), inCode(to)], ...queryRows(step, resource, from, to)],
      note: '',
    }),
  stored: ({ from, to }) => ({ kind: 'column-renamed', from, to }),
  usage: ({ resource, from }, step) => fieldTraces(olderView(step, resource), [from]),
}

const queryRows = (
  step: VersionStep,
  resource: string,
  from: string,
  to: string,
): readonly (readonly [string, string])[] => {
  const view = newerView(step, resource)
  const rows: [string, string][] = []
  if (view?.filters.has(to)) rows.push([inCode(`filter[${from}]=…`), inCode(`filter[${to}]=…`)])
  if (view?.sorts.has(to)) rows.push([inCode(`sort=${from}`), inCode(`sort=${to}`)])
  return rows
}
