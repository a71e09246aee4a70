import { StoreRefused } from '../store.ts'
import type { Step } from './step.ts'

export interface MigrateOptions {
  /** Says what would be done, and does nothing. */
  readonly dryRun?: boolean
  /** Spreads the tables over the machines of a Citus cluster; goes without saying where they already are. */
  readonly citus?: boolean
}

export interface Migration {
  readonly steps: readonly Step[]
  readonly applied: boolean
}

/** The store's tables do not fit the declaration, and making them fit is not ours to decide. */
export class MigrationRefused extends StoreRefused {
  readonly steps: readonly Step[]

  constructor(steps: readonly Step[], cause?: unknown) {
    super(refusal(steps), cause)
    this.name = 'MigrationRefused'
    this.steps = steps
  }
}

/** The steps as one would paste them into the database's shell. */
export const migrationSql = (steps: readonly Step[]): string =>
  steps
    .map((step) => `-- ${step.why}${step.additive ? '' : ' (not applied by itself)'}\n${step.sql};\n`)
    .join('\n')

function refusal(steps: readonly Step[]): string {
  const refused = steps.filter((step) => !step.additive)
  return `The store does not fit the declaration, and only additions are made by themselves. Nothing was changed. Either change the declaration back, or run this and start again:\n\n${migrationSql(refused).replaceAll(' (not applied by itself)', '')}`
}
