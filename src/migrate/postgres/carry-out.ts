import { idents } from '../../plan/dialect.ts'
import { StoreError, StoreRefused } from '../../store/store.ts'
import { isOneTransaction, lockedTables, needsStop, type StorePlan } from '../plan/store-plan.ts'
import type { Run } from '../plan/table-sql.ts'
import { refuseBeforehand } from '../rows/rows-in-the-way.ts'
import { takeStep } from '../take-step.ts'
import { inPatience } from './lock-timeout.ts'
import { alone } from './one-process.ts'
import { keepOthersOut, runSteps } from './steps.ts'

/**
 * What older processes do not survive is one transaction, with all that follows from it. Otherwise each step is a transaction of its own with
 * short locks, because others serve the store; so it is on Citus, which does not run every kind of statement in one transaction over several nodes.
 */
export function carryOutOnPostgres(run: Run): Promise<StorePlan> {
  return alone(run.store, () => (isOneTransaction(run.plan) ? atOnce(run) : stepByStep(run)))
}

async function stepByStep({ store, session, again, options }: Run): Promise<StorePlan> {
  const plan = await again()
  // The steps before one that is refused would stay, and the first of a release with a stop shuts older processes out. Each step checks its rows again.
  const checked = plan.steps.filter(({ limit }) => limit || needsStop(plan.steps))
  await refuseBeforehand({ session, dialect: store.dialect }, { ...plan, steps: checked })
  await runSteps(store, session, plan.steps, { ...options, spread: plan.spread })
  return plan
}

/** The tables are locked before the plan is made again: its values are those of rows that nobody changes any more. */
async function atOnce({ store, session, plan, again, options }: Run): Promise<StorePlan> {
  const tables = lockedTables(plan)
  const what = { tables, why: plan.steps[0]?.why ?? '', spread: false, waiting: options.waiting }
  try {
    return await inPatience(store, session, what, async () => {
      await keepOthersOut(session)
      await options.beforeStop?.()
      if (tables.length > 0) await session.script(`LOCK TABLE ${idents(tables)}`)
      const now = await again()
      for (const [done, step] of now.steps.entries()) {
        options.stepping?.(step.why, done, now.steps.length)
        if (step.lock) await session.script(step.lock)
        await takeStep({ session, dialect: store.dialect }, step, 'Nothing was changed.')
      }
      return now
    })
  } catch (error) {
    if (!(error instanceof StoreError && error.kind === 'foreign-key')) throw error
    throw new StoreRefused(
      `New references would lead to rows that do not exist. Nothing was changed. ${error.message}`,
      error,
    )
  }
}
