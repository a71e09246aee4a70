import type { FieldKind } from '../../kinds/kinds.ts'
import type { Session, Store } from '../../store/store.ts'
import type { Step } from '../migration-step.ts'
import type { PresentTable } from '../present.ts'
import type { Table } from '../wanted/table.ts'

export type Present = ReadonlyMap<string, PresentTable>

/** What one database needs to follow a declaration besides the statements that both have. */
export interface FollowSql {
  read(session: Session): Promise<Present>
  /** The steps that make the tables fit, once none is to be rebuilt. They run in one transaction. */
  differences(tables: readonly Table[], present: Present): readonly Step[]
  /** Creates a table under another name, without its indexes. */
  createCopy(table: Table, name: string): string
  /** After the copy got the table's own name. */
  afterRename(table: Table, copy: string): readonly string[]
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
