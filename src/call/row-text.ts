import type { View } from '../compile/model.ts'
import type { Grants } from './grants.ts'
import { shownValues } from './made-fields.ts'
import { shownTo } from './shown-fields.ts'
import type { StoredRow } from './stored-row.ts'

/**
 * The JSON text of a row whose values are in memory, as a version shows it to a caller: a row that was just written, that of an event, or one
 * that code gave. A property test compares it with the text that a read of the row gives.
 */
export const shownText = (view: View, row: StoredRow, grants: Grants): string =>
  JSON.stringify(shownRow(view, row, grants))

/** The same as an object. */
export function shownRow(view: View, row: StoredRow, grants: Grants): { readonly [field: string]: unknown } {
  const shownOf = shownValues(view, row)
  const shown: { [field: string]: unknown } = {}
  for (const field of shownTo(view, grants).fields) shown[field.name] = shownOf(field)
  return shown
}
