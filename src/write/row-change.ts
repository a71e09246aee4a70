import type { StoredRow } from '../call/stored-row.ts'
import type { BelongsToModel, Resource } from '../compile/model.ts'
import { bound } from '../plan/bind.ts'
import { wordsOf } from '../plan/search-index.ts'
import type { Value } from '../store/store.ts'

/** A row as it was before a transaction and as it is after; null where it did not, or does no longer, exist. */
export interface RowChange {
  readonly resource: Resource
  readonly id: string
  readonly before: StoredRow | null
  readonly after: StoredRow | null
}

/** A row that this transaction has locked or written, as it is stored now. */
export interface LockedRow {
  readonly row: StoredRow
  readonly version: number
}

/** A row as an import gives it. */
export interface WholeRow {
  readonly row: StoredRow
  readonly version: number
}

/** A row without some of its references: the ids that they are to have, by field. */
export interface LackingRow {
  readonly id: string
  readonly references: { readonly [field: string]: string }
}

/** Whether the sums of an owner are left as they are, because `correctSums` will be called. */
export type SumsLater = (owner: Resource, id: string) => boolean

/** The values of a row as a statement that inserts many binds them. */
export function boundRow(resource: Resource, account: string, { row, version }: WholeRow): Value[] {
  const values = rowValues(resource, account, row)
  values.push(version)
  return values
}

/** The values of a row as a statement that inserts it binds them: those of its fields, then its words. */
export function rowValues(resource: Resource, account: string, row: StoredRow): Value[] {
  const values = resource.fields.map((field) => bound(field, row[field.name]))
  values.push(...wordsOf(resource, account, row))
  return values
}

/** In one order, so that two transactions that move rows between the same two owners do not deadlock. */
export const ownersOf = (rows: readonly StoredRow[], { field }: BelongsToModel): readonly string[] =>
  [...new Set(rows.map((row) => row[field]).filter((id) => typeof id === 'string'))].sort()

/** A row that goes along with the one that it refers to. */
export interface DeletedAlong {
  readonly resource: Resource
  readonly row: StoredRow
  /** The store refuses to delete the row that it refers to. */
  readonly restricts: boolean
}
