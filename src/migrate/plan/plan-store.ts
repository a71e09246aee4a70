import type { Model } from '../../compile/model.ts'
import { metaTable } from '../../store/meta.ts'
import type { Session } from '../../store/store.ts'
import { byChangeLists } from '../decide/by-change-lists.ts'
import { byNobody } from '../decide/by-nobody.ts'
import { byPerson } from '../decide/by-person.ts'
import type { Decisions } from '../decide/questions-to-people.ts'
import type { MigrateOptions } from '../migration.ts'
import type { Step } from '../migration-step.ts'
import type { Present } from '../present.ts'
import { generationAtStart } from '../record/store-generation.ts'
import { sumSteps, sumsOf } from '../sums/sums.ts'
import { wantedTables } from '../wanted/wanted-tables.ts'
import type { ChangePlan } from './change-plan.ts'
import { changeTables } from './change-tables.ts'
import type { StorePlan } from './store-plan.ts'
import type { TableSql } from './table-sql.ts'
import { whoWaits } from './who-waits.ts'

/** What a plan is made from besides the store. */
export interface Goal {
  readonly declared: Model
  /** The declaration with the names that the store has for it. */
  readonly bound: Model
  readonly decisions: Decisions
  readonly options: MigrateOptions
}

/** Compares a store with a declaration. Reads rows, and changes nothing. */
export async function planStore(session: Session, sql: TableSql, goal: Goal): Promise<StorePlan> {
  const { declared, bound, options } = goal
  const { dialect } = sql
  const generation = await generationAtStart(session)
  const found = await sql.read(session)
  const spread = options.citus === true || [...found.values()].some((table) => table.spread)
  const decided = await decide(session, sql, goal, found, spread)
  const model = options.tidy ? declared : bound
  const tables = wantedTables(model)
  const { steps: changes, present } = changeTables(decided.changes, found, sql)
  const sums = sumsOf(model, dialect)
  const locks = dialect.name === 'postgres' && !spread
  const computed = await sumSteps(session, sums, present, { locks, all: decided.recounts })
  const before = [...(decided.first ?? []), ...changes]
  const outdates = decided.outdates || (isByPerson(goal) && computed.some(isOtherSum))
  const adding = { online: true, spread, shards: options.shards }
  const online = await sql.additions(session, tables, present, adding)
  const stops = outdates || [...before, ...online].some((step) => step.stops)
  const added =
    stops && !spread ? await sql.additions(session, tables, present, { ...adding, online: false }) : online
  const alone = (step: Step): Step => (spread ? { ...step, alone: true } : step)
  const rewrites = isByPerson(goal) && changes.length > 0 ? [rewriteStep(goal, decided)] : []
  const all = [...before.map(alone), ...added, ...rewrites, ...computed.map(alone)]
  const recorded = { stops, shutsOut: stops && spread ? (decided.shutsOut ?? []) : [] }
  const plan = {
    database: dialect.name,
    found,
    steps: withRecord(all, decided.record(all.length > 0, stops), recorded),
    notes: decided.notes,
    losses: decided.losses,
    refusals: decided.refusals,
    spread,
    generation,
  }
  return { ...plan, steps: plan.steps.map((step) => ({ ...step, locks: whoWaits(step, plan) })) }
}

const isByPerson = ({ options }: Goal): boolean => options.decider?.by === 'person'

/** A process of the older declaration would go on to write the older sums. */
const isOtherSum = ({ sum, ofNewTable }: Step): boolean => sum !== undefined && !ofNewTable

function decide(
  session: Session,
  sql: TableSql,
  goal: Goal,
  found: Present,
  spread: boolean,
): Promise<ChangePlan> {
  const { declared, bound, decisions, options } = goal
  const reading = { session, dialect: sql.dialect }
  switch (options.decider?.by) {
    case 'person': {
      options.stepping?.('comparing the rows with the declaration', 0, 0)
      return byPerson(reading, declared, found, { sql, decisions, emptying: options.emptying })
    }
    case 'nobody':
      return byNobody(reading, declared, found)
    default:
      return byChangeLists(session, { declared, bound, tidy: options.tidy === true, spread }, found, sql)
  }
}

/** Events, endpoints and keys have names of resources and fields, and values of rows. */
const rewriteStep = ({ declared }: Goal, { changes }: ChangePlan): Step => ({
  table: 'nounkit_events',
  sql: '',
  rewrites: { model: declared, changes },
  additive: false,
  stops: true,
  why: 'events, endpoints and keys follow the declaration',
})

/** Adds what is recorded after the last step that older processes do not survive: by it they notice that they must end. */
function withRecord(
  steps: readonly Step[],
  statements: readonly string[],
  { stops, shutsOut }: { readonly stops: boolean; readonly shutsOut: readonly string[] },
): readonly Step[] {
  const recording = (sql: readonly string[], alone: boolean): readonly Step[] =>
    sql.length === 0
      ? []
      : [
          {
            table: metaTable,
            sql: sql.join(';\n'),
            additive: !stops,
            why: stops
              ? 'processes of the older declaration see by this that they must end'
              : 'what the columns hold is recorded',
            ...(stops ? { stops } : { records: true as const }),
            ...(alone && { alone }),
          },
        ]
  const last = steps.findLastIndex((step) => step.stops)
  const after = last < 0 ? steps.length : last + 1
  const record = recording(statements, steps[last]?.alone === true)
  return [...recording(shutsOut, true), ...steps.toSpliced(after, 0, ...record)]
}
