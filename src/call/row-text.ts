import type { View } from '../compile/model.ts'
import { toShown } from '../compile/versions/codecs.ts'
import type { Grants } from './grants.ts'
import { shownMade } from './made-fields.ts'
import { shownTo } from './shown-fields.ts'
import type { StoredRow } from './stored-row.ts'

/**
 * The JSON text of a row that was just written, as a version shows it to a caller. All its values are in memory, so it is not read again. A
 * property test compares it with the text that a read of the row gives.
 */
export function shownText(view: View, row: StoredRow, grants: Grants): string {
  const made = shownMade(view, row)
  const shown: { [field: string]: unknown } = {}
  for (const field of shownTo(view, grants).fields)
    shown[field.name] = field.field ? toShown(field, row[field.field.name]) : (made[field.name] ?? null)
  return JSON.stringify(shown)
}
