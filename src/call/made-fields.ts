import type { View, ViewField } from '../compile/model.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import { toShown } from '../compile/versions/codecs.ts'
import type { StoredRow } from './stored-row.ts'

/** Runs the `down` of each custom change, newest first. The result has the fields that each step makes, by step. */
export function runDown(view: View, shownOf: (field: ViewField) => unknown): readonly JsonObject[] {
  const made: JsonObject[] = []
  for (const step of view.customs) {
    const newer = Object.fromEntries(
      step.newer.map((field) => [field.name, fieldValue(field, made, shownOf)]),
    )
    made.push(step.change.down(newer))
  }
  return made
}

const fieldValue = (
  field: ViewField,
  made: readonly JsonObject[],
  shownOf: (field: ViewField) => unknown,
): unknown => (field.made ? made[field.made.step]?.[field.made.key] : shownOf(field)) ?? null

/** Gives the value of each field of a stored row, as the version shows it. */
export function shownValues(view: View, row: StoredRow): (field: ViewField) => unknown {
  const made = view.customs.length === 0 ? {} : madeFields(view, storedShown(row))
  return (field) => (field.field ? toShown(field, row[field.field.name]) : (made[field.name] ?? null))
}

export const storedShown =
  (row: StoredRow) =>
  (field: ViewField): unknown =>
    toShown(field, field.field ? row[field.field.name] : null)

/** The fields that custom changes make, in the version's names. `shownOf` gives the values of other fields, in the version's terms. */
export function madeFields(view: View, shownOf: (field: ViewField) => unknown): JsonObject {
  const made = runDown(view, shownOf)
  const fields = view.fields.filter((field) => field.made)
  return Object.fromEntries(fields.map((field) => [field.name, fieldValue(field, made, shownOf)]))
}
