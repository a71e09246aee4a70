import type { PresentTable } from '../present.ts'
import type { Move } from './renames.ts'

/** The table with its new name, and its new column names in columns and foreign keys. */
export function withNames<T extends PresentTable>(table: T, name: string, columns: readonly Move[]): T {
  const now = new Map(columns.map(({ from, to }) => [from, to]))
  const after = (column: string): string => now.get(column) ?? column
  return {
    ...table,
    name,
    columns: new Map(
      [...table.columns].map(([key, column]) => [after(key), { ...column, name: after(key) }]),
    ),
    foreignKeys: new Map(
      [...table.foreignKeys].map(([key, value]) => [key.split(',').map(after).join(), value]),
    ),
  }
}
