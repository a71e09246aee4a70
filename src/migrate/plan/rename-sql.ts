import type { Step } from '../migration-step.ts'
import type { PresentTable } from '../present.ts'
import type { Check } from '../wanted/table.ts'
import type { ConversionSql } from './conversion.ts'
import type { Move } from './name-moves.ts'
import type { Found } from './rename-steps.ts'

/** What one database needs for a rename besides ALTER TABLE … RENAME, which is the same for all. */
export interface RenameSql<T extends PresentTable> {
  readonly conversions: ConversionSql
  /** The table after its renames. */
  renamedTable(table: T, name: string, columns: readonly Move[]): T
  /** Renames indexes and constraints that are named after an older table or column. */
  oldNames(found: Found, there: T): { readonly steps: readonly Step[]; readonly after: T }
  /** The updates of a column's values, with statements around them that allow it. Values in `gone` are not allowed afterwards. */
  aroundValues(
    found: Found,
    there: T,
    check: Check,
    gone: ReadonlySet<string>,
    updates: readonly string[],
  ): { readonly sql: readonly string[]; readonly after: T }
}
