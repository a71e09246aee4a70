import type { StoredRow } from '../call/stored-row.ts'
import type { Field, Resource } from '../compile/model.ts'
import { newId } from './ids.ts'

let last = { at: 0, text: new Date(0).toISOString() }

/** Rows of a list, and twenty rows of an import, are made in the same millisecond. The kept text saves 1 µs of the 10 that a row of a list takes. */
function timeText(at: number): string {
  if (at !== last.at) last = { at, text: new Date(at).toISOString() }
  return last.text
}

/** A whole row from the values that were given, with a new id, unless one is given, and all that the server itself sets. */
export function newRow(resource: Resource, given: StoredRow, now: number): StoredRow {
  const id = given.id === undefined ? resource.idPrefix + newId(now) : String(given.id)
  const row: { [field: string]: unknown } = {}
  for (const field of resource.fields) {
    const value = given[field.name]
    // A given null is kept: `readCreate` has already replaced absent values by what the version says they mean.
    row[field.name] = value === undefined ? serverValue(field, id, now) : value
  }
  return row
}

/** What the server itself sets in a new row. */
function serverValue(field: Field, id: string, now: number): unknown {
  if (field.name === 'id') return id
  if (field.name === 'created_at' || field.name === 'updated_at') return timeText(now)
  if (field.states) return field.states.initial
  return field.default ?? null
}
