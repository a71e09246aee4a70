import type { Loss } from '../decide/loss.ts'
import { type Step, whysOf } from '../migration-step.ts'
import type { Present } from '../present.ts'

/** All that makes a store fit its declaration, as data. */
export interface StorePlan {
  readonly database: 'sqlite' | 'postgres'
  /** The store as it was found. */
  readonly found: Present
  readonly steps: readonly Step[]
  readonly notes: readonly string[]
  readonly losses: readonly Loss[]
  /** Why it cannot be carried out, a sentence each. */
  readonly refusals: readonly string[]
  readonly spread: boolean
  /** The store's generation before it. */
  readonly generation: number
}

export const needsStop = (steps: readonly Step[]): boolean => steps.some((step) => step.stops)

/** Whether all steps are one transaction. On Citus none is: it does not run every kind of statement in one over several nodes. */
export const isOneTransaction = ({ database, spread, steps }: StorePlan): boolean =>
  database === 'sqlite' || (needsStop(steps) && !spread)

/** Why a plan cannot be carried out, a sentence each without its full stop. */
export const whyNot = ({ steps, refusals }: StorePlan): readonly string[] => [...refusals, ...whysOf(steps)]

/** Tables of resources that such a transaction locks on PostgreSQL, under the names that they have now. */
export function lockedTables({ steps, found }: StorePlan): readonly string[] {
  const named = steps.flatMap(({ table, rewrites }) => [
    table,
    ...(rewrites?.changes ?? []).map((change) => (change.kind === 'drop' ? change.table : change.from)),
  ])
  return [...new Set(named)].filter((name) => found.has(name) && !name.startsWith('nounkit_'))
}
