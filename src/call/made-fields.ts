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

/** The fields of a stored row that custom changes make, in the version's names. */
export function shownMade(view: View, row: StoredRow): JsonObject {
  return view.customs.length === 0 ? {} : madeFields(view, storedShown(row))
}

export const storedShown =
  (row: StoredRow) =>
  (field: ViewField): unknown =>
    toShown(field, field.field ? row[field.field.name] : null)

/** The same from values a statement has already put into this version's terms, by step and newer name. */
export function madeFields(view: View, shownOf: (field: ViewField) => unknown): JsonObject {
  const made = runDown(view, shownOf)
  const fields = view.fields.filter((field) => field.made)
  return Object.fromEntries(fields.map((field) => [field.name, fieldValue(field, made, shownOf)]))
}
