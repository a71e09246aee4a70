import type { ChangeDefault } from '../../declare/change.ts'
import { isValue } from '../changes/absence.ts'
import { withField, withView } from '../changes/view-draft.ts'
import { either, nullShape, scalar, textShape } from '../shape/shapes.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { fieldEntry, inCode } from './guide-entry.ts'
import { newerView, olderFieldName, type VersionStep } from './step.ts'
import { createTraces } from './usage-traces.ts'

export const changeDefault: ChangeKind<ChangeDefault> = {
  ...usualChange,
  parameters: ['resource', 'field'],
  options: {
    form: "changeDefault('books', 'language', { was: 'en' })",
    needs: { resource: textShape, field: textShape, was: either(scalar, nullShape) },
  },
  phase: 3,
  takeBack(draft, change, report) {
    const field = report.field(change.resource, change.field)
    if (!field || !report.claim(`${change.resource}.${change.field}`, 'absence')) return null
    if (field.readOnly)
      return report.mistake(`${change.field} is read-only: nobody leaves it out.`, 'Leave this change out.')
    if (change.was === null && !field.nullable)
      return report.mistake(
        `${change.resource}.${change.field} cannot be null, so null was never its default.`,
        'A field that was required and now has a default needs no line.',
      )
    if (field.made || (change.was !== null && !isValue(field, change.was)))
      return report.mistake(
        `${JSON.stringify(change.was)} is not a value of ${change.field}.`,
        'Name the older default.',
      )
    return withView(draft, change.resource, (one) =>
      withField(one, change.field, { default: change.was ?? undefined, required: false }),
    )
  },
  changesNothing: ({ resource, field: name, was }, draft) => {
    const field = draft.get(resource)?.fields.get(name)
    return field !== undefined && !field.required && (field.default ?? null) === was
  },
  line: ({ resource, field, was }, step) => ({
    where: `${resource}.${field}`,
    what: `default ${JSON.stringify(was)} → ${newDefault(step, resource, field)}`,
  }),
  guideEntry: ({ resource, field, was }, step) =>
    fieldEntry(step, resource, field, {
      title: `${inCode(`${resource}.${field}`)} has another default`,
      rows: [[inCode(JSON.stringify(was)), inCode(newDefault(step, resource, field))]],
      note: 'Send the value you mean, and nullShape changes for you.',
    }),
  newerFields: ({ field }) => [field],
  usage: ({ resource, field }, step) =>
    createTraces(step, resource, `and may leave out \`${olderFieldName(step, resource, field)}\``),
}

const newDefault = (step: VersionStep, resource: string, field: string): string =>
  JSON.stringify(newerView(step, resource)?.field.get(field)?.default ?? null)
