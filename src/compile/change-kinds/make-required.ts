import type { MakeRequired } from '../../declare/change.ts'
import { absenceMeans, absentField } from '../changes/absence.ts'
import { withField, withView } from '../changes/view-draft.ts'
import { scalar, textShape } from '../shape/shapes.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { fieldEntry, inCode } from './guide-entry.ts'
import { olderFieldName } from './step.ts'
import { createTraces } from './usage-traces.ts'

export const makeRequired: ChangeKind<MakeRequired> = {
  ...usualChange,
  parameters: ['resource', 'field'],
  options: {
    form: "makeRequired('books', 'language', { whenAbsent: 'en', why: '…' })",
    needs: { resource: textShape, field: textShape, whenAbsent: scalar },
  },
  phase: 1,
  takeBack(draft, change, report) {
    const found = absentField(change, report, 'Leave this change out.')
    if (!found || !report.claim(`${change.resource}.${change.field}`, 'absence')) return null
    if (!change.why) {
      report.mistake(
        `who sends no ${change.field} reads ${JSON.stringify(change.whenAbsent)} instead of null.`,
        "Say the reason: { why: '…' }.",
      )
    }
    return withView(draft, change.resource, (view) =>
      withField(absenceMeans(view, found, change.whenAbsent), change.field, {
        required: false,
        nullable: true,
      }),
    )
  },
  loss: () => 'loses',
  line: ({ resource, field, whenAbsent }, { older }) => ({
    where: `${resource}.${field}`,
    what: `became required, ${older.name} stores ${JSON.stringify(whenAbsent)} where it is left out`,
  }),
  guideEntry: ({ resource, field, whenAbsent }, step) =>
    fieldEntry(step, resource, field, {
      title: `${inCode(`${resource}.${field}`)} must now be sent`,
      rows: [['optional', 'required']],
      note: `Where it was left out, ${inCode(JSON.stringify(whenAbsent))} was stored.`,
    }),
  newerFields: ({ field }) => [field],
  usage: ({ resource, field }, step) =>
    createTraces(step, resource, `and may leave out \`${olderFieldName(step, resource, field)}\``),
}
