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
  MigrationRefused,
  refuse,
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
      // Made again under the lock: another process may have done it meanwhile.
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
  refuseStrangers(tables, found)
  const { steps, last, present } = await renameFirst(session, tables, lineages, found, postgresRenames)
  const spread = options.citus || tables.some((table) => present.get(table.name)?.spread)
  if (!spread) return withGeneration([...steps, ...onOneMachine(dialect, tables, present), ...last])
  const alone = (step: Step): Step => ({ ...step, alone: true })
  return withGeneration([...steps.map(alone), ...citusDifference(tables, present), ...last.map(alone)])
}

function onOneMachine(
  dialect: Dialect,
  tables: readonly Table[],
  present: ReadonlyMap<string, PresentTable>,
): readonly Step[] {
  if (dialect.oldest.by === 'order') return postgresDifference(tables, present)
  const bare = tables.map((table) => ({ ...table, indexes: table.indexes.filter((one) => !one.forSweeper) }))
  return [...postgresDifference(bare, present), ...dropSweeperIndexes(tables, present)]
}

/** Earlier releases made them on PostgreSQL too, and every write would still pay for them. */
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

function refuseStrangers(wanted: readonly Table[], present: ReadonlyMap<string, PresentTable>): void {
  if (present.has('nounkit_meta')) return
  const taken = wanted.map((table) => table.name).filter((name) => present.has(name))
  if (taken.length === 0) return
  throw new StoreRefused(
    `The database has tables that this API would make (${taken.join(', ')}), but no nounkit_meta: they are another program's. Name another database, or another schema with ?search_path=name in the URL.`,
  )
}

const lockWaitMs = 10 * minuteMs

/**
 * One process at a time. The lock belongs to a transaction on a connection of its own: behind PgBouncer a session's lock would be
 * anybody's. It is asked for again and again: a statement that waits would hold up CREATE INDEX CONCURRENTLY, and that the lock.
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

/** Steps in a row that may share a transaction. */
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
      // A statement that waits for a table holds up everybody behind it, so it gives way and tries again.
      await session.script(`BEGIN; SET LOCAL lock_timeout = '3s'`)
      if (renames) await beforehand(session, beforeRenames)
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

/** A process that begins to serve writes that down first, and waits for this lock until the renames are made. */
async function beforehand(session: Session, beforeRenames: MigrateOptions['beforeRenames']): Promise<void> {
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
    const why = `${step.why}, but rows of ${step.table} share values of ${error.columns.join(', ')}: change those first`
    throw new MigrationRefused([{ ...step, additive: false, why }], error)
  }
}
