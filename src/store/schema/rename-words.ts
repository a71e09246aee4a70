import type { ConversionWords } from './conversion.ts'
import type { Step } from './migration-step.ts'
import type { Move } from './name-moves.ts'
import type { PresentTable } from './present.ts'
import type { Found } from './rename-steps.ts'
import type { Check } from './table.ts'

/** What a rename takes in one database beyond ALTER TABLE … RENAME, which all have. */
export interface RenameWords<T extends PresentTable> {
  readonly conversions: ConversionWords
  /** The table as the database has it after its renames. */
  renamedTable(table: T, name: string, columns: readonly Move[]): T
  /** Brings the names of indexes and constraints after those of their table and columns. */
  oldNames(found: Found, there: T): { readonly steps: readonly Step[]; readonly after: T }
  /** Statements that change a column's values, with whatever lets them; values that are `gone` are none afterwards. */
  aroundValues(
    found: Found,
    there: T,
    check: Check,
    gone: ReadonlySet<string>,
    updates: readonly string[],
  ): { readonly sql: readonly string[]; readonly after: T }
}
