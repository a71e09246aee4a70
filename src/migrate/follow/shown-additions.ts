import type { Step } from '../migration-step.ts'
import type { ChangePlan } from '../plan/table-change.ts'
import type { Present, TableSql } from '../plan/table-sql.ts'
import type { Table } from '../wanted/table.ts'

/** The additions to tables that are not rebuilt, with their sums, for those who want to see them. */
export function shownAdditions(
  { changes }: ChangePlan,
  differences: TableSql['differences'],
  wanted: readonly Table[],
  present: Present,
  computed: readonly Step[],
): readonly Step[] {
  const before = new Set(changes.map((step) => (step.kind === 'drop' ? step.table : step.from)))
  const after = new Set(changes.map((step) => (step.kind === 'drop' ? step.table : step.table.name)))
  return [
    ...differences(
      wanted.filter(({ name }) => !after.has(name)),
      // A table that got another name leaves room for a new one.
      new Map([...present].filter(([name]) => !before.has(name))),
    ),
    ...computed.filter(({ table }) => !before.has(table) && !after.has(table)),
  ].filter((step) => step.additive)
}
