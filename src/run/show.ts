import type { View } from '../compile/model.ts'
import type { StoredRow } from '../request/body.ts'
import { shownMade } from '../request/customs.ts'
import { toShown } from '../request/values.ts'

/**
 * The JSON text of a row that was just written, as a version shows it: all its values are at hand, so the store need not say
 * them back. A law holds it against the text that a read of the row gives.
 */
export function shownText(view: View, row: StoredRow): string {
  const made = shownMade(view, row)
  let text = '{'
  for (const field of view.fields) {
    if (field.writeOnly) continue
    const value = field.field ? toShown(field, row[field.field.name]) : (made[field.name] ?? null)
    text += `${text === '{' ? '' : ','}${JSON.stringify(field.name)}:${JSON.stringify(value)}`
  }
  return `${text}}`
}
