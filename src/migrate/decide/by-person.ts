import type { Model } from '../../compile/model.ts'
import { hyphenated } from '../../compile/names/name-rules.ts'
import { isOfSearch } from '../../plan/search-index.ts'
import { metaTable } from '../../store/meta.ts'
import { type Session, StoreRefused } from '../../store/store.ts'
import type { Emptying } from '../migration.ts'
import { type Step, whysOf } from '../migration-step.ts'
import type { ChangePlan } from '../plan/change-plan.ts'
import { planColumn } from '../plan/plan-column.ts'
import { type Planning, resourceOf } from '../plan/planning.ts'
import { type ColumnPlan, isUntouched, type TableChange } from '../plan/table-change.ts'
import type { TableSql } from '../plan/table-sql.ts'
import type { Present, PresentTable } from '../present.ts'
import { forgetNames } from '../record/names-record.ts'
import { recordedPublished } from '../record/published.ts'
import { isNarrower, readShape, recordShape, shapeOf } from '../record/shape.ts'
import { nextGeneration } from '../record/store-generation.ts'
import { noteNamed } from '../rows/endpoints-and-keys.ts'
import { countRows, countSet, type Reading } from '../rows/scan.ts'
import { unfitRows } from '../rows/unfit-rows.ts'
import { engineTables } from '../wanted/engine-tables.ts'
import type { Table } from '../wanted/table.ts'
import { wantedTables } from '../wanted/wanted-tables.ts'
import { matchColumns, matchTables, type TableMatches } from './asked-renames.ts'
import { formerNamesOf } from './former-names.ts'
import { lostRows, lostValues } from './loss.ts'
import { refuseToFollow } from './not-followed.ts'
import type { Decisions } from './questions-to-people.ts'

interface ByPerson {
  readonly sql: TableSql
  readonly decisions: Decisions
  /** Where all rows are deleted first. */
  readonly emptying: Emptying | undefined
}

/** What a person decides while nothing is published: any change is possible. Reads rows, and changes nothing. */
export async function byPerson(
  reading: Reading,
  model: Model,
  found: Present,
  { sql, decisions, emptying }: ByPerson,
): Promise<ChangePlan> {
  const isDistributed = [...found.values()].some(({ spread }) => spread)
  if (isDistributed && emptying) throw new StoreRefused(notEmptied)
  if (found.has(metaTable) && !emptying) await refusePublished(reading.session)
  const shape = found.has(metaTable) ? await readShape(reading.session) : null
  // Citus does not run every kind of statement in one transaction over several nodes. So a distributed store only grows.
  if (isDistributed && shape)
    refuseToFollow(
      await unfitRows(reading, model, shape),
      'On a Citus cluster rows are yours to change: change them, or the declaration.',
    )
  const planning: Planning = {
    ...reading,
    model,
    wanted: wantedTables(model).filter((table) => !engineTables.includes(table)),
    present: found,
    shape,
    former: formerNamesOf(model),
    decisions,
    differences: (table, there) => sql.differences([table], new Map([[there.name, there]])),
    notes: [],
    losses: [],
    refusals: [],
  }
  // A store that is new only grows.
  const canChange = found.has(metaTable) && !isDistributed
  const ours = emptying && canChange ? oursOf(planning) : null
  const { changes, outdates } = ours
    ? { changes: ours.map((table) => dropped(table, 'all rows are deleted')), outdates: true }
    : canChange
      ? await planTables(planning)
      : { changes: [], outdates: false }
  const { notes, losses, refusals } = planning
  const now = shapeOf(model)
  const isNew = JSON.stringify(shape) !== JSON.stringify(now)
  return {
    ...(emptying && ours && { first: [emptyStep(emptying, ours, sql)] }),
    changes,
    notes: changes.length > 0 ? notes : [],
    losses,
    refusals,
    outdates,
    recounts: changes.length > 0,
    record: (_hasSteps, stops) => [
      ...(isNew ? [recordShape(now)] : []),
      ...(stops && !emptying ? [forgetNames] : []),
      ...(stops ? [nextGeneration] : []),
    ],
  }
}

/** The tables of resources, also of those that are not declared any more. */
const oursOf = ({ present, shape, wanted }: Planning): readonly string[] =>
  [...present.keys()].filter(
    (name) => shape?.[name] !== undefined || wanted.some((table) => table.name === name),
  )

/** A reset: tables of resources are made anew, and whatever is about their rows goes. Rows go first, so that triggers take them out of an index of words. */
const emptyStep = ({ statements, tables }: Emptying, ours: readonly string[], sql: TableSql): Step => ({
  table: '',
  sql: [...statements, ...sql.empty([...ours, ...tables])].join(';\n'),
  additive: false,
  stops: true,
  why: 'all rows are deleted',
})

