import { counted } from '../../compile/names/plural.ts'
import { ident } from '../../plan/dialect.ts'
import { type Session, StoreRefused } from '../../store/store.ts'
import type { Step } from '../migration-step.ts'

/** Throws where rows have no value of a field that is required now. */
export async function refuseWithoutValue(
  session: Pick<Session, 'all'>,
  { table, demands = [] }: Pick<Step, 'table' | 'demands'>,
): Promise<void> {
  for (const { column, rows } of demands) {
    const [found] = await session.all(`SELECT count(*) FROM ${ident(table)} WHERE ${rows}`)
    const count = Number(found?.[0])
    if (count === 0) continue
    const have = count === 1 ? 'has' : 'have'
    throw new StoreRefused(
      `${table}.${column} is required, and ${counted(count, 'row')} ${have} no value for it, so that this was not done. Say in the declaration what they have: a default, or whenAbsent of addRequiredField or makeRequired. Or give these rows a value, or make the field optional.`,
    )
  }
}
