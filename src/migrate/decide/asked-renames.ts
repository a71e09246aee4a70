import { hyphenated } from '../../compile/names/name-rules.ts'
import { counted } from '../../compile/names/plural.ts'
import { isOfSearch } from '../../plan/search-index.ts'
import { type Planning, resourceOf, storedShape } from '../plan/planning.ts'
import { declaredMoves } from '../plan/renames.ts'
import type { PresentTable } from '../present.ts'
import { countRows, countSet } from '../rows/scan.ts'
import { sameForm } from '../rows/value-of-other-type.ts'
import type { Table } from '../wanted/table.ts'
import { declaredColumnMoves } from './former-names.ts'

/** Which tables of the store are which wanted ones. */
export interface TableMatches {
  readonly pairs: readonly { readonly table: Table; readonly found: PresentTable }[]
  readonly gone: readonly PresentTable[]
}

/** `dropped` is no name of anything: names have no spaces around them. */
const dropped = ' dropped '

export async function matchTables(planning: Planning): Promise<TableMatches> {
  const { wanted, present, shape, former } = planning
  const names = new Set(wanted.map(({ name }) => name))
  const formerNames = new Set(former.tables.values())
  // Without a recorded shape, a table that is not declared may be another program's.
  const ours = (name: string) => names.has(name) || shape?.[name] !== undefined || formerNames.has(name)
  const known = [...present.values()].filter(({ name }) => ours(name))
  const moves = declaredMoves(
    names,
    (name) => former.tables.get(name),
    known.map(({ name }) => name),
  )
  const takenBy = new Map(moves.map(({ from, to }) => [from, to]))
  for (const found of known) {
    if (names.has(found.name) || takenBy.has(found.name)) continue
    const taken = new Set(takenBy.values())
    const free = wanted.filter(({ name }) => isFree(name, present, takenBy) && !taken.has(name))
    const chosen = await renamedTable(planning, found, free)
    if (chosen !== null) takenBy.set(found.name, chosen)
  }
  const sourceOf = (name: string): string =>
    [...takenBy].find(([, to]) => to === name)?.[0] ?? (takenBy.has(name) ? '' : name)
  return {
    pairs: wanted.flatMap((table) => {
      const found = present.get(sourceOf(table.name))
      return found ? [{ table, found }] : []
    }),
    gone: known.filter(({ name }) => !names.has(name) && !takenBy.has(name)),
  }
}

/** Whether something else can get a name: the store does not have it, or what had it gets another one. */
const isFree = (
  name: string,
  present: ReadonlyMap<string, unknown>,
  takenBy: ReadonlyMap<string, string>,
): boolean => !present.has(name) || takenBy.has(name)

/** Columns that every table has, and that say nothing about which one it is. */
const usual = new Set(['account_id', 'id', 'version', 'created_at', 'updated_at'])

const looksLike = (table: Table, found: PresentTable): boolean => {
  const own = table.columns.map(({ name }) => name).filter((name) => !usual.has(name))
  const there = [...found.columns.keys()].filter((name) => !usual.has(name))
  const shared = own.filter((name) => there.includes(name)).length
  return shared > 0 && shared * 2 >= Math.min(own.length, there.length)
}

async function renamedTable(
  planning: Planning,
  found: PresentTable,
  free: readonly Table[],
): Promise<string | null> {
  const alike = free.filter((table) => looksLike(table, found)).map(({ name }) => name)
  if (alike.length === 0 || planning.decisions.acceptsDataLoss) return null
  const rows = await countRows(planning, found.name)
  if (rows === 0) return null
  const nameOf = (table: string) => resourceOf(planning, table).name
  return decide(planning, found.name, {
    gone: `${hyphenated(found.name)} is no longer declared, and has ${counted(rows, 'row')}`,
    names: alike,
    shown: nameOf,
    declared: (name) => `resource('${name}', { was: '${hyphenated(found.name)}', … })`,
  })
}

export interface ColumnMatches {
  /** Wanted column → the column that has its values. */
  readonly from: ReadonlyMap<string, string>
  readonly gone: readonly string[]
}

export async function matchColumns(
  planning: Planning,
  table: Table,
  found: PresentTable,
): Promise<ColumnMatches> {
  const names = new Set(table.columns.map(({ name }) => name))
  const moves = await declaredColumnMoves(planning, planning.former, { table: table.name, names }, found)
  const takenBy = new Map(moves.map(({ from, to }) => [from, to]))
  // A search that is no longer declared takes nothing along: its words are those of fields.
  const present = [...found.columns.keys()].filter((name) => !isOfSearch(name))
  for (const column of present) {
    if (names.has(column) || takenBy.has(column)) continue
    const taken = new Set(takenBy.values())
    const free = [...names].filter((name) => isFree(name, found.columns, takenBy) && !taken.has(name))
    const chosen = await renamedColumn(planning, table, found, column, free)
    if (chosen !== null) takenBy.set(column, chosen)
  }
  const from = new Map<string, string>()
  for (const name of names) if (found.columns.has(name) && !takenBy.has(name)) from.set(name, name)
  for (const [column, name] of takenBy) from.set(name, column)
  return {
    from,
    gone: present.filter((column) => !names.has(column) && !takenBy.has(column)),
  }
}

async function renamedColumn(
  planning: Planning,
  table: Table,
  found: PresentTable,
  column: string,
  free: readonly string[],
): Promise<string | null> {
  const resource = resourceOf(planning, table.name)
  const then = storedShape(planning, found, column)
  const fieldOf = (name: string) => resource.fields.find((field) => field.column === name)
  const alike = free.filter((name) => {
    const field = fieldOf(name)
    return (
      field && then && sameForm(field.kind, then.kind) && (field.relation === null) === (then.target === null)
    )
  })
  if (alike.length === 0 || planning.decisions.acceptsDataLoss) return null
  const rows = await countSet(planning, found.name, column, true)
  if (rows === 0) return null
  return decide(planning, `${table.name}.${column}`, {
    gone: `${resource.name}.${column} is no longer declared, and ${counted(rows, 'row')} ${rows === 1 ? 'has' : 'have'} a value in it`,
    names: alike,
    shown: (name) => `${resource.name}.${name}`,
    declared: (name) => {
      const relation = fieldOf(name)?.relation
      if (!relation) return `${name}: was('${column}', …)`
      return `${relation.name}: belongsTo('${relation.target.name}', { was: '${column.replace(/_id$/, '')}' })`
    },
  })
}

interface Rename {
  /** The first half of a sentence. */
  readonly gone: string
  readonly names: readonly string[]
  shown(name: string): string
  /** The line to write for a rename. */
  declared(name: string): string
}

/** The new name, or null where it was dropped. Where nobody says, the plan is refused, and goes on as if the first name were right. */
async function decide(planning: Planning, subject: string, rename: Rename): Promise<string | null> {
  const { gone, names, shown, declared } = rename
  const list = names.map(shown).join(' and ')
  const is = names.length === 1 ? 'is' : 'are'
  const answer = await planning.decisions.answer(subject, {
    kind: 'rename',
    text: `${gone}; ${list} ${is} new. Was it renamed?`,
    choices: [
      ...names.map((name) => ({ value: name, says: `renamed to ${shown(name)}` })),
      { value: dropped, says: 'dropped' },
    ],
  })
  if (answer !== undefined) return names.find((name) => name === answer) ?? null
  const [first = ''] = names
  planning.refusals.push(
    `${gone}; ${list} ${is} new. If it was renamed, declare that: ${declared(first)}. If it was dropped, use ${planning.decisions.option('--accept-data-loss')}.`,
  )
  return first
}
