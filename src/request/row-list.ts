import type { Grants } from '../call/grants.ts'
import type { StoredRow } from '../call/stored-row.ts'
import type { Target } from '../call/target.ts'
import type { View } from '../compile/model.ts'
import { plainCounted } from '../compile/names/plural.ts'
import { listMember } from '../compile/resources/bulk.ts'
import { isJsonObject, type JsonObject } from '../compile/schemas/canonical.ts'
import { pointerStep } from '../compile/schemas/validate.ts'
import { Problem } from '../problems.ts'
import { readNew } from './body.ts'
import { FieldErrors, placeOf } from './field-errors.ts'
import { fieldsRefused } from './fields-refused.ts'

/** How a list of rows is sent. */
export const rowListForm = `{"${listMember}":[{…},{…}]}`

/** Whether the body of a create is a list of rows. */
export const isRowList = (view: View, body: JsonObject): boolean =>
  view.bulk && Object.hasOwn(body, listMember)

/** What a list has in place of rows: nothing where it is too long, because it is refused as a whole. */
export function listed(view: View, body: JsonObject): readonly unknown[] {
  const list = body[listMember]
  return Array.isArray(list) && list.length <= view.limits.bulkRows ? list : []
}

/** Values for new rows, as `readCreate` gives them for one. Throws all mistakes of all rows at once. */
export function readRowList(target: Target, body: JsonObject, grants: Grants): readonly StoredRow[] {
  const errors = new FieldErrors()
  const given = givenRows(target.view, body, errors)
  const rows: StoredRow[] = []
  let cause: Error | null = null
  for (const [index, one] of given.entries()) {
    const own = new FieldErrors(errors, placeOf(index))
    if (!isJsonObject(one)) {
      own.add(() => ({ pointer: '#', detail: 'must be an object', code: 'type' }))
      continue
    }
    try {
      const row = readNew(target, one, grants, own)
      if (row) rows.push(row)
    } catch (error) {
      // Code of a version refuses a row by throwing.
      if (!(error instanceof Problem) || !error.details.errors) throw error
      for (const fault of error.details.errors) own.add(() => fault)
      cause ??= error.details.cause ?? null
    }
  }
  if (errors.count > 0) throw fieldsRefused(errors, cause)
  return rows
}

/** The elements of the list. None where it is too long: they are not looked at. */
function givenRows(view: View, body: JsonObject, errors: FieldErrors): readonly unknown[] {
  const { [listMember]: list, ...others } = body
  for (const name of Object.keys(others))
    errors.add(() => ({
      pointer: `#/${pointerStep(name)}`,
      detail: `does not belong beside a list; send ${rowListForm} alone`,
      code: 'unknown',
    }))
  const pointer = `#/${listMember}`
  const { bulkRows } = view.limits
  const most = plainCounted(bulkRows, 'row')
  if (!Array.isArray(list))
    errors.add(() => ({
      pointer,
      detail: `must be a list of at most ${most}, as in ${rowListForm}; one row is sent by itself`,
      code: 'type',
    }))
  else if (list.length === 0)
    errors.add(() => ({ pointer, detail: `has no rows; send 1 to ${bulkRows}`, code: 'too_short' }))
  else if (list.length > bulkRows)
    errors.add(() => ({
      pointer,
      detail: `has ${list.length} rows, and the limit bulkRows of ${view.name} is ${bulkRows}; send several lists`,
      code: 'too_long',
    }))
  else return list
  return []
}
