import type { Step } from '../migration-step.ts'
import type { FollowPlan } from '../plan/follow-plan.ts'
import type { Table } from '../wanted/table.ts'
import type { FollowSql, Present } from './follow-sql.ts'

/** The additions to tables that are not rebuilt, with their sums, for those who want to see them. */
export function shownAdditions(
  { steps }: FollowPlan,
  differences: FollowSql['differences'],
  wanted: readonly Table[],
  present: Present,
  computed: readonly Step[],
): readonly Step[] {
  const before = new Set(steps.map((step) => (step.kind === 'drop' ? step.table : step.from)))
  const after = new Set(steps.map((step) => (step.kind === 'drop' ? step.table : step.table.name)))
  return [
    ...differences(
      wanted.filter(({ name }) => !after.has(name)),
      // A table that got another name leaves room for a new one.
      new Map([...present].filter(([name]) => !before.has(name))),
    ),
    ...computed.filter(({ table }) => !before.has(table) && !after.has(table)),
  ].filter((step) => step.additive)
}
