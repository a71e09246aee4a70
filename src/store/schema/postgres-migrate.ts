import { setTimeout as sleep } from 'node:timers/promises'
import type { Dialect } from '../../plan/dialect.ts'
import { minuteMs } from '../../times.ts'
import { type Session, type Store, StoreError, StoreRefused } from '../store.ts'
import { citusDifference } from './citus.ts'
import { withGeneration } from './generation.ts'
import {
  hasRenames,
  type MigrateOptions,
  type Migration,
  refuse,
  sharedValues,
  type Wanted,
} from './migration.ts'
import type { Step } from './migration-step.ts'
import * as ddl from './postgres-ddl.ts'
import { postgresDifference } from './postgres-difference.ts'
import { readPostgres } from './postgres-read.ts'
import { postgresRenames } from './postgres-renames.ts'
import type { PresentTable } from './present.ts'
import { renameFirst } from './rename-plan.ts'
import type { Table } from './table.ts'

export async function migratePostgres(
  store: Store,
  wanted: Wanted,
  options: MigrateOptions,
): Promise<Migration> {
  return store.session(async (session) => {
    const steps = await plan(session, store.dialect, wanted, options)
    if (options.dryRun) return { steps, applied: false }
    refuse(steps, options)
    if (steps.length === 0) return { steps, applied: false }
    return alone(store, async () => {
      // The plan is computed again under the lock: another process may have migrated meanwhile.
      const now = await plan(session, store.dialect, wanted, options)
      refuse(now, options)
      for (const group of inGroups(now)) await run(session, group, options)
      return { steps: now, applied: now.length > 0 }
    })
  })
}

async function plan(
  session: Session,
  dialect: Dialect,
  { tables, lineages }: Wanted,
  options: MigrateOptions,
): Promise<readonly Step[]> {
  const found = await readPostgres(session)
  refuseForeignTables(tables, found)
  const { steps, last, present } = await renameFirst(session, tables, lineages, found, postgresRenames)
  const spread = options.citus || tables.some((table) => present.get(table.name)?.spread)
  if (!spread) return withGeneration([...steps, ...withoutCitus(dialect, tables, present), ...last])
  const alone = (step: Step): Step => ({ ...step, alone: true })
  return withGeneration([...steps.map(alone), ...citusDifference(tables, present), ...last.map(alone)])
}

function withoutCitus(
  dialect: Dialect,
  tables: readonly Table[],
  present: ReadonlyMap<string, PresentTable>,
): readonly Step[] {
  if (dialect.oldest.by === 'order') return postgresDifference(tables, present)
  const bare = tables.map((table) => ({ ...table, indexes: table.indexes.filter((one) => !one.forSweeper) }))
  return [...postgresDifference(bare, present), ...dropSweeperIndexes(tables, present)]
}

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
  if (present.has('nounkit_meta')) return
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
async function alone<T>(store: Store, work: () => Promise<T>): Promise<T> {
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

/** Consecutive steps that may share a transaction. */
function inGroups(steps: readonly Step[]): readonly (readonly Step[])[] {
  const groups: Step[][] = []
  for (const step of steps) {
    const last = groups.at(-1)
    if (step.alone || !last || last[0]?.alone) groups.push([step])
    else last.push(step)
  }
  return groups
}

const lockAttempts = 30

async function run(
  session: Session,
  group: readonly Step[],
  { beforeRenames }: MigrateOptions,
): Promise<void> {
  const [first] = group
  const renames = hasRenames(group)
  if (first?.alone) {
    if (renames) await beforeRenames?.()
    return runAlone(session, first)
  }
  const script = group.map((step) => step.sql).join(';\n')
  for (let attempt = 1; ; attempt++) {
    try {
      // A statement that waits for a table lock blocks every later one, so it times out and is retried.
      await session.script(`BEGIN; SET LOCAL lock_timeout = '3s'`)
      if (renames) await lockOutServers(session, beforeRenames)
      await session.script(`${script};\nCOMMIT`)
      return
    } catch (error) {
      await session.script('ROLLBACK')
      const locked = error instanceof StoreError && error.kind === 'lock-timeout'
      if (!locked || attempt >= lockAttempts) throw error
      await sleep(500 + Math.random() * 500)
    }
  }
}

/** A process that starts to serve first inserts its row here, and so waits for this lock until the renames are done. */
async function lockOutServers(
  session: Session,
  beforeRenames: MigrateOptions['beforeRenames'],
): Promise<void> {
  await session.script('LOCK TABLE "nounkit_recorders" IN SHARE MODE')
  await beforeRenames?.()
}

async function runAlone(session: Session, step: Step): Promise<void> {
  try {
    await session.script(step.sql)
  } catch (error) {
    if (!(error instanceof StoreError && error.kind === 'unique')) throw error
    const index = /INDEX CONCURRENTLY "([^"]+)"/.exec(step.sql)?.[1]
    if (index) await session.script(ddl.dropIndex(index))
    throw sharedValues(step, error)
  }
}
