import type { FieldKind } from '../../kinds/kinds.ts'
import type { Dialect } from '../../plan/dialect.ts'
import type { Session, Store, Value } from '../../store/store.ts'
import type { MigrateOptions } from '../migration.ts'
import type { Step } from '../migration-step.ts'
import type { Present, PresentTable } from '../present.ts'
import type { Table } from '../wanted/table.ts'
import type { ConversionSql } from './changes-of-type.ts'
import type { Move } from './renames.ts'
import type { StorePlan } from './store-plan.ts'
import type { Reshape } from './table-change.ts'

/** One statement of a change. */
export interface TableStatement {
  readonly sql: string
  /** Bound where rows have values of their own, which are in no text. */
  readonly params?: readonly Value[]
  /** In a sentence without its full stop, where it is worth one of its own. */
  readonly why?: string
  /** It converts values to another type. */
  readonly converts?: true
}

/** A table after some statements have run. */
export interface After {
  readonly statements: readonly TableStatement[]
  readonly after: PresentTable
}

/** What one database needs to change tables besides the statements that both have. */
export interface TableSql {
  readonly dialect: Dialect
  readonly conversions: ConversionSql
  read(session: Session): Promise<Present>
  /** What tables lack, in one transaction. */
  differences(tables: readonly Table[], present: Present): readonly Step[]
  /** The same as it is added while others serve the store, where `online`; with what a cluster needs. */
  additions(
    session: Session,
    tables: readonly Table[],
    present: Present,
    how: Adding,
  ): Promise<readonly Step[]>
  /** The table with other names of its own and its columns. */
  renamedTable(table: PresentTable, name: string, columns: readonly Move[]): PresentTable
  /** Gives indexes and constraints the names that follow from the new names of a table and its columns. */
  renamedObjects(reshape: Reshape, found: PresentTable): After
  /** Gives the columns their types and values. All names are the new ones. */
  reshaped(reshape: Reshape, found: PresentTable): After
  /** Before tables are dropped that others refer to. */
  releaseReferences(present: Present, dropped: ReadonlySet<string>): readonly string[]
  columnType(kind: FieldKind): string
  /** A value of a column as an expression of its type; null for NULL. */
  literal(value: unknown, kind: FieldKind): string
  /** Deletes all rows of these tables. */
  empty(tables: readonly string[]): readonly string[]
  /** Takes the steps of a plan, in one process at a time. */
  carryOut(run: Run): Promise<StorePlan>
}

export interface Adding {
  /** While older processes serve: indexes are built beside their writes. */
  readonly online: boolean
  /** The tables are distributed over a Citus cluster, or will be. */
  readonly spread: boolean
  readonly shards: number | undefined
}

/** A plan that is agreed to. */
export interface Run {
  readonly store: Store
  readonly session: Session
  readonly plan: StorePlan
  /** The plan made again, under the lock; throws where it is another one than was agreed to. */
  again(): Promise<StorePlan>
  readonly options: MigrateOptions
}
