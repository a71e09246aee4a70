import { counted } from '../../compile/names/plural.ts'
import { ident } from '../../plan/dialect.ts'
import { metaTable } from '../../store/meta.ts'
import { StoreRefused } from '../../store/store.ts'
import { MigrationRefused, notUnique } from '../migration.ts'
import type { Demand, Step } from '../migration-step.ts'
import { everyRow } from '../plan/findings.ts'
import type { StorePlan } from '../plan/store-plan.ts'
import { refuseBeyond } from '../sums/sum-limit.ts'
import type { Reading } from './scan.ts'
import { sharedRows } from './shared-values.ts'

/** Throws where rows do not allow a step: they lack a value, share one that must be unique now, or have a sum that is too large. */
export async function refuseForRows(reading: Reading, step: Step, fate: string): Promise<void> {
  const { session, dialect } = reading
  for (const demand of step.demands ?? []) await refuseWithoutValue(reading, step.table, demand)
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
  for (const { demands = [], unique = [], limit, ...step } of steps) {
    const read = demands.filter(({ rows }) => rows !== everyRow).map(({ column }) => column)
    const names = unique.map(({ name }) => name)
    const known = {
      ...step,
      demands: found.has(step.table) && isThere(step.table, read) ? demands : [],
      unique: isThere(step.table, names) ? unique : [],
      ...(limit && onlyAdds && isThere(limit.table, limit.columns) && { limit }),
    }
    await refuseForRows(reading, known, 'Nothing was changed.')
  }
}

async function refuseWithoutValue(
  { session }: Reading,
  table: string,
  { column, rows }: Demand,
): Promise<void> {
  const [found] = await session.all(`SELECT count(*) FROM ${ident(table)} WHERE ${rows}`)
  const count = Number(found?.[0])
  if (count === 0) return
  const have = count === 1 ? 'has' : 'have'
  throw new StoreRefused(
    `${table}.${column} is required, and ${counted(count, 'row')} ${have} no value for it, so that this was not done. Say in the declaration what they have: a default, or whenAbsent of addRequiredField or makeRequired. Or give these rows a value, or make the field optional.`,
  )
}
