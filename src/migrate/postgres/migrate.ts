import type { Dialect } from '../../plan/dialect.ts'
import { metaTable } from '../../store/meta.ts'
import { type Session, type Store, StoreRefused } from '../../store/store.ts'
import { type MigrateOptions, type Migration, refuse, type Wanted } from '../migration.ts'
import type { Step } from '../migration-step.ts'
import { planConversions, recordAfter } from '../plan/plan-conversions.ts'
import type { PresentTable } from '../present.ts'
import { withGeneration } from '../record/store-generation.ts'
import { refuseSumsBeyond } from '../sums/sum-limit.ts'
import { sumSteps } from '../sums/sums.ts'
import type { Table } from '../wanted/table.ts'
import { withoutCitus } from './add-missing.ts'
import { citusDifference, shardsToMake } from './citus.ts'
import { postgresTables } from './database.ts'
import { alone } from './one-process.ts'
import { readPostgres } from './read-tables.ts'
import { runSteps } from './steps.ts'

export async function migratePostgres(
  store: Store,
  wanted: Wanted,
  options: MigrateOptions,
): Promise<Migration> {
  return store.session(async (session) => {
    const { steps } = await plan(session, store.dialect, wanted, options)
    if (options.dryRun) return { steps, applied: false }
    refuse(steps, options)
    if (steps.length === 0) return { steps, applied: false }
    return alone(store, async () => {
      // The plan is computed again under the lock: another process may have migrated meanwhile.
      const now = await plan(session, store.dialect, wanted, options)
      refuse(now.steps, options)
      // Each step is a transaction of its own, and those before a sum that is refused would stay. Its step checks it again, under its lock.
      await refuseSumsBeyond(session, now.steps, now.found)
      await runSteps(store, session, now.steps, { ...options, spread: now.spread })
      return { steps: now.steps, applied: now.steps.length > 0 }
    })
  })
}

interface Plan {
  readonly found: ReadonlyMap<string, PresentTable>
  readonly steps: readonly Step[]
  /** The tables are distributed, or will be. */
  readonly spread: boolean
}

async function plan(
  session: Session,
  dialect: Dialect,
  wanted: Wanted,
  options: MigrateOptions,
): Promise<Plan> {
  const { tables, lineages, sums, names, joined } = wanted
  const found = await readPostgres(session)
  refuseForeignTables(tables, found)
  const planned = await planConversions(session, tables, lineages, found, postgresTables(dialect))
  const { present } = planned
  const spread = options.citus || tables.some((table) => present.get(table.name)?.spread)
  const computed = await sumSteps(session, sums, present, { locks: !spread, renamed: planned.changes })
  const withRecord = (all: readonly Step[]) => withGeneration(all, recordAfter(names, planned, all, joined))
  if (!spread) {
    const all = [...planned.steps, ...withoutCitus(dialect, tables, present), ...computed]
    return { found, steps: withRecord(all), spread }
  }
  const shards = await shardsToMake(session, present, options)
  const alone = (step: Step): Step => ({ ...step, alone: true })
  const added = citusDifference(tables, present, shards)
  return { found, steps: withRecord([...planned.steps.map(alone), ...added, ...computed.map(alone)]), spread }
}

function refuseForeignTables(wanted: readonly Table[], present: ReadonlyMap<string, PresentTable>): void {
  if (present.has(metaTable)) return
  const taken = wanted.map((table) => table.name).filter((name) => present.has(name))
  if (taken.length === 0) return
  throw new StoreRefused(
    `The database has tables that this API would create (${taken.join(', ')}), but no nounkit_meta: they are another program's. Name another database, or another schema with ?search_path=name in the URL.`,
  )
}
