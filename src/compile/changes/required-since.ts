import type { Field, Resource, Version } from '../model.ts'

/**
 * What rows have in a required field that nobody gave a value: its default, or what the first version that knows of none says (`whenAbsent`). Undefined
 * where no version says so.
 */
export function valueWhenAbsent(resource: Resource, field: Field, versions: readonly Version[]): unknown {
  if (field.default !== undefined && field.default !== null) return field.default
  if (field.states) return field.states.initial
  if (field.nullable) return undefined
  const views = versions.flatMap((version) => version.viewOf.get(resource.name) ?? [])
  const absent = views.map((view) => view.whenAbsent.get(field.name))
  return absent.find((value) => value !== undefined && value !== null)
}
