import { setTimeout as sleep } from 'node:timers/promises'
import { type Session, type Store, StoreError, StoreRefused } from '../../store/store.ts'
import { minuteMs } from '../../times.ts'
import { type MigrateOptions, stopped } from '../migration.ts'
import type { Step } from '../migration-step.ts'
import { needsStop } from '../plan/store-plan.ts'
import { takeStep } from '../take-step.ts'
import { holderOf } from './lock-holders.ts'
import { buildOnline, isOnlineIndex } from './online-index.ts'

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
      if (isOnlineIndex(group[0])) await buildOnline(store, session, group[0], options)
      else await runPatiently(store, session, group, options)
    } catch (error) {
      throw stopped(done, group, error)
    }
    done.push(...group)
  }
}

/**
 * The steps of each transaction. A transaction locks at most one table that requests use, so that none stays locked while the
 * transaction waits for the next.
 */
function inTransactions(steps: readonly Step[]): readonly (readonly Step[])[] {
  const mayShare = (step: Step) => !step.alone && step.ofNewTable === true
  const groups: Step[][] = []
  for (const step of steps) {
    const last = groups.at(-1)
    if (last?.every(mayShare) && mayShare(step)) last.push(step)
    else groups.push([step])
  }
  return groups
}

interface Patience {
  readonly tables: readonly string[]
  readonly why: string
  readonly spread: boolean
  readonly waiting: MigrateOptions['waiting']
}

/** Runs one transaction, again and again until it gets its locks. */
export async function inPatience<T>(
  store: Store,
  session: Session,
  patience: Patience,
  work: () => Promise<T>,
): Promise<T> {
  const began = performance.now()
  let told = Number.NEGATIVE_INFINITY
  const settings = [...(patience.spread ? citusSettings : []), `SET LOCAL lock_timeout = ${lockMs}`]
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    try {
      for (const statement of ['BEGIN', ...settings]) await session.script(statement)
      const done = await work()
      await session.script('COMMIT')
      return done
    } catch (error) {
      await session.script('ROLLBACK')
      if (!isLocked(error)) throw error
      const waited = performance.now() - began
      if (waited > giveUpMs) throw gaveUp(await sentence(store, patience), error)
      if (performance.now() - told > tellEveryMs) {
        told = performance.now()
        patience.waiting?.(`${await sentence(store, patience)} Trying again for up to 10 minutes.`)
      }
      await sleep(pauseMs * (0.75 + Math.random() / 2))
    }
  }
}

/** A process that starts to serve first inserts its row here, and so waits for this lock until the transaction ends. */
export const keepOthersOut = (session: Session): Promise<void> =>
  session.script('LOCK TABLE "nounkit_recorders" IN SHARE MODE')

function runPatiently(
  store: Store,
  session: Session,
  group: readonly Step[],
  { beforeStop, spread, waiting }: StepsOptions,
): Promise<void> {
  const patience = { tables: tablesOf(group), why: group[0]?.why ?? '', spread, waiting }
  return inPatience(store, session, patience, async () => {
    if (needsStop(group)) {
      if (!spread) await keepOthersOut(session)
      await beforeStop?.()
    }
    for (const step of group) {
      if (step.lock) await session.script(step.lock)
      for (const one of singleStatements(step))
        await takeStep({ session, dialect: store.dialect }, one, 'It was not computed.')
    }
  })
}

/** One by one: Citus passes on to its nodes all that was sent together, and they take one statement. What rows are checked for comes first. */
const singleStatements = (step: Step): readonly Step[] =>
  (step.sql.match(/(?:'[^']*'|[^';])+/g) ?? [])
    .map((statement) => statement.trim())
    .filter((text) => text !== '')
    .map((sql, at) =>
      at === 0 ? { ...step, sql } : { table: step.table, sql, why: step.why, additive: true },
    )

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

async function sentence(store: Store, { tables, why, spread }: Patience): Promise<string> {
  const holder = await holderOf(store, tables, spread).catch(() => 'The session that has it is not known.')
  return `Waiting for a lock on ${tables.join(', ')} (${why}). ${holder}`
}

const gaveUp = (what: string, cause: unknown): StoreRefused =>
  new StoreRefused(
    `${what} It was tried for 10 minutes. End that transaction, and run the migration again.`,
    cause,
  )
