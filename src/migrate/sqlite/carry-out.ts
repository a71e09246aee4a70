import { counted } from '../../compile/names/plural.ts'
import { sqlite } from '../../plan/sqlite.ts'
import { StoreRefused } from '../../store/store.ts'
import { needsStop, type StorePlan } from '../plan/store-plan.ts'
import type { Run } from '../plan/table-sql.ts'
import { takeStep } from '../take-step.ts'

/** All steps are one transaction, whose lock also keeps other processes from starting to serve: they would write their row in nounkit_recorders. */
export async function carryOutOnSqlite({ session, again, options }: Run): Promise<StorePlan> {
  await session.script('BEGIN IMMEDIATE')
  try {
    const plan = await again()
    const { steps } = plan
    if (needsStop(steps)) await options.beforeStop?.()
    for (const [done, step] of steps.entries()) {
      options.stepping?.(step.why, done, steps.length)
      await takeStep({ session, dialect: sqlite }, step, 'Nothing was changed.')
    }
    const broken = await session.all('PRAGMA foreign_key_check')
    if (broken.length > 0)
      throw new StoreRefused(
        `The migration would leave ${counted(broken.length, 'reference')} of ${broken[0]?.[0]} to missing rows. Nothing was changed. Change these rows, or the declaration.`,
      )
    await session.script('COMMIT')
    return plan
  } catch (error) {
    await session.script('ROLLBACK')
    throw error
  }
}
