import { equalValues } from '../call/equal-values.ts'
import type { StoredValue } from '../call/stored-row.ts'
import type { View, ViewField } from '../compile/model.ts'
import { isValid, pointerStep, validateValue } from '../compile/schemas/validate.ts'
import { codecs, toStored } from '../compile/versions/codecs.ts'
import type { JsonSchema } from '../declare/json-schema.ts'
import { rewritten } from '../kinds/rewrites.ts'
import { FieldErrors } from './field-errors.ts'
import { fieldFault } from './fields-refused.ts'

/** Validates one value and puts it, in the store's terms, into the row. */
export function setValue(
  view: View,
  field: ViewField,
  sent: unknown,
  row: { [field: string]: StoredValue },
  errors: FieldErrors,
): void {
  if (sent === undefined || sent === null) return setAbsent(view, field, sent, row, errors)
  const value = rewritten(field.schema, sent)
  if (!isSound(field.name, field.schema, value, errors) || !field.field) return
  const stored = toStored(field, value)
  if (field.codec && stored === undefined) {
    const { form } = codecs[field.codec]
    errors.add(() => fieldFault(field, `must be ${form}`, 'out_of_range'))
  } else if (stored === undefined || (field.codec && !isValid(field.field.schema, stored))) {
    // The older version's type may allow more values than the newer one, whose bounds readers rely on.
    errors.add(() => fieldFault(field, 'has a value that cannot be stored', 'out_of_range'))
  } else row[field.field.name] = stored
}

/** Whether a value is valid; if not, what is wrong with it is added to the errors. */
export function isSound(name: string, schema: JsonSchema, value: unknown, errors: FieldErrors): boolean {
  const before = errors.count
  validateValue(schema, value, (inWords) =>
    errors.add(() => {
      const { at, detail, code } = inWords()
      return { pointer: `#/${pointerStep(name)}${at}`, detail, code }
    }),
  )
  return errors.count === before
}

function setAbsent(
  view: View,
  field: ViewField,
  value: undefined | null,
  row: { [field: string]: StoredValue },
  errors: FieldErrors,
): void {
  const fallback = field.default === undefined ? null : toStored(field, field.default)
  const absentMeans = field.field ? view.whenAbsent.get(field.field.name) : undefined
  if (value === undefined && field.required && absentMeans === undefined) {
    errors.add(() => fieldFault(field, 'is required', 'required'))
    return
  }
  if (field.default !== undefined || field.nullable || absentMeans !== undefined) {
    if (field.field) row[field.field.name] = fallback ?? absentMeans ?? null
  } else if (value === null) errors.add(() => fieldFault(field, 'must not be null', 'required'))
}

/** What an update finds in a field: the value in the store's terms, and as the version shows it. */
export interface Before {
  readonly stored: StoredValue
  readonly shown: unknown
}

/**
 * Whether an update leaves the field as it is. What the version shows is the same by definition, also where it stands for
 * several stored values or is no longer valid. Any other value must be one of the version's own before it is compared with
 * what is stored: the newer version's words and forms are none.
 */
export function unchanged(view: View, field: ViewField, value: unknown, { stored, shown }: Before): boolean {
  if (field.writeOnly) return false
  // Absence and null mean the default, where there is one.
  const sent = [value, value ?? field.default].filter((one) => one !== undefined)
  if (sent.some((one) => equalValues(one, shown))) return true
  if (!field.field) return false
  const read: { [field: string]: StoredValue } = {}
  const faults = new FieldErrors()
  setValue(view, field, value, read, faults)
  return faults.count === 0 && equalValues(read[field.field.name], stored)
}
