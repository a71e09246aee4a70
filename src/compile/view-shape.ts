import { hash } from 'node:crypto'
import { kinds } from '../kinds/kinds.ts'
import type { ViewField } from './model.ts'

const shapeLength = 8

/**
 * A short hash of what a row looks like in a version: the names and forms of the shown fields, in the order shown. It is
 * computed from the version's own names alone, so no newer version and no hidden field changes it.
 */
export function shapeOf(fields: readonly Pick<ViewField, 'name' | 'kind' | 'writeOnly'>[]): string {
  const shown = fields.filter(({ writeOnly }) => !writeOnly)
  const forms = shown.map(({ name, kind }) => [name, kinds[kind].bodyForm])
  return hash('sha1', JSON.stringify(forms), 'base64url').slice(0, shapeLength)
}
