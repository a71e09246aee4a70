import type { View, ViewField } from '../compile/model.ts'
import { toShown } from '../compile/versions/codecs.ts'
import type { Grants } from './grants.ts'
import { shownMade } from './made-fields.ts'
import { type Shown, shownTo } from './shown-fields.ts'
import type { StoredRow } from './stored-row.ts'

/** The name of each shown field, ready to be followed by its value. */
const labelled = new WeakMap<Shown, readonly Labelled[]>()

interface Labelled {
  readonly label: string
  readonly field: ViewField
}

function labelledFields(shown: Shown): readonly Labelled[] {
  const known = labelled.get(shown)
  if (known) return known
  const made = shown.fields.map((field, index) => ({
    label: `${index === 0 ? '{' : ','}${JSON.stringify(field.name)}:`,
    field,
  }))
  labelled.set(shown, made)
  return made
}

/**
 * The JSON text of a row that was just written, as a version shows it to a caller. All its values are in memory, so it is not read again. A
 * property test compares it with the text that a read of the row gives.
 */
export function shownText(view: View, row: StoredRow, grants: Grants): string {
  const made = shownMade(view, row)
  let text = ''
  for (const { label, field } of labelledFields(shownTo(view, grants))) {
    const value = field.field ? toShown(field, row[field.field.name]) : (made[field.name] ?? null)
    text += label + JSON.stringify(value)
  }
  return `${text}}`
}
