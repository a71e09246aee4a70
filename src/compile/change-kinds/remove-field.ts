import type { z } from 'zod'
import type { RemoveField } from '../../declare/change.ts'
import { type DraftView, placeFields, withView } from '../changes/view-draft.ts'
import { zodField } from '../resources/declared-fields.ts'
import { scalar, textShape, zodSchema } from '../shape/shapes.ts'
import { headField } from '../versions/views.ts'
import { readZod } from '../zod/read.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { exampleOf, inCode } from './guide-entry.ts'
import { olderName, olderView, type VersionStep } from './step.ts'
import { fieldTraces } from './usage-traces.ts'

export const removeField: ChangeKind<RemoveField> = {
  ...usualChange,
  parameters: ['resource', 'field'],
  options: {
    form: "removeField('books', 'isbn', { was: z.string() })",
    needs: { resource: textShape, field: textShape, was: zodSchema },
    may: { whenAbsent: scalar },
  },
  phase: 0,
  takeBack(draft, change, report) {
    const view = report.view(change.resource)
    if (!view) return null
    if (view.fields.has(change.field))
      return report.mistake(
        `${change.resource}.${change.field} still exists in the newer version.`,
        'Delete the field from the declaration, or this change.',
      )
    const note = report.mistakes.at(`${report.where} was`)
    const was = readZod(change.was, note)
    const kept = view.resource.field.get(change.field)
    if (!was || !kept?.kept || !report.claim(`${change.resource}.${change.field}`, 'name')) return null
    const fallback = was.default ?? change.whenAbsent
    if (!was.nullable && fallback === undefined) {
      report.mistake(
        `${change.field} was never null, but rows that newer versions create have no value for it.`,
        'Say what they show: { whenAbsent: \'…\' }, or make "was" optional if it was.',
      )
    }
    const field = { ...headField(zodField(change.field, was, note)), field: kept }
    return withView(draft, change.resource, (one) => ({
      ...one,
      fields: placeFields(one.fields, [[change.field, field]], new Set()),
      whenAbsent: field.required ? withoutKey(one.whenAbsent, change.field) : one.whenAbsent,
    }))
  },
  loss: () => 'keeps',
  line: ({ resource, field }) => ({ where: `${resource}.${field}`, what: 'removed' }),
  guideEntry: ({ resource, field }, step) => ({
    title: `${inCode(`${olderName(step, resource)}.${field}`)} is gone`,
    rows: [[inCode(field), 'nothing']],
    note: 'Its values stay stored for as long as the older version is served.',
    example: exampleOf(step, resource, [field], [], { [field]: exampleText(step, resource, field) }),
  }),
  describedFields: ({ field }) => [field],
  stored: (change) => ({ kind: 'column-hidden', field: change.field, schema: keptSchema(change) }),
  usage: ({ resource, field }, step) => fieldTraces(olderView(step, resource), [field]),
}

/** `whenAbsent` of a removed field speaks of newer versions' rows: where it had to be sent, its absence meant nothing. */
const withoutKey = (map: DraftView['whenAbsent'], key: string): DraftView['whenAbsent'] =>
  new Map([...map].filter(([one]) => one !== key))

/** Rows that newer versions create store `whenAbsent`, so that the older version always finds a value. */
const keptSchema = ({ was, whenAbsent }: RemoveField): z.ZodType =>
  whenAbsent === undefined || typeof was.default !== 'function' ? was : was.default(whenAbsent)

const exampleText = (step: VersionStep, resource: string, field: string): unknown => {
  const kept = olderView(step, resource)?.field.get(field)
  return kept?.schema.type === 'string' && !kept.schema.enum ? `some ${field}` : undefined
}
