import type { FieldKind } from '../../kinds/kinds.ts'
import type { Dialect } from '../../plan/dialect.ts'
import type { Session, Store, Value } from '../../store/store.ts'
import type { Step } from '../migration-step.ts'
import type { PresentTable } from '../present.ts'
import type { Table } from '../wanted/table.ts'
import type { ConversionSql } from './conversion.ts'
import type { Move } from './name-moves.ts'
import type { Reshape } from './table-change.ts'

export type Present = ReadonlyMap<string, PresentTable>

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
  /** The steps that add what tables lack. They run in one transaction. */
  differences(tables: readonly Table[], present: Present): readonly Step[]
  /** The table with other names of its own and its columns. */
  renamedTable(table: PresentTable, name: string, columns: readonly Move[]): PresentTable
  /** Gives indexes and constraints the names that follow from the new names of a table and its columns. */
  renamedObjects(reshape: Reshape, found: PresentTable): After
  /** Gives the columns their types and values. All names are the new ones. */
  reshaped(reshape: Reshape, found: PresentTable): After
  /** Before tables are dropped that others refer to. */
  releaseReferences(present: Present, dropped: ReadonlySet<string>): readonly string[]
  columnType(kind: FieldKind): string
  /** The type of columns that are compared with ids. */
  readonly keyType: string
  /** A value of a column as an expression of its type; null for NULL. */
  literal(value: unknown, kind: FieldKind): string
  /** Deletes all rows of these tables. */
  empty(tables: readonly string[]): readonly string[]
  /** Runs `work` in one transaction, in one process at a time. No other process reads or writes these tables meanwhile. */
  locked<T>(store: Store, session: Session, tables: readonly string[], work: () => Promise<T>): Promise<T>
}
