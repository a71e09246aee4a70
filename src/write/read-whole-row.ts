import type { StoredRow } from '../call/stored-row.ts'
import type { Resource, View } from '../compile/model.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import { type FieldError, Problem } from '../problems.ts'
import { readWhole } from '../request/whole-row.ts'
import { newRow } from './new-row.ts'

/** What is wrong with a row. */
export interface RowFault {
  readonly field: string | null
  readonly detail: string
}

/** A row that did not come by a request, in the store's terms. */
export interface ReadRow {
  /** The whole row, with what the server sets where nothing was given. */
  readonly row: StoredRow
  readonly given: StoredRow
}

/**
 * A row of a file or of a seed, checked like the body of a request, or all that is wrong with it. `isNoField` is true of names that say
 * something else of the row.
 */
export function wholeRow(
  view: View,
  values: JsonObject,
  now: number,
  isNoField: (name: string) => boolean = () => false,
): ReadRow | readonly RowFault[] {
  try {
    const given = readWhole(view, values, isNoField)
    const row = newRow(view.resource, given, now)
    const faults = wholeFaults(view.resource, given, row)
    return faults.length > 0 ? faults : { row, given }
  } catch (error) {
    if (error instanceof Problem) return fieldFaults(error)
    throw error
  }
}

/** What a request cannot do wrong, because hooks and the server itself set it. */
function wholeFaults(resource: Resource, given: StoredRow, row: StoredRow): readonly RowFault[] {
  const faults: RowFault[] = []
  for (const field of resource.fields) {
    if (row[field.name] === null && !field.nullable)
      faults.push({
        field: field.name,
        detail: 'is required: hooks, which may set it in a request, do not run',
      })
    if (field.sum && given.id === undefined && given[field.name] !== undefined)
      faults.push({
        field: field.name,
        detail: 'is a sum that the service computes; leave it out of rows without an id',
      })
  }
  return faults
}

const fieldFaults = ({ details, message }: Problem): readonly RowFault[] =>
  details.errors && details.errors.length > 0
    ? details.errors.map(faultOf)
    : [{ field: null, detail: message }]

/** `#/address/city` is shown as `address.city`. */
const faultOf = ({ pointer = '', detail }: FieldError): RowFault => {
  const path = pointer
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
  return { field: path.join('.') || null, detail }
}
