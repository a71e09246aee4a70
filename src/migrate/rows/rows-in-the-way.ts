import { metaTable } from '../../store/meta.ts'
import { MigrationRefused, notUnique } from '../migration.ts'
import type { Step } from '../migration-step.ts'
import type { StorePlan } from '../plan/store-plan.ts'
import { refuseBeyond } from '../sums/sum-limit.ts'
import type { Reading } from './scan.ts'
import { sharedRows } from './shared-values.ts'

/** Throws where rows do not allow a step: they share a value that must be unique now, or have a sum that is too large. */
export async function refuseForRows(reading: Reading, step: Step, fate: string): Promise<void> {
  const { session, dialect } = reading
  if (step.limit) await refuseBeyond(session, step.limit, fate)
  const shared = await sharedRows(session, dialect, step)
  if (shared !== null) throw new MigrationRefused([notUnique(step, shared)])
}

/**
 * The same for all steps of a plan, before any of them is taken. What reads columns that earlier steps add, rename or convert cannot be told
 * yet, and is left to the step.
 */
export async function refuseBeforehand(reading: Reading, { steps, found }: StorePlan): Promise<void> {
  const isThere = (table: string, columns: readonly string[]): boolean =>
    columns.every((column) => found.get(table)?.columns.has(column))
  // A rename or conversion may give one of the columns of a sum another meaning.
  const onlyAdds = steps.every(({ additive, table }) => additive || table === metaTable)
  for (const { unique = [], limit, ...step } of steps) {
    const names = unique.map(({ name }) => name)
    const known = {
      ...step,
      unique: isThere(step.table, names) ? unique : [],
      ...(limit && onlyAdds && isThere(limit.table, limit.columns) && { limit }),
    }
    await refuseForRows(reading, known, 'Nothing was changed.')
  }
}
