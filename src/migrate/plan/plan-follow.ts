import { isOfSearch } from '../../plan/search-index.ts'
import { lostRows, lostValues } from '../decide/loss.ts'
import { matchColumns, matchTables, type TableMatches } from '../decide/match-names.ts'
import { whysOf } from '../migration-step.ts'
import type { PresentTable } from '../present.ts'
import { isNarrower } from '../record/shape.ts'
import { noteNamed } from '../rows/endpoints-and-keys.ts'
import { countRows, countSet } from '../rows/scan.ts'
import type { Table } from '../wanted/table.ts'
import { planColumn } from './plan-column.ts'
import { type Planning, resourceOf } from './planning.ts'
import { type ChangePlan, type ColumnPlan, isUntouched, type TableChange } from './table-change.ts'

/** Compares the store with the declaration. Reads rows, and changes nothing. */
export async function planFollow(planning: Planning): Promise<ChangePlan> {
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
  const { notes, losses, refusals } = planning
  return { changes, notes, losses, refusals, outdates: outdates || changes.length > 0 }
}

async function dropTable(planning: Planning, table: string, why: string): Promise<TableChange> {
  const name = table.replaceAll('_', '-')
  const rows = planning.emptied ? 0 : await countRows(planning, table)
  planning.notes.push(`${name} ${why}`)
  if (rows > 0) planning.losses.push(lostRows(`${name} ${why}`, rows))
  return { kind: 'drop', table }
}

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
  if (found.name !== table.name)
    planning.notes.push(`${resource.name} was ${found.name.replaceAll('_', '-')}`)
  const { from, gone } = await matchColumns(planning, table, found)
  for (const column of gone) await dropColumn(planning, found, column, resource.name)
  const targetNow = (target: string) => {
    const pair = matches.pairs.find((one) => one.table.name === target)
    return pair && !losesRows(planning, pair) ? pair.found.name : null
  }
  const columns: ColumnPlan[] = []
  let outdates = false
  for (const column of table.columns) {
    const field = resource.fields.find((one) => one.column === column.name) ?? null
    const source = from.get(column.name) ?? null
    const wanting = { resource, table, found, column, field, from: source, targetNow }
    columns.push(await planColumn(planning, wanting))
    const before = source === null ? undefined : planning.shape?.[found.name]?.[source]
    if (field && before) outdates ||= isNarrower(before, field)
  }
  const added = columns.filter((plan) => plan.from === null)
  for (const { column } of added.filter(({ column }) => !isOfSearch(column.name)))
    planning.notes.push(`${resource.name}.${column.name} is new`)
  const differences = planning.differences(table, found)
  const same =
    found.name === table.name &&
    gone.length === 0 &&
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
  const rows = planning.emptied || isSum ? 0 : await countSet(planning, found.name, column, true)
  planning.notes.push(`${resource}.${column} is no longer declared`)
  if (rows > 0) planning.losses.push(lostValues(`${resource}.${column} is no longer declared`, rows))
}
