import type { View, ViewField, ViewRelation } from '../compile/model.ts'
import type { OperatorName } from '../kinds/operators.ts'
import { type Include, noInclude } from './included.ts'
import type { StoredValue } from './stored-row.ts'

interface ReadQuery {
  readonly include: Include
  /** The query in its canonical form, without a cursor; null where that is how it was sent, wherever the cursor stood. */
  readonly canonical: string | null
  /** The relations, filters and sorts that are used, for the usage counts; null for none. */
  readonly uses: Asked | null
}

/** What a query names, for the usage counts. */
interface Asked {
  readonly include: readonly string[]
  readonly filters: readonly string[]
  readonly sorts: readonly string[]
  readonly fields: readonly string[]
  /** Whether the list is searched, and whether it is counted. */
  readonly lists: readonly ('search' | 'count')[]
}

export type OneQuery = ReadQuery

export interface ListQuery extends ReadQuery {
  readonly limit: number
  /** Of totals: the fields that make the groups, in the order in which rows show them. */
  readonly by: readonly ViewField[]
  readonly sort: readonly SortKey[]
  /** Conditions that must all hold. */
  readonly filters: readonly Filter[]
  /** Alternatives of which one must hold besides. */
  readonly either: Alternatives
  /** All conditions, in the order in which statements bind their values. */
  readonly conditions: readonly Filter[]
  /** The views that filters lead to by relations. */
  readonly filteredBy: readonly View[]
  /** Words of which each must begin one of the row's; null where nothing is searched. */
  readonly search: readonly string[] | null
  /** Whether the rows that the filters find are counted. */
  readonly count: boolean
  /** Sort, filters and search in words: what a cursor is bound to. */
  readonly order: string
  /** The query of the next page, up to its cursor. */
  readonly next: string
}

/** A list and where in it to go on. */
export interface PageQuery {
  readonly list: ListQuery
  readonly cursor: string | null
}

export const plainOne: OneQuery = { include: noInclude, canonical: null, uses: null }

/** A condition on a field. */
export interface Filter {
  /** The query parameter, as it was sent. */
  readonly parameter: string
  readonly name: string
  /** The relations that lead to the field; none for a field of the row itself. */
  readonly steps: readonly ViewRelation[]
  readonly field: ViewField
  readonly operator: OperatorName
  /** The values as the caller's version says them, which are the same before and after a newer version is released. */
  readonly shown: readonly unknown[]
  /** The same in the store's terms. `null` stands for NULL; with eq and ne there may be several where one shown value stands for several stored ones. */
  readonly values: readonly StoredValue[]
}

/** Conditions of which all of at least one alternative must hold. None where nothing of the kind was asked. */
export type Alternatives = readonly (readonly Filter[])[]

export interface SortKey {
  readonly field: ViewField
  readonly descending: boolean
}

export const sortText = (keys: readonly SortKey[]): string =>
  keys.map((key) => `${key.descending ? '-' : ''}${key.field.name}`).join(',')

/** The values of the sort keys in the last row of a page. */
export type SortPosition = readonly (string | number | boolean | null)[]
