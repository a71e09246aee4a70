import type { StoredRow } from '../call/stored-row.ts'
import type { Model, Resource } from '../compile/model.ts'
import { hyphenated } from '../compile/names/name-rules.ts'

/**
 * Events have the names and values of the store, which processes of older and newer declarations understand alike, and which no version
 * takes along when it is taken out of a declaration.
 */

/** The name under which events of a table are stored. */
export const eventName = (table: string): string => hyphenated(table)

/** Whose rows an event has: the newest version of its writer, and how often names of the store had been tidied up by then. */
export const writtenVersion = ({ head, names }: Model): string => `${head.name}@${names.moves.length}`

export function readWrittenVersion(text: string): { readonly version: string; readonly moves: number } {
  const [version = '', moves = 0] = text.split('@')
  return { version, moves: Number(moves) }
}

const renamed = new WeakMap<Resource, boolean>()

/** A row, or some of its fields, in the names and values of the store. */
export function storedForm(resource: Resource, row: StoredRow): StoredRow {
  let isRenamed = renamed.get(resource)
  if (isRenamed === undefined) {
    isRenamed = resource.fields.some(({ name, column, stored }) => stored !== null || name !== column)
    renamed.set(resource, isRenamed)
  }
  if (!isRenamed) return row
  const form: { [column: string]: unknown } = {}
  for (const { name, column, stored } of resource.fields)
    if (name in row) form[column] = stored?.up.get(String(row[name])) ?? row[name]
  return form
}
