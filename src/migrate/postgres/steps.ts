import { setTimeout as sleep } from 'node:timers/promises'
import { type Session, type Store, StoreError, StoreRefused } from '../../store/store.ts'
import { minuteMs } from '../../times.ts'
import { type MigrateOptions, needsStop, sharedValues, stopped } from '../migration.ts'
import type { Step } from '../migration-step.ts'
import { refuseWithoutValue } from '../rows/demanded-values.ts'
import { refuseBeyond } from '../sums/sum-limit.ts'
import * as ddl from './ddl.ts'
import { holderOf, indexWaitsFor } from './lock-holders.ts'

/**
 * A statement that waits for a table lock blocks every later statement on that table. So it waits no longer than this, gives up its
 * place in the queue, and tries again.
 */
const lockMs = 300
const firstPauseMs = 500
const longestPauseMs = 5_000
const giveUpMs = 10 * minuteMs
/** How often the operator is told that a step still waits. */
const tellEveryMs = 10_000

export interface StepsOptions extends MigrateOptions {
  /** The tables are distributed, or will be. */
  readonly spread: boolean
}

/** Runs the steps in their order. What was run before a step that fails stays, and the error names it. */
export async function runSteps(
  store: Store,
  session: Session,
  steps: readonly Step[],
  options: StepsOptions,
): Promise<void> {
  const done: Step[] = []
  for (const group of inTransactions(steps)) {
    options.stepping?.(group[0]?.why ?? '', done.length, steps.length)
    try {
      if (isConcurrent(group[0])) await runConcurrently(store, session, group[0], options)
      else await runPatiently(store, session, group, options)
    } catch (error) {
      throw stopped(done, group, error)
    }
    done.push(...group)
  }
}

/**
 * The steps of each transaction. A transaction locks at most one table that requests use, so that none stays locked while the
 * transaction waits for the next. Renames and conversions share one all the same, because nobody serves the store meanwhile.
 */
function inTransactions(steps: readonly Step[]): readonly (readonly Step[])[] {
  const mayShare = needsStop(steps)
    ? (step: Step) => !step.alone
    : (step: Step) => !step.alone && step.ofNewTable === true
  const groups: Step[][] = []
  for (const step of steps) {
    const last = groups.at(-1)
    if (last?.every(mayShare) && mayShare(step)) last.push(step)
    else groups.push([step])
  }
  return groups
}

const isConcurrent = (step: Step | undefined): step is Step =>
  step !== undefined && /INDEX CONCURRENTLY/.test(step.sql)

/** Runs one transaction, again and again until it gets its locks. */
async function runPatiently(
  store: Store,
  session: Session,
  group: readonly Step[],
  options: StepsOptions,
): Promise<void> {
  const began = performance.now()
  let told = Number.NEGATIVE_INFINITY
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    try {
      return await runOnce(session, group, options)
    } catch (error) {
      await session.script('ROLLBACK')
      if (!isLocked(error)) throw error
      const waited = performance.now() - began
      if (waited > giveUpMs) throw gaveUp(await sentence(store, group, options), error)
      if (performance.now() - told > tellEveryMs) {
        told = performance.now()
        options.waiting?.(`${await sentence(store, group, options)} Trying again for up to 10 minutes.`)
      }
      await sleep(pauseMs * (0.75 + Math.random() / 2))
    }
  }
}

async function runOnce(
  session: Session,
  group: readonly Step[],
  { beforeStop, spread }: StepsOptions,
): Promise<void> {
  const limits = [...(spread ? citusSettings : []), `SET LOCAL lock_timeout = ${lockMs}`]
  for (const statement of ['BEGIN', ...limits]) await session.script(statement)
  if (needsStop(group)) {
    // A process that starts to serve first inserts its row here, and so waits for this lock until the steps are done.
    if (!spread) await session.script('LOCK TABLE "nounkit_recorders" IN SHARE MODE')
    await beforeStop?.()
  }
  for (const step of group) {
    const { lock, limit, sql } = step
    if (lock) await session.script(lock)
    await refuseWithoutValue(session, step)
    if (limit) await refuseBeyond(session, limit, 'It was not computed.')
    for (const statement of statementsOf(sql)) await session.script(statement)
  }
  await session.script('COMMIT')
}

/** One by one: Citus passes on to its nodes all that was sent together, and they take one statement. */
const statementsOf = (sql: string): readonly string[] =>
  (sql.match(/(?:'[^']*'|[^';])+/g) ?? []).map((statement) => statement.trim()).filter((text) => text !== '')

/**
 * The first setting passes the lock timeout on to the nodes. The second runs a step on the shards of a node one after the other: Citus
 * refuses a foreign key to a reference table after a parallel statement of the same transaction.
 */
const citusSettings = [
  `SET LOCAL citus.propagate_set_commands = 'local'`,
  `SET LOCAL citus.multi_shard_modify_mode = 'sequential'`,
]

/** Also deadlocks: the step was rolled back, and holds nothing any more. */
const isLocked = (error: unknown): boolean => {
  if (!(error instanceof StoreError)) return false
  const { code } = (error.cause ?? {}) as { code?: unknown }
  return error.kind === 'lock-timeout' || code === '40P01' || code === '40001'
}

const tablesOf = (group: readonly Step[]): readonly string[] => [...new Set(group.map((step) => step.table))]

async function sentence(store: Store, group: readonly Step[], { spread }: StepsOptions): Promise<string> {
  const [first] = group
  const holder = await holderOf(store, tablesOf(group), spread).catch(
    () => 'The session that has it is not known.',
  )
  return `Waiting for a lock on ${tablesOf(group).join(', ')} (${first?.why}). ${holder}`
}

const gaveUp = (what: string, cause: unknown): StoreRefused =>
  new StoreRefused(
    `${what} It was tried for 10 minutes. End that transaction, and run the migration again.`,
    cause,
  )

/**
 * An index that is built or dropped concurrently blocks neither reads nor writes, also while it waits for older transactions to end. It
 * needs no lock timeout, which would leave it unfinished.
 */
async function runConcurrently(
  store: Store,
  session: Session,
  step: Step,
  { waiting }: StepsOptions,
): Promise<void> {
  const timer = setInterval(async () => {
    const older = await indexWaitsFor(store, step.table).catch(() => null)
    if (older) waiting?.(`${step.why}: it is built once older transactions have ended. ${older}`)
  }, tellEveryMs)
  try {
    await session.script(step.sql)
  } catch (error) {
    const index = /INDEX CONCURRENTLY (?:IF EXISTS )?"([^"]+)"/.exec(step.sql)?.[1]
    // The rest of an index that could not be built would be maintained by every write. A later migration would drop it too.
    if (index) await session.script(ddl.dropIndex(index)).catch(() => {})
    if (!(error instanceof StoreError && error.kind === 'unique')) throw error
    throw await sharedValues(session, store.dialect, step, error)
  } finally {
    clearInterval(timer)
  }
}
