import type { View, ViewField } from '../compile/model.ts'
import type { FieldError } from '../problems.ts'
import { sameJson } from './equal.ts'
import { fieldFault } from './fields-refused.ts'
import { pointerStep, validate } from './validate.ts'
import { type StoredValue, toShown, toStored } from './values.ts'

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
  if (stored === undefined)
    errors.push(fieldFault(field, 'has a value that cannot be stored', 'out_of_range'))
  else row[field.field.name] = stored
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

/** Compared both ways: an older version may show several stored values alike, or write one value in several forms. */
export function unchanged(field: ViewField, value: unknown, stored: StoredValue): boolean {
  if (field.writeOnly) return false
  return (
    sameJson(value, toShown(field, stored)) || (value !== null && sameJson(toStored(field, value), stored))
  )
}
