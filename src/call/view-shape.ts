import { hash } from 'node:crypto'
import type { View, ViewField } from '../compile/model.ts'
import { kinds } from '../kinds/kinds.ts'

const shapeLength = 8

/**
 * A short hash of what a row looks like in a version: the names and forms of the shown fields, in the order shown. It is
 * computed from the version's own names alone, so no newer version and no hidden field changes it.
 */
export function viewShapeOf(fields: readonly Pick<ViewField, 'name' | 'kind' | 'writeOnly'>[]): string {
  const shown = fields.filter(({ writeOnly }) => !writeOnly)
  const forms = shown.map(({ name, kind }) => [name, kinds[kind].comparedAs])
  return hash('sha1', JSON.stringify(forms), 'base64url').slice(0, shapeLength)
}

/** Kept, because a shape takes 3 µs, and every page after the first asks for that of each included view. */
const whole = new WeakMap<View, string>()

/** The shape of a row with all fields of the view. */
export function wholeShapeOf(view: View): string {
  const known = whole.get(view) ?? viewShapeOf(view.fields)
  whole.set(view, known)
  return known
}
