import type { FieldKind } from '../../kinds/kinds.ts'
import type { Loss } from '../decide/loss.ts'
import type { Scanned } from '../rows/scan.ts'
import type { Column, Table } from '../wanted/table.ts'

/** How the store will follow the declaration, as data: the same for every database. */
export interface FollowPlan {
  readonly steps: readonly FollowStep[]
  /** What is done, a sentence each. */
  readonly notes: readonly string[]
  /** What would be lost, each with the number of rows. */
  readonly losses: readonly Loss[]
  /** What nobody has decided yet, a sentence each: the plan cannot be carried out. */
  readonly refusals: readonly string[]
  /** A process of the older declaration could still write rows that the new one does not allow. */
  readonly outdates: boolean
}

export type FollowStep = Rebuild | Drop

/** A new table takes the rows of an old one. */
export interface Rebuild {
  readonly kind: 'rebuild'
  readonly table: Table
  /** The old table's name, which may be the same. */
  readonly from: string
  readonly columns: readonly ColumnPlan[]
}

export interface Drop {
  readonly kind: 'drop'
  readonly table: string
}

/** Where the values of a column come from. */
export interface ColumnPlan {
  readonly column: Column
  /** The old table's column; null for a new one. */
  readonly from: string | null
  /** The kind that its values have had; null for a new column, or one of the engine's own. */
  readonly kindBefore: FieldKind | null
  /** `recast`: the values of `scanned.fitting`. `kept`: the old values. Rows of `scanned.unfit` have what they or `instead` say, or nothing. */
  readonly values: 'kept' | 'recast'
  readonly scanned: Scanned | null
  /** Events that have no value for it, or one that is not allowed any more, where every row fits. */
  readonly unfitEvents: number
  /** What a person wants in place of values, which are given as JSON; null for nothing. */
  readonly instead: ReadonlyMap<string, string | null>
  /** The stored value of rows, and of events, that lack one or lose theirs; undefined for NULL. */
  readonly otherwise: unknown
}
