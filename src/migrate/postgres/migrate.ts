import { setTimeout as sleep } from 'node:timers/promises'
import type { Dialect } from '../../plan/dialect.ts'
import { metaTable } from '../../store/meta.ts'
import { type Session, type Store, StoreRefused } from '../../store/store.ts'
import { minuteMs } from '../../times.ts'
import { type MigrateOptions, type Migration, refuse, type Wanted } from '../migration.ts'
import { conversionsOf, type Step } from '../migration-step.ts'
import { movedNames, renameFirst } from '../plan/rename-plan.ts'
import type { PresentTable } from '../present.ts'
import { withGeneration } from '../record/store-generation.ts'
import { refuseSumsBeyond } from '../sums/sum-limit.ts'
import { sumSteps } from '../sums/sums.ts'
import type { Table } from '../wanted/table.ts'
import { postgresDifference } from './add-missing.ts'
import { citusDifference, shardsToMake } from './citus.ts'
import * as ddl from './ddl.ts'
import { readPostgres } from './read-tables.ts'
import { postgresRenames } from './renames.ts'
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
  const { tables, lineages, sums, names } = wanted
  const found = await readPostgres(session)
  refuseForeignTables(tables, found)
  const { steps, renamed, renaming, present } = await renameFirst(
    session,
    tables,
    lineages,
    found,
    postgresRenames,
  )
  const recordAfter = (all: readonly Step[]) =>
    JSON.stringify(movedNames(names, renaming, conversionsOf(all, wanted)))
  const spread = options.citus || tables.some((table) => present.get(table.name)?.spread)
  const computed = await sumSteps(session, sums, present, { locks: !spread, renamed })
  if (!spread) {
    const all = [...steps, ...withoutCitus(dialect, tables, present), ...computed]
    return { found, steps: withGeneration(all, recordAfter(all)), spread }
  }
  const shards = await shardsToMake(session, present, options)
  const alone = (step: Step): Step => ({ ...step, alone: true })
  const all = [...steps.map(alone), ...citusDifference(tables, present, shards), ...computed.map(alone)]
  return { found, steps: withGeneration(all, recordAfter(all)), spread }
}

function withoutCitus(
  dialect: Dialect,
  tables: readonly Table[],
  present: ReadonlyMap<string, PresentTable>,
): readonly Step[] {
  const wanted = postgresTables(dialect, tables)
  if (dialect.oldest.by === 'order') return postgresDifference(wanted, present)
  return [...postgresDifference(wanted, present), ...dropSweeperIndexes(tables, present)]
}

/** PostgreSQL without Citus needs no indexes for the sweeper. */
export const postgresTables = (dialect: Dialect, tables: readonly Table[]): readonly Table[] =>
  dialect.oldest.by === 'order'
    ? tables
    : tables.map((table) => ({ ...table, indexes: table.indexes.filter((one) => !one.forSweeper) }))

/** Earlier releases created these indexes on PostgreSQL too, and every write would still maintain them. */
const dropSweeperIndexes = (
  tables: readonly Table[],
  present: ReadonlyMap<string, PresentTable>,
): readonly Step[] =>
  tables.flatMap((table) =>
    table.indexes
      .filter(({ name, forSweeper }) => forSweeper && present.get(table.name)?.indexes.has(name))
      .map(({ name }) => ({
        table: table.name,
        sql: ddl.dropIndex(name),
        additive: true,
        why: `index ${name} is no longer needed`,
        alone: true,
      })),
  )

function refuseForeignTables(wanted: readonly Table[], present: ReadonlyMap<string, PresentTable>): void {
  if (present.has(metaTable)) return
  const taken = wanted.map((table) => table.name).filter((name) => present.has(name))
  if (taken.length === 0) return
  throw new StoreRefused(
    `The database has tables that this API would create (${taken.join(', ')}), but no nounkit_meta: they are another program's. Name another database, or another schema with ?search_path=name in the URL.`,
  )
}

const lockWaitMs = 10 * minuteMs

/**
 * Runs `work` in one process at a time. The advisory lock belongs to a transaction on a connection of its own, because behind
 * PgBouncer sessions are shared. The lock is polled: a statement that waits for it would block CREATE INDEX CONCURRENTLY of the
 * process that holds it.
 */
export async function alone<T>(store: Store, work: () => Promise<T>): Promise<T> {
  return store.session(async (lock) => {
    const giveUpAt = performance.now() + lockWaitMs
    for (;;) {
      await lock.script('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0')
      const [row] = await lock.all(
        `SELECT pg_try_advisory_xact_lock(hashtext('nounkit ' || current_schema()))`,
      )
      if (row?.[0] === 1) break
      await lock.script('ROLLBACK')
      if (performance.now() > giveUpAt)
        throw new StoreRefused(
          'Another process has been migrating this database for 10 minutes. See what it waits for in pg_stat_activity, then start again.',
        )
      await sleep(100 + Math.random() * 200)
    }
    try {
      return await work()
    } finally {
      await lock.script('ROLLBACK')
    }
  })
}
