import { equalValues } from '../call/equal-values.ts'
import { runDown, storedShown } from '../call/made-fields.ts'
import type { StoredValue } from '../call/stored-row.ts'
import type { Field, Version, View, ViewField } from '../compile/model.ts'
import { isJsonObject, type JsonObject } from '../compile/schemas/canonical.ts'
import { toShown } from '../compile/versions/codecs.ts'
import { FieldErrors } from './field-errors.ts'
import { fieldFault, fieldsRefused } from './fields-refused.ts'
import { setValue, unchanged } from './set-value.ts'

type Stored = { readonly [field: string]: StoredValue }
type Sent = ReadonlyMap<ViewField, unknown>

/**
 * Runs the `up` of each custom change, oldest first: the stored fields that the sent fields are made from. `stays` says
 * whether a field that was not sent keeps its value. A step whose inputs did not change is not run: its `up` need not give back exactly
 * what its `down` was given.
 */
export function madeUp(
  view: View,
  current: Stored | null,
  sent: Sent,
  stays: (field: ViewField) => boolean,
): Stored {
  if (view.customs.length === 0) return {}
  const older = olderBefore(view, current)
  const touched = new Set(current ? [] : view.customs.keys())
  const put = ({ made, default: fallback }: ViewField, shown: unknown) => {
    const inputs = made && older[made.step]
    const value = shown ?? fallback ?? null
    if (!inputs || (current && equalValues(value, inputs[made.key]))) return
    inputs[made.key] = value
    touched.add(made.step)
  }
  for (const field of view.fields) if (sent.has(field) || !stays(field)) put(field, sent.get(field))
  const stored: { [field: string]: StoredValue } = {}
  for (let at = view.customs.length - 1; at >= 0; at--) {
    if (!touched.has(at)) continue
    const newer = up(view, at, older[at] ?? {})
    if (newer instanceof Error) throw notStorable(view, at, sent, newer)
    if (!setNewer(view, at, newer, current, stored)) throw notStorable(view, at, sent, null)
    for (const field of newerFields(view, at))
      if (!current || field.name in newer) put(field, newer[field.name])
  }
  return stored
}

const newerFields = (view: View, at: number): readonly ViewField[] => view.customs[at]?.newer ?? []

/** What each `up` would take if nothing had been sent. */
const olderBefore = (view: View, current: Stored | null): { [key: string]: unknown }[] =>
  current
    ? runDown(view, storedShown(current)).map((made) => ({ ...made }))
    : view.customs.map(({ change }) =>
        Object.fromEntries(Object.keys(change.fields).map((key) => [key, null])),
      )

/** An error, for the log, where the code throws or returns no object. */
function up(view: View, at: number, older: JsonObject): JsonObject | Error {
  try {
    const newer: unknown = view.customs[at]?.change.up(older)
    return isJsonObject(newer) ? newer : new Error(`${upInWords(view, at)} returned no object`)
  } catch (error) {
    return new Error(`${upInWords(view, at)} threw`, { cause: error })
  }
}

/** Where to look: the change by what it declares, the version it stands in, and the version that was called. */
function upInWords(view: View, at: number): string {
  const change = view.customs[at]?.change
  if (!change) return ''
  let declaredIn: Version | null = view.version
  while (declaredIn && !declaredIn.changes.includes(change)) declaredIn = declaredIn.successor
  const fields = Object.keys(change.fields).join(', ')
  return `A write of ${view.name} in ${view.version.name} was refused (422): "up" of custom('${change.resource}', { fields: { ${fields} } }) in the changes of ${declaredIn?.name}`
}

/** Validates what an `up` returned as a body of the newer version, and sets it; false where it is not valid. */
function setNewer(
  view: View,
  at: number,
  newer: JsonObject,
  current: Stored | null,
  stored: { [field: string]: StoredValue },
): boolean {
  const faults = new FieldErrors()
  for (const field of newerFields(view, at)) {
    // A field that `up` does not return keeps its value. A value that is shown as before keeps what is stored: an older version may
    // show several stored values alike.
    if (current && !(field.name in newer)) continue
    const value = newer[field.name] ?? null
    if (current && field.field) {
      const stored = current[field.field.name]
      if (unchanged(view, field, value, { stored, shown: toShown(field, stored) })) continue
    }
    setValue(view, field, value, stored, faults)
  }
  return faults.count === 0
}

/** The refusal names the caller's own fields, never those of the newer version. */
function notStorable(view: View, at: number, sent: Sent, cause: Error | null): Error {
  const fields = fieldsBehind(view, at)
  const ofThese = fields.filter((field) => sent.has(field))
  const [detail, code] = ['has a value that cannot be stored', 'value']
  const errors = (ofThese.length > 0 ? ofThese : fields).map((field) => fieldFault(field, detail, code))
  const shown = errors.length > 0 ? errors : [{ pointer: '#', detail, code }]
  return fieldsRefused(FieldErrors.of(...shown), cause)
}

/** The fields of the view that a stored field is sent as: itself, or those that code makes it from. None where it is hidden. */
export const sentFor = (view: View, is: (field: Field) => boolean): readonly ViewField[] => {
  const isShown = ({ field }: ViewField) => field !== null && is(field)
  const makes = view.customs.findIndex(({ newer }) => newer.some(isShown))
  return makes < 0 ? view.fields.filter(isShown) : fieldsBehind(view, makes)
}

/** The fields of the view that a step makes its newer ones from, itself or through older steps. */
const fieldsBehind = (view: View, at: number): readonly ViewField[] =>
  view.fields.filter((field) => field.made && leadsTo(view, field.made.step, at))

const leadsTo = (view: View, from: number, to: number): boolean =>
  from === to || newerFields(view, from).some(({ made }) => made !== null && leadsTo(view, made.step, to))
