import type { AddRequiredField } from '../../declare/change.ts'
import { absenceMeans, absentField, hideField } from '../changes/absence.ts'
import { withView } from '../changes/view-draft.ts'
import { scalar, textShape } from '../shape/shapes.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { exampleOf, inCode, storedName } from './guide-entry.ts'
import { createTraces } from './usage-traces.ts'

export const addRequiredField: ChangeKind<AddRequiredField> = {
  ...usualChange,
  parameters: ['resource', 'field'],
  options: {
    form: "addRequiredField('books', 'language', { whenAbsent: 'en' })",
    needs: { resource: textShape, field: textShape, whenAbsent: scalar },
  },
  phase: 4,
  takeBack(draft, change, report) {
    const why = 'An optional field needs no line: what a frozen contract does not show is hidden.'
    const found = absentField(change, report, why)
    if (!found || !report.claim(`${change.resource}.${change.field}`, 'all')) return null
    return withView(draft, change.resource, (view) =>
      hideField(absenceMeans(view, found, change.whenAbsent), change.field),
    )
  },
  loss: () => 'keeps',
  line: ({ resource, field, whenAbsent }, { older }) => ({
    where: `${resource}.${field}`,
    what: `required field added, ${older.name} stores ${JSON.stringify(whenAbsent)}`,
  }),
  guideEntry: ({ resource, field, whenAbsent }, step) => ({
    title: `${inCode(`${resource}.${field}`)} is required`,
    rows: [['not there', inCode(field)]],
    note: `Until now ${inCode(JSON.stringify(whenAbsent))} was meant: send that to create what you created so far.`,
    example: exampleOf(step, resource, [], [field], { [storedName(step, resource, field)]: whenAbsent }),
  }),
  newerFields: ({ field }) => [field],
  stored: ({ field }) => ({ kind: 'columns-added', fields: [field] }),
  usage: ({ resource, field }, step) => createTraces(step, resource, `without \`${field}\``),
}
