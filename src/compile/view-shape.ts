import { hash } from 'node:crypto'
import type { FieldKind, ViewField } from './model.ts'

const shapeLength = 8

/** The kinds that are written alike in JSON, so that a body does not change when one of them becomes another. */
const textKinds: ReadonlySet<FieldKind> = new Set(['id', 'reference', 'string', 'enum', 'state'])

/**
 * A short hash of what a row looks like in a version: the names and forms of the shown fields, in the order shown. It is
 * made from the version's own words alone, so no newer version and no hidden field changes it.
 */
export function shapeOf(fields: readonly Pick<ViewField, 'name' | 'kind' | 'writeOnly'>[]): string {
  const shown = fields.filter(({ writeOnly }) => !writeOnly)
  const forms = shown.map(({ name, kind }) => [name, textKinds.has(kind) ? 'text' : kind])
  return hash('sha1', JSON.stringify(forms), 'base64url').slice(0, shapeLength)
}
