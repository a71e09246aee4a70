import type { Model } from '../compile/model.ts'
import { type Session, type Store, StoreRefused } from '../store/store.ts'
import { bindModel } from './bind-model.ts'
import { agree, isSamePlan, refuse } from './decide/agree.ts'
import { Decisions, Undecided } from './decide/questions-to-people.ts'
import type { Migrated, MigrateOptions } from './migration.ts'
import type { Step } from './migration-step.ts'
import { planStore } from './plan/plan-store.ts'
import { needsStop, type StorePlan, whyNot } from './plan/store-plan.ts'
import { postgresTables } from './postgres/database.ts'
import { recordNames } from './record/names-record.ts'
import { generationAtStart } from './record/store-generation.ts'
import { sqliteTables } from './sqlite/database.ts'

const mostTries = 20

/**
 * Makes a store fit a declaration, and keeps its rows: compares the two, makes a plan of it, and carries it out. What the declaration leaves
 * open is decided by `options.decider`; what nobody decides is refused before anything is changed. Of two processes that start at once, one
 * migrates and the other waits. A migration that failed half-way can be run again.
 */
export async function migrateStore(
  store: Store,
  declared: Model,
  options: MigrateOptions = {},
): Promise<Migrated> {
  if ((options.decider?.by ?? 'change-lists') !== 'change-lists')
    return { ...(await migrateBound(store, { declared, bound: declared }, options)), model: declared }
  const done: Step[] = []
  for (let tries = 0; tries < mostTries; tries++) {
    const { model, record } = await bindModel(store, declared)
    const migrated = await migrateBound(store, { declared, bound: model }, options)
    if (options.dryRun) return { ...migrated, model }
    if (migrated.applied) done.push(...migrated.steps)
    const made = { ...migrated, steps: done, applied: done.length > 0 }
    // The record was written along with what was renamed or converted. Anything else that changed it is another process.
    const isOwn = !migrated.applied || !needsStop(migrated.steps)
    const now = isOwn ? { model, record } : await bindModel(store, declared)
    if (await recordNames(store, now.model, now.record)) return { ...made, model: now.model }
  }
  throw new StoreRefused('Other processes keep changing the record of names of this store. Start again.')
}

interface Models {
  readonly declared: Model
  readonly bound: Model
}

type MigratedTables = Omit<Migrated, 'model'>

function migrateBound(store: Store, models: Models, options: MigrateOptions): Promise<MigratedTables> {
  const sql = store.dialect.name === 'sqlite' ? sqliteTables : postgresTables(store.dialect)
  const { dryRun = false, decider = { by: 'change-lists' } } = options
  const decisions = new Decisions(decider.by === 'person' ? decider : {}, !dryRun)
  const goal = { ...models, decisions, options: { ...options, decider } }
  return store.session(async (session) => {
    const planned = () => planStore(session, sql, goal)
    const again = (agreed: StorePlan) => async () => {
      const plan = await planned()
      refuse(plan, decider, decisions, options)
      if (!isSamePlan(plan, agreed)) throw new Undecided()
      return plan
    }
    for (;;) {
      const plan = await planUnlocked(session, planned)
      if (!dryRun || decider.by === 'person') refuse(plan, decider, decisions, options)
      if (dryRun) return migrated(plan, false)
      await agree(plan, decisions)
      if (plan.steps.length === 0) return migrated(plan, false)
      if (needsStop(plan.steps)) await options.beforeLock?.()
      decisions.locked = true
      try {
        return migrated(await sql.carryOut({ store, session, plan, again: again(plan), options }), true)
      } catch (error) {
        if (!(error instanceof Undecided)) throw error
      } finally {
        decisions.locked = false
      }
    }
  })
}

const migrated = (plan: StorePlan, applied: boolean): MigratedTables => ({
  steps: plan.steps,
  applied: applied && plan.steps.length > 0,
  notes: plan.notes,
  losses: plan.losses.map(({ ahead, done }) => (applied ? done : ahead)),
  plan,
  generation: plan.generation + (applied && needsStop(plan.steps) ? 1 : 0),
})

/**
 * Another process may migrate the store while this one reads it. The plan then mixes tables of before and after that migration: a column is
 * gone, or has a type that the record does not know. Such a plan, or its error, is dropped, and the plan is made again.
 */
async function planUnlocked(session: Session, work: () => Promise<StorePlan>): Promise<StorePlan> {
  for (;;) {
    const generation = await generationAtStart(session)
    const isOld = async () => (await generationAtStart(session)) !== generation
    try {
      const plan = await work()
      if (whyNot(plan).length === 0 || !(await isOld())) return plan
    } catch (error) {
      if (!(await isOld())) throw error
    }
  }
}
