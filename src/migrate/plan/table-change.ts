import type { CodecName } from '../../declare/change.ts'
import type { FieldKind } from '../../kinds/kinds.ts'
import type { Scanned } from '../rows/scan.ts'
import type { Column, Table } from '../wanted/table.ts'

export type TableChange = Reshape | Drop

/** A table gets other names, or its rows other values. */
export interface Reshape {
  readonly kind: 'reshape'
  readonly table: Table
  /** The present name of the table, which may be the same. */
  readonly from: string
  readonly columns: readonly ColumnPlan[]
  /** Columns that are not declared: `dropped`, or `kept` with their values. */
  readonly undeclared: 'dropped' | 'kept'
  /** Rows are shown otherwise, so that their entity tags must change. */
  readonly revises: boolean
  /** What is done to its rows, where that is more than to fit the declaration. */
  readonly why?: string
}

export interface Drop {
  readonly kind: 'drop'
  readonly table: string
  readonly why: string
}

/** Where the values of a column come from. */
export interface ColumnPlan {
  readonly column: Column
  /** The present name of the column; null for a new one. */
  readonly from: string | null
  /** The kind that its values have had; null for a new column, or one of the engine's own. */
  readonly kindBefore: FieldKind | null
  /** `recast`: the values of `scanned.fitting`. `kept`: the old values. Rows of `scanned.unfit` have what `instead` says, or nothing. */
  readonly values: 'kept' | 'recast'
  /** Converts the values by the SQL of a codec. */
  readonly codec: { readonly name: CodecName; readonly why: string } | null
  /** Stored values → those that they become. */
  readonly mapped: ReadonlyMap<string, string>
  readonly scanned: Scanned | null
  /** What the declaration or a person wants in place of values, which are given as JSON; null for nothing. */
  readonly instead: ReadonlyMap<string, string | null>
  /** The stored value of rows, and of events, that lack one or lose theirs; undefined for NULL. */
  readonly otherwise: unknown
}

/** A column that keeps its values. */
export const keptColumn = (column: Column, from: string | null): ColumnPlan => ({
  column,
  from,
  kindBefore: null,
  values: 'kept',
  codec: null,
  mapped: new Map(),
  scanned: null,
  instead: new Map(),
  otherwise: undefined,
})

/** Whether the values of rows must be made anew. Values that are mapped are changed where they are. */
export const isRewritten = (plan: ColumnPlan): boolean =>
  plan.values === 'recast' ||
  plan.codec !== null ||
  (plan.scanned?.unfit.length ?? 0) > 0 ||
  plan.otherwise !== undefined

/** Whether the column is the same afterwards. */
export const isUntouched = (plan: ColumnPlan): boolean =>
  plan.from === plan.column.name && plan.mapped.size === 0 && !isRewritten(plan)
