import type { Model } from '../compile/model.ts'
import type { Dialect } from '../plan/dialect.ts'
import { metaTable } from '../store/meta.ts'
import { type Session, StoreError, StoreRefused } from '../store/store.ts'
import type { Following } from './decide/questions-to-people.ts'
import type { Step } from './migration-step.ts'
import type { StorePlan } from './plan/store-plan.ts'
import { sharedRows } from './rows/shared-values.ts'

/** Who decides what a declaration leaves open: how a name was called before, what may be lost, which value rows have that lack one. */
export type Decider =
  /** The change lists of published versions. What they do not say is refused. */
  | { readonly by: 'change-lists' }
  /** While nothing is published: `was(…)`, options, and a person who is asked. */
  | ({ readonly by: 'person' } & Following)
  /** A start while nothing is published: only additions are made. */
  | { readonly by: 'nobody' }

export interface MigrateOptions {
  /** Returns the plan without carrying it out. Nobody is asked. */
  readonly dryRun?: boolean
  /** `change-lists` where it is not given. */
  readonly decider?: Decider
  /** Distributes the tables over a Citus cluster. Not needed once they are distributed. */
  readonly citus?: boolean
  /** Over how many shards, where they are not distributed yet. */
  readonly shards?: number
  /** With change lists: also does what processes of older declarations do not survive. */
  readonly stops?: boolean
  /** With it, gives tables, columns and values their declared names. */
  readonly tidy?: boolean
  /** Deletes all rows first. */
  readonly emptying?: Emptying
  /**
   * Called when everything is decided, before the store is locked for what older processes do not survive. Called again where rows that were
   * written meanwhile made another plan necessary.
   */
  readonly beforeLock?: () => Promise<void>
  /** Called under the lock that keeps other processes from starting to serve; throws to leave the store as it is. */
  readonly beforeStop?: () => Promise<void>
  /** Told what a step waits for, when it does. */
  readonly waiting?: (sentence: string) => void
  /** Called before each step with why it is taken, how many steps are done, and how many there are. */
  readonly stepping?: (why: string, done: number, total: number) => void
}

export interface Emptying {
  /** Tables of the engine's own whose rows are deleted too. */
  readonly tables: readonly string[]
  readonly statements: readonly string[]
}

export interface Migrated {
  readonly steps: readonly Step[]
  readonly applied: boolean
  /** With the names of the store. */
  readonly model: Model
  /** What becomes of rows and names while nothing is published, a sentence each. */
  readonly notes: readonly string[]
  /** What was lost with that, or would be, a sentence each. */
  readonly losses: readonly string[]
  /** What was carried out last, or would be. */
  readonly plan: StorePlan
  /** The generation of the store when it was made to fit. A higher one means that another process has migrated it since. */
  readonly generation: number
}

/** The store's tables do not fit the declaration, and an operator must decide how to change them. */
export class MigrationRefused extends StoreRefused {
  readonly steps: readonly Step[]

  /** `done` are the steps that were applied before these were refused. */
  constructor(steps: readonly Step[], cause?: unknown, done: readonly Step[] = []) {
    super(refusal(steps, done), cause)
    this.name = 'MigrationRefused'
    this.steps = steps
  }
}

/** The error of a migration that ends at a step, with the steps that were applied before it. */
export function stopped(done: readonly Step[], at: readonly Step[], error: unknown): unknown {
  if (done.length === 0) return error
  if (error instanceof MigrationRefused) return new MigrationRefused(error.steps, error.cause, done)
  if (!(error instanceof StoreError || error instanceof StoreRefused)) return error
  return new StoreRefused(`${error.message}\n\nThat was the step "${at[0]?.why}". ${applied(done)}`, error)
}

const applied = (done: readonly Step[]): string =>
  done.length === 0
    ? 'Nothing was changed.'
    : `These steps were applied before it and stay, and a migration that is run again goes on after them: ${done.map(({ why }) => why).join('; ')}.`

const note = ({ additive, stops }: Pick<Step, 'additive' | 'stops'>): string =>
  additive ? '' : stops ? ' (done by nounkit migrate, with every other process stopped)' : ' (refused)'

/** What a step does, what it locks, and whether older processes survive it, as comments of SQL. */
export const stepHeading = ({ why, locks, ...step }: Step): string =>
  `-- ${why}${note(step)}${locks === undefined ? '' : `\n-- ${locks} ${survival(step)}`}`

const survival = ({ additive }: Pick<Step, 'additive'>): string =>
  additive ? 'Older processes serve on.' : 'Older processes do not survive it.'

/** The steps as a person reads them: each sentence once, without the values of rows. */
export function migrationSql(steps: readonly Step[]): string {
  const groups: { readonly heading: string; readonly sql: Set<string> }[] = []
  for (const step of steps) {
    const heading = stepHeading(step)
    const sql = step.params ? step.sql.replace(/\bVALUES .*/s, 'VALUES …') : step.sql
    const last = groups.at(-1)
    if (last?.heading === heading) last.sql.add(sql)
    else groups.push({ heading, sql: new Set([sql]) })
  }
  const text = (sql: Set<string>) => [...sql].filter((one) => one !== '').map((one) => `${one};\n`)
  return groups.map(({ heading, sql }) => [`${heading}\n`, ...text(sql)].join('')).join('\n')
}

export const mayBeTaken = (step: Step, { stops = false }: Pick<MigrateOptions, 'stops'>): boolean =>
  step.additive || (stops && step.stops === true)

/** What a store that follows its declaration gets besides the changes that its notes say. */
export const isShownAddition = ({ additive, table }: Step): boolean => additive && table !== metaTable

/** The steps that a person is told of. */
export const shownSteps = (steps: readonly Step[]): readonly Step[] => steps.filter(({ records }) => !records)

/** The refusal of a unique index that existing rows violate. */
export async function sharedValues(
  session: Pick<Session, 'all'>,
  dialect: Dialect,
  step: Step,
  error: StoreError,
): Promise<MigrationRefused> {
  const shared =
    (await sharedRows(session, dialect, step)) ??
    `rows of ${step.table} share values of ${error.columns.join(', ')}`
  return new MigrationRefused([notUnique(step, shared)], error)
}

/** A step that cannot be taken because of values that rows share. */
export const notUnique = (step: Step, shared: string): Step => ({
  ...step,
  unique: step.unique ?? [],
  additive: false,
  why: `values must be unique now, but ${shared}`,
})

function refusal(steps: readonly Step[], done: readonly Step[]): string {
  const refused = steps.filter((step) => !step.additive && step.table !== metaTable)
  const whys = (some: readonly Step[]): string => some.map(({ why }) => `\n- ${why}.`).join('')
  // A unique index is refused only where rows violate it.
  if (refused.every((step) => step.unique))
    return `The store does not fit the declaration. ${applied(done)} Change the rows that are named here, or change the declaration back, and try again:${whys(refused)}`
  const impossible = refused.filter((step) => !step.stops)
  if (impossible.length > 0)
    return `The store does not fit the declaration. ${applied(done)} Change the declaration back, or declare what becomes of the values that are stored, as docs/how-to/migrations.md says:${whys(impossible)}`
  return `The store does not fit the declaration, and only additions are made while others may serve it. ${applied(done)} Stop the processes of the older declaration, run \`nounkit migrate\`, and start again:${whys(refused)}`
}
