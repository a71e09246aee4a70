import { codecs, toStored } from '../compile/codecs.ts'
import type { View, ViewField } from '../compile/model.ts'
import type { FieldError } from '../problems.ts'
import { equalValues } from './equal-values.ts'
import { fieldFault } from './fields-refused.ts'
import { pointerStep, validate } from './validate.ts'
import type { StoredValue } from './values.ts'

/** Validates one value and puts it, in the store's terms, into the row. */
export function setValue(
  view: View,
  field: ViewField,
  value: unknown,
  row: { [field: string]: StoredValue },
  errors: FieldError[],
): void {
  if (value === undefined || value === null) return setAbsent(view, field, value, row, errors)
  const faults = validate(field.schema, value)
  for (const one of faults) {
    errors.push({ pointer: `#/${pointerStep(field.name)}${one.at}`, detail: one.detail, code: one.code })
  }
  if (faults.length > 0 || !field.field) return
  const stored = toStored(field, value)
  if (field.codec && stored === undefined) {
    errors.push(fieldFault(field, `must be ${codecs[field.codec].form}`, 'out_of_range'))
  } else if (stored === undefined || (field.codec && validate(field.field.schema, stored).length > 0)) {
    // The older version's type may allow more values than the newer one, whose bounds readers rely on.
    errors.push(fieldFault(field, 'has a value that cannot be stored', 'out_of_range'))
  } else row[field.field.name] = stored
}

function setAbsent(
  view: View,
  field: ViewField,
  value: undefined | null,
  row: { [field: string]: StoredValue },
  errors: FieldError[],
): void {
  const fallback = field.default === undefined ? null : toStored(field, field.default)
  const absentMeans = field.field ? view.whenAbsent.get(field.field.name) : undefined
  if (value === undefined && field.required && absentMeans === undefined) {
    errors.push(fieldFault(field, 'is required', 'required'))
    return
  }
  if (field.default !== undefined || field.nullable || absentMeans !== undefined) {
    if (field.field) row[field.field.name] = fallback ?? absentMeans ?? null
  } else if (value === null) errors.push(fieldFault(field, 'must not be null', 'required'))
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
  const faults: FieldError[] = []
  setValue(view, field, value, read, faults)
  return faults.length === 0 && equalValues(read[field.field.name], stored)
}