const notEmptied =
  'The tables are distributed over a Citus cluster, where a store is not emptied by one command. Nothing was changed. Create an empty database on every node, and run nounkit migrate --citus there.'

async function refusePublished(session: Session): Promise<void> {
  const versions = await recordedPublished(session)
  if (versions !== null)
    throw new StoreRefused(
      `This store has been served with a published version (${versions}), of which this declaration has no contract. Nothing was changed. Restore the folder contracts/, or name another store in DATABASE_URL.`,
    )
}

async function planTables(planning: Planning): Promise<PlannedTable> {
  const matches = await matchTables(planning)
  const changes: TableChange[] = []
  let outdates = false
  for (const { name } of matches.gone) changes.push(await dropTable(planning, name, 'is no longer declared'))
  await noteNamed(
    planning,
    matches.gone.map(({ name }) => name),
  )
  for (const { table, found } of matches.pairs) {
    const planned = await planTable(planning, table, found, matches)
    changes.push(...planned.changes)
    outdates ||= planned.outdates
  }
  return { changes, outdates: outdates || changes.length > 0 }
}

async function dropTable(planning: Planning, table: string, why: string): Promise<TableChange> {
  const name = hyphenated(table)
  const rows = await countRows(planning, table)
  planning.notes.push(`${name} ${why}`)
  if (rows > 0) planning.losses.push(lostRows(`${name} ${why}`, rows))
  return dropped(table, `${table} is no longer declared`)
}

const dropped = (table: string, why: string): TableChange => ({ kind: 'drop', table, why })

interface PlannedTable {
  readonly changes: readonly TableChange[]
  readonly outdates: boolean
}

async function planTable(
  planning: Planning,
  table: Table,
  found: PresentTable,
  matches: TableMatches,
): Promise<PlannedTable> {
  const resource = resourceOf(planning, table.name)
  if (losesRows(planning, { table, found })) {
    const why = resource.shared ? 'is shared by all accounts now' : 'belongs to accounts now'
    return { changes: [await dropTable(planning, found.name, why)], outdates: true }
  }
  const noted = planning.notes.length
  if (found.name !== table.name) planning.notes.push(`${resource.name} was ${hyphenated(found.name)}`)
  const { from, gone } = await matchColumns(planning, table, found)
  for (const column of gone) await dropColumn(planning, found, column, resource.name)
  const targetNow = (target: string) => {
    const pair = matches.pairs.find((one) => one.table.name === target)
    return pair && !losesRows(planning, pair) ? pair.found.name : null
  }
  const columns: ColumnPlan[] = []
  let outdates = false
  let hides = false
  for (const column of table.columns) {
    const field = resource.fields.find((one) => one.column === column.name) ?? null
    const source = from.get(column.name) ?? null
    const wanting = { resource, table, found, column, field, from: source, targetNow }
    columns.push(await planColumn(planning, wanting))
    const before = source === null ? undefined : planning.shape?.[found.name]?.[source]
    if (field && before) outdates ||= isNarrower(before, field)
    // Events must not keep what is never shown.
    hides ||= field?.writeOnly === true && before?.writeOnly !== true && source !== null
  }
  const added = columns.filter((plan) => plan.from === null)
  for (const { column } of added.filter(({ column }) => !isOfSearch(column.name)))
    planning.notes.push(`${resource.name}.${column.name} is new`)
  const differences = planning.differences(table, found)
  const same =
    found.name === table.name &&
    gone.length === 0 &&
    !hides &&
    columns.every((plan) => isUntouched(plan) || isAddition(plan)) &&
    differences.every((step) => step.additive)
  if (same) return { changes: [], outdates }
  if (planning.notes.length === noted) planning.notes.push(...whysOf(differences))
  const reshape = {
    kind: 'reshape',
    table,
    from: found.name,
    columns,
    undeclared: 'dropped',
    revises: true,
  } as const
  return { changes: [reshape], outdates }
}

/** Whether rows belong to an account and shall not, or the other way round. */
const losesRows = (planning: Planning, { table, found }: TableMatches['pairs'][number]): boolean =>
  found.columns.has('account_id') === resourceOf(planning, table.name).shared

/** A new column that ALTER TABLE adds, with its default or with NULL. */
const isAddition = ({ from, column, otherwise }: ColumnPlan): boolean =>
  from === null && otherwise === column.default && (column.nullable || column.default !== undefined)

async function dropColumn(
  planning: Planning,
  found: PresentTable,
  column: string,
  resource: string,
): Promise<void> {
  // A sum is computed from other rows, which stay.
  const isSum = planning.shape?.[found.name]?.[column]?.sum === true
  const rows = isSum ? 0 : await countSet(planning, found.name, column, true)
  planning.notes.push(`${resource}.${column} is no longer declared`)
  if (rows > 0) planning.losses.push(lostValues(`${resource}.${column} is no longer declared`, rows))
}
