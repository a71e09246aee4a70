import type { Loss } from '../decide/loss.ts'
import type { Step } from '../migration-step.ts'
import type { TableChange } from './table-change.ts'

/** How tables will change beyond additions, as data: the same for every database and whoever decides it. */
export interface ChangePlan {
  /** Taken before anything is changed. */
  readonly first?: readonly Step[]
  readonly changes: readonly TableChange[]
  /** What is done, a sentence each. */
  readonly notes: readonly string[]
  /** What would be lost, each with the number of rows. */
  readonly losses: readonly Loss[]
  /** What nobody has decided yet, a sentence each: the plan cannot be carried out. */
  readonly refusals: readonly string[]
  /** A process of the older declaration could still write rows that the new one does not allow, also where no table changes. */
  readonly outdates: boolean
  /** Whether the rows that sums add up may have other values or names: then all sums are computed. */
  readonly recounts: boolean
  /** Taken before everything else where changes are not one transaction and stop older processes: shuts those out, and records what is converted. */
  readonly shutsOut?: readonly string[]
  /** The statements that record what the store has then. `stops`: whether older processes must end. */
  record(hasSteps: boolean, stops: boolean): readonly string[]
}
