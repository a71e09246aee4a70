import type { MapValues } from '../../declare/change.ts'
import { kinds } from '../../kinds/kinds.ts'
import { withField, withView } from '../changes/view-draft.ts'
import { mapOf, textShape } from '../shape/shapes.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { fieldEntry, inCode, storedName } from './guide-entry.ts'
import { newerView, olderFieldName, olderView } from './step.ts'
import { fieldTraces } from './usage-traces.ts'
import { checkValues, mapped, valueStep } from './value-step.ts'

export const mapValues: ChangeKind<MapValues> = {
  ...usualChange,
  parameters: ['resource', 'field', 'values'],
  options: {
    form: "mapValues('books', 'status', { old_value: 'new_value' })",
    needs: { resource: textShape, field: textShape, values: mapOf(textShape), onlyInNewer: mapOf(textShape) },
  },
  phase: 2,
  takeBack(draft, change, report) {
    const field = report.field(change.resource, change.field)
    if (!field) return null
    if (field.made || !kinds[field.kind].listsValues)
      return report.mistake(
        `${change.resource}.${change.field} has no listed values to map.`,
        'Only enums and states have; use changeType or custom for others.',
      )
    if (!report.claim(`${change.resource}.${change.field}`, 'value')) return null
    const newer = (field.schema.enum ?? []).map(String)
    if (!checkValues(change, newer, report)) return null
    const step = valueStep(change, newer)
    if (step.merges && !change.why) {
      report.mistake(
        'several values become one, which loses their difference.',
        "Say the reason: { why: '…' }.",
      )
    }
    return withView(draft, change.resource, (one) => withField(one, change.field, mapped(field, step)))
  },
  changesNothing: ({ values, onlyInNewer }) => !renamesValues(values) && isEmpty(onlyInNewer),
  verdict: ({ resource, field, values }, newer) => {
    const { writeOnly, open } = newer.views.get(resource)?.field.get(field) ?? {}
    const readersExpectIt = writeOnly === true || open === true
    return renamesValues(values) || !readersExpectIt ? 'breaking' : 'additive'
  },
  loss: ({ values, onlyInNewer }) => (mergesValues(values) || !isEmpty(onlyInNewer) ? 'loses' : 'two-way'),
  line: ({ resource, field, values, onlyInNewer }, { older }) => {
    const renamed = Object.entries(values).filter(([old, now]) => old !== now)
    const what = [
      ...renamed.map(([old, now]) => `value ${JSON.stringify(old)} → ${JSON.stringify(now)}`),
      ...Object.entries(onlyInNewer).map(
        ([now, old]) => `value ${JSON.stringify(now)} is new, ${older.name} shows ${JSON.stringify(old)}`,
      ),
    ]
    return { where: `${resource}.${field}`, what: what.join('; ') || 'values changed' }
  },
  guideEntry: ({ resource, field, values, onlyInNewer }, step) => {
    const [first] = Object.values(values).concat(Object.keys(onlyInNewer))
    const shown = newerView(step, resource)?.field.get(field)
    const stored = shown?.values?.up.get(first ?? '') ?? first
    const gained = Object.entries(onlyInNewer).map(
      ([now, old]) => `${inCode(now)} (until now shown as ${inCode(old)})`,
    )
    return fieldEntry(
      step,
      resource,
      field,
      {
        title: `Values of ${inCode(`${resource}.${field}`)} changed`,
        rows: Object.entries(values).map(([old, now]) => [inCode(old), inCode(now)]),
        note: gained.length > 0 ? `New values to expect: ${gained.join(', ')}.` : '',
      },
      stored === undefined ? {} : { [storedName(step, resource, field)]: stored },
    )
  },
  newerFields: ({ field }) => [field],
  stored: ({ field, values, onlyInNewer }) => ({ kind: 'values-mapped', field, values, onlyInNewer }),
  usage: ({ resource, field }, step) =>
    fieldTraces(olderView(step, resource), [olderFieldName(step, resource, field)]),
}

const isEmpty = (object: object): boolean => Object.keys(object).length === 0

const renamesValues = (values: MapValues['values']): boolean =>
  Object.entries(values).some(([old, now]) => old !== now)

const mergesValues = (values: MapValues['values']): boolean =>
  new Set(Object.values(values)).size !== Object.keys(values).length
