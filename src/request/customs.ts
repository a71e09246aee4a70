import type { CustomStep, View, ViewField } from '../compile/model.ts'
import { problem } from '../problems.ts'
import type { JsonObject } from './json.ts'
import { type StoredValue, toShown, toStored } from './values.ts'

type Stored = { readonly [field: string]: StoredValue }

/** Runs the `down` of each custom change, newest first: what each step makes, by step. */
function runDown(view: View, shownOf: (field: ViewField) => unknown): readonly JsonObject[] {
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
export function shownMade(view: View, row: Stored): JsonObject {
  if (view.customs.length === 0) return {}
  return madeFields(view, (field) => toShown(field, field.field ? row[field.field.name] : null))
}

/** The same from values a statement has already put into this version's terms, by step and newer name. */
export function madeFields(view: View, shownOf: (field: ViewField) => unknown): JsonObject {
  const made = runDown(view, shownOf)
  const fields = view.fields.filter((field) => field.made)
  return Object.fromEntries(fields.map((field) => [field.name, fieldValue(field, made, shownOf)]))
}

/** Runs the `up` of each custom change, oldest first: the stored fields that stand behind what was sent. */
export function madeUp(view: View, current: Stored, sent: JsonObject): Stored {
  if (view.customs.length === 0) return {}
  const older: { [key: string]: unknown }[] = view.customs.map(() => ({}))
  const put = (field: ViewField, value: unknown) => {
    const inputs = field.made ? older[field.made.step] : undefined
    if (field.made && inputs) inputs[field.made.key] = value ?? null
  }
  for (const field of view.fields) put(field, sent[field.name])
  const stored: { [field: string]: StoredValue } = {}
  for (let at = view.customs.length - 1; at >= 0; at--) {
    const step = view.customs[at]
    const inputs = older[at]
    if (!step || !inputs) continue
    const newer = up(step, inputs)
    for (const field of step.newer) {
      const value = newer[field.name]
      if (field.made) put(field, value)
      else if (field.field && value !== undefined) keep(field, value, current, stored)
    }
  }
  return stored
}

function up(step: CustomStep, older: JsonObject): JsonObject {
  try {
    return step.change.up(older)
  } catch {
    const fields = Object.keys(step.change.fields)
    throw problem('validation-failed', {
      detail: `${fields.join(', ')} cannot be understood together.`,
      errors: fields.map((name) => ({
        pointer: `#/${name}`,
        detail: 'has a value that cannot be stored',
        code: 'value',
      })),
    })
  }
}

/** A value shown alike keeps what is stored, so that what an older version cannot tell apart is not lost. */
function keep(
  field: ViewField,
  value: unknown,
  current: Stored,
  stored: { [field: string]: StoredValue },
): void {
  const name = field.field?.name
  if (name === undefined) return
  const before = current[name]
  stored[name] = before !== undefined && toShown(field, before) === value ? before : toStored(field, value)
}
