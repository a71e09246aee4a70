import type { MigrateOptions } from '../migration.ts'
import type { Step } from '../migration-step.ts'

export interface Followed {
  /** The changes that additions do not cover, a sentence each. */
  readonly notes: readonly string[]
  /** What was lost with them, or would be, a sentence each. */
  readonly losses: readonly string[]
  /** The additions, as SQL. */
  readonly additions: readonly Step[]
  readonly applied: boolean
  /** Of the store that fits. A higher one means that another process has migrated it since. */
  readonly generation: number
}

export interface FollowOptions {
  /** Says what would be done, and does nothing. Nobody is asked. */
  readonly dryRun?: boolean
  /** Called with a sentence when something is waited for. */
  readonly waiting?: MigrateOptions['waiting']
  /** Called before each part that takes long where there are many rows. */
  readonly stepping?: MigrateOptions['stepping']
  /** Deletes all rows first, by these statements too. */
  readonly emptying?: Emptying
}

export interface Emptying {
  /** Tables of the engine's own whose rows are deleted too. */
  readonly tables: readonly string[]
  readonly statements: readonly string[]
}
