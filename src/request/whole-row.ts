import { allGrants } from '../call/grants.ts'
import type { StoredRow, StoredValue } from '../call/stored-row.ts'
import type { Field, View } from '../compile/model.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import { kinds } from '../kinds/kinds.ts'
import { rewritten } from '../kinds/rewrites.ts'
import { unknownField } from './body.ts'
import { FieldErrors } from './field-errors.ts'
import { refuseFields } from './fields-refused.ts'
import { isSound, setValue } from './set-value.ts'

/**
 * A row as an export has it, in the words of the newest version. Everything may be set, also what otherwise the server sets (ids, times,
 * states, sums) and what only older versions show. What is left out is as in a create.
 */
export function readWhole(view: View, body: JsonObject, isNoField: (name: string) => boolean): StoredRow {
  const errors = new FieldErrors()
  const row: { [field: string]: StoredValue } = {}
  for (const name of Object.keys(body)) {
    if (view.field.has(name) || isNoField(name)) continue
    const kept = view.resource.field.get(name)
    if (kept) setKept(kept, body[name], row, errors)
    else errors.add(() => unknownField(view, name, allGrants))
  }
  for (const field of view.fields) {
    const value = Object.hasOwn(body, field.name) ? body[field.name] : undefined
    if (value === undefined && (field.readOnly || field.states)) continue
    setValue(view, field, value, row, errors)
  }
  refuseFields(errors)
  for (const [name, value] of view.whenAbsent)
    if (row[name] === undefined || row[name] === null) row[name] = value
  return row
}

/** A field that only older versions show. */
function setKept(
  field: Field,
  value: unknown,
  row: { [field: string]: StoredValue },
  errors: FieldErrors,
): void {
  if (value === null || value === undefined) return
  if (isSound(field.name, field.schema, rewritten(field.schema, value), errors))
    row[field.name] = kinds[field.kind].toStored(value, field.schema)
}
