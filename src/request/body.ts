import { type Grants, mayKnow, maySet } from '../call/grants.ts'
import { shownValues } from '../call/made-fields.ts'
import type { StoredRow, StoredValue } from '../call/stored-row.ts'
import type { Target } from '../call/target.ts'
import type { View, ViewField } from '../compile/model.ts'
import { nearest } from '../compile/names/nearest.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import { pointerStep } from '../compile/schemas/validate.ts'
import { toShown } from '../compile/versions/codecs.ts'
import { kinds } from '../kinds/kinds.ts'
import type { FieldError } from '../problems.ts'
import { madeUp } from './customs.ts'
import { FieldErrors } from './field-errors.ts'
import { refuseSetting } from './field-scopes.ts'
import { fieldFault, fieldsRefused, refuseFields } from './fields-refused.ts'
import { mergePatch } from './merge-patch.ts'
import { type Before, setValue, unchanged } from './set-value.ts'

type Sent = Map<ViewField, unknown>

/** Values for a new row: everything the consumer may set, defaults applied. The server's own fields are added later. */
export function readCreate(target: Target, body: JsonObject, grants: Grants): StoredRow {
  const errors = new FieldErrors()
  const row = readNew(target, body, grants, errors)
  if (!row) throw fieldsRefused(errors)
  return row
}

/** The same; null where the body has mistakes, which are added to the errors. */
export function readNew(
  target: Target,
  body: JsonObject,
  grants: Grants,
  errors: FieldErrors,
): StoredRow | null {
  const { view } = target
  const before = errors.count
  const sent = readSent(target, body, grants, errors)
  const row: { [field: string]: StoredValue } = {}
  for (const field of view.fields) {
    if (field.readOnly && sent.has(field))
      errors.add(() => fieldFault(field, 'is read-only; leave it out', 'read_only'))
    else if (field.states) readInitialState(field, sent.get(field), row, errors)
    else if (!field.readOnly) setValue(view, field, sent.get(field), row, errors)
  }
  if (errors.count > before) return null
  for (const [name, value] of view.whenAbsent)
    if (row[name] === undefined || row[name] === null) row[name] = value
  return view.customs.length === 0 ? row : { ...row, ...madeUp(view, null, sent, () => false) }
}

/** The row a PUT asks for: what this version shows the caller is replaced, what it cannot see stays. */
export function readReplace(target: Target, body: JsonObject, current: StoredRow, grants: Grants): StoredRow {
  const update = updateOf(target.view, current, grants)
  const sent = readSent(target, body, grants, update.errors)
  const stays = (field: ViewField) => staysUnsent(field) || !maySet(target.view, field, grants)
  for (const field of target.view.fields) {
    const value = sent.get(field)
    if (value === undefined && stays(field)) continue
    // A state stays unless it is moved.
    if ((value === undefined || value === null) && field.states) continue
    change(update, field, value)
  }
  refuseUpdate(update)
  return { ...update.row, ...madeUp(target.view, current, sent, stays) }
}

/** A PUT keeps these fields when they are not sent: a GET does not show them, or they cannot change. */
const staysUnsent = (field: ViewField): boolean => field.readOnly || field.immutable || field.writeOnly

/** The row a merge patch asks for: only the keys that were sent. */
export function readPatch(target: Target, body: JsonObject, current: StoredRow, grants: Grants): StoredRow {
  const update = updateOf(target.view, current, grants)
  const sent = readSent(target, body, grants, update.errors)
  for (const [field, patch] of sent) {
    // As in a PUT, `null` leaves a state as it is.
    if (patch === null && field.states) continue
    const value = kinds[field.kind].mergesPatches ? mergePatch(update.before(field).shown, patch) : patch
    sent.set(field, value)
    change(update, field, value)
  }
  refuseUpdate(update)
  return { ...update.row, ...madeUp(target.view, current, sent, () => true) }
}

/** Which of the sent keys are fields, by name; the owner's id of a nested path counts as sent. */
function readSent(target: Target, body: JsonObject, grants: Grants, errors: FieldErrors): Sent {
  const sent: Sent = new Map()
  const ownerField = target.sub?.by?.field ?? null
  for (const [name, value] of Object.entries(body)) {
    const field = target.view.field.get(name)
    if (!field)
      errors.add(() =>
        name === 'data' ? envelope(target.view, value) : unknownField(target.view, name, grants),
      )
    else if (field.field?.name === ownerField && value !== target.ownerId) {
      errors.add(() => fieldFault(field, 'differs from the id in the path; leave it out', 'immutable'))
    } else sent.set(field, value)
  }
  if (ownerField !== null) {
    const field = target.view.fields.find((one) => one.field?.name === ownerField)
    if (field) sent.set(field, target.ownerId)
  }
  return sent
}

/** No field is called data: who sends it has the form of an answer, or of a list of rows, in mind. */
const envelope = ({ name }: View, value: unknown): FieldError => ({
  pointer: '#/data',
  detail: Array.isArray(value)
    ? `is not a field of ${name}, which takes one row at a time; send each row by itself`
    : `is not a field of ${name}; send the row by itself, without data around it`,
  code: 'unknown',
})

/** Suggests a field that the holder of the grants may know. */
export function unknownField(view: View, name: string, grants: Grants): FieldError {
  const near = nearest(
    name,
    view.fields.filter((field) => mayKnow(field, grants)).map((field) => field.name),
  )
  const detail = `is not a field of ${view.name}${near ? `; did you mean "${near}"?` : ''}`
  return { pointer: `#/${pointerStep(name)}`, detail, code: 'unknown' }
}

function readInitialState(
  field: ViewField,
  value: unknown,
  row: { [field: string]: StoredValue },
  errors: FieldErrors,
): void {
  const initial = field.field?.states?.initial
  if (field.field) row[field.field.name] = initial
  if (value === undefined || value === null) return
  const shown = toShown(field, initial)
  if (value === shown) return
  errors.add(() =>
    fieldFault(
      field,
      `must be ${JSON.stringify(shown)} or left out: the server sets the first state`,
      'state',
    ),
  )
}

/** The row that an update makes, and what is wrong with it. */
interface Update {
  readonly view: View
  readonly grants: Grants
  /** What a field has before the update. */
  before(field: ViewField): Before
  readonly row: { [field: string]: StoredValue }
  readonly errors: FieldErrors
  /** Fields that the caller would change and may only read. */
  readonly denied: ViewField[]
}

function updateOf(view: View, current: StoredRow, grants: Grants): Update {
  const shownOf = shownValues(view, current)
  const before = (field: ViewField): Before => ({
    stored: field.field && current[field.field.name],
    shown: shownOf(field),
  })
  return { view, grants, before, row: { ...current }, errors: new FieldErrors(), denied: [] }
}

/** Checks one field of an update against the stored value, and sets it in the row. */
function change(update: Update, field: ViewField, value: unknown): void {
  const { view, grants, row, errors } = update
  if (unchanged(view, field, value, update.before(field))) return
  if (!maySet(view, field, grants)) update.denied.push(field)
  else if (field.readOnly) {
    errors.add(() => fieldFault(field, 'is read-only and differs from the stored value', 'read_only'))
  } else if (field.immutable) {
    errors.add(() => fieldFault(field, 'cannot change once it is set', 'immutable'))
  } else setValue(view, field, value, row, errors)
}

function refuseUpdate({ view, grants, errors, denied }: Update): void {
  refuseSetting(view, denied, grants)
  refuseFields(errors)
}
