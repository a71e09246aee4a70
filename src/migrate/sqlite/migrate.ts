import { counted } from '../../compile/names/plural.ts'
import { sqlite } from '../../plan/sqlite.ts'
import { type Session, type Store, StoreError, StoreRefused } from '../../store/store.ts'
import {
  type MigrateOptions,
  type Migration,
  needsStop,
  refuse,
  sharedValues,
  type Wanted,
} from '../migration.ts'
import type { Step } from '../migration-step.ts'
import { planConversions, recordAfter } from '../plan/plan-conversions.ts'
import { withGeneration } from '../record/store-generation.ts'
import { refuseWithoutValue } from '../rows/demanded-values.ts'
import { refuseBeyond } from '../sums/sum-limit.ts'
import { sumSteps } from '../sums/sums.ts'
import { sqliteAdditions } from './add-missing.ts'
import { sqliteTables } from './database.ts'
import { readSqlite, type SqliteTable } from './read-tables.ts'

export async function migrateSqlite(
  store: Store,
  wanted: Wanted,
  options: MigrateOptions,
): Promise<Migration> {
  return store.session(async (session) => {
    const steps = await plan(session, wanted)
    if (options.dryRun) return { steps, applied: false }
    refuse(steps, options)
    return steps.length === 0 ? { steps, applied: false } : apply(session, wanted, options)
  })
}

async function plan(session: Session, wanted: Wanted): Promise<readonly Step[]> {
  const { tables, lineages, sums, names, joined } = wanted
  const found = await readSqlite(session)
  const planned = await planConversions(session, tables, lineages, found, sqliteTables)
  const present = planned.present as ReadonlyMap<string, SqliteTable>
  const computed = await sumSteps(session, sums, present, { locks: false, renamed: planned.changes })
  const all = [...planned.steps, ...sqliteAdditions(tables, present), ...computed]
  return withGeneration(all, recordAfter(names, planned, all, joined))
}

/** The whole migration is one transaction, and the plan is computed again under its lock: another process may have migrated meanwhile. */
async function apply(session: Session, wanted: Wanted, options: MigrateOptions): Promise<Migration> {
  await session.script('BEGIN IMMEDIATE')
  try {
    const steps = await plan(session, wanted)
    refuse(steps, options)
    // The lock keeps every other process from writing its row in nounkit_recorders, and so from starting to serve.
    if (needsStop(steps)) await options.beforeStop?.()
    for (const [done, step] of steps.entries()) {
      options.stepping?.(step.why, done, steps.length)
      await run(session, step)
    }
    const broken = await session.all('PRAGMA foreign_key_check')
    if (broken.length > 0)
      throw new StoreRefused(
        `The migration would leave ${counted(broken.length, 'reference')} of ${broken[0]?.[0]} to missing rows. Nothing was changed. Change these rows, or the declaration.`,
      )
    await session.script('COMMIT')
    return { steps, applied: steps.length > 0 }
  } catch (error) {
    await session.script('ROLLBACK')
    throw error
  }
}

async function run(session: Session, step: Step): Promise<void> {
  await refuseWithoutValue(session, step)
  if (step.limit) await refuseBeyond(session, step.limit, 'Nothing was changed.')
  try {
    await session.script(step.sql)
  } catch (error) {
    if (!(error instanceof StoreError && error.kind === 'unique')) throw error
    throw await sharedValues(session, sqlite, step, error)
  }
}
