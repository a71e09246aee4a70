import type { PresentTable } from './present.ts'
import type { Step } from './step.ts'
import type { Table } from './table.ts'

/** The tables for a store that finds its oldest rows without the indexes for that. */
export const withoutOrderIndexes = (tables: readonly Table[]): readonly Table[] =>
  tables.map((table) => ({ ...table, indexes: table.indexes.filter((index) => !index.inOrderWritten) }))

/** Drops those that are there all the same: every write would still pay for them. */
export const dropOrderIndexes = (
  tables: readonly Table[],
  present: ReadonlyMap<string, PresentTable>,
  dropIndex: (name: string) => string,
): readonly Step[] =>
  tables.flatMap((table) =>
    table.indexes
      .filter(({ name, inOrderWritten }) => inOrderWritten && present.get(table.name)?.indexes.has(name))
      .map(({ name }) => ({
        table: table.name,
        sql: dropIndex(name),
        additive: true,
        why: `index ${name} is no longer needed`,
        alone: true,
      })),
  )
