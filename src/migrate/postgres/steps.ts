import type { Session, Store } from '../../store/store.ts'
import { type MigrateOptions, stopped } from '../migration.ts'
import type { Step } from '../migration-step.ts'
import { needsStop } from '../plan/store-plan.ts'
import { takeStep } from '../take-step.ts'
import { inPatience } from './lock-timeout.ts'
import { buildOnline, isOnlineIndex } from './online-index.ts'

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

const tablesOf = (group: readonly Step[]): readonly string[] => [...new Set(group.map((step) => step.table))]
