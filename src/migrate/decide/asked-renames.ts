import { hyphenated } from '../../compile/names/name-rules.ts'
import { counted } from '../../compile/names/plural.ts'
import { isOfSearch } from '../../plan/search-index.ts'
import { type Planning, resourceOf, storedShape } from '../plan/planning.ts'
import { declaredMoves, type Move } from '../plan/renames.ts'
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
  const known = [...present.keys()].filter(ours)
  const moves = declaredMoves(names, (name) => former.tables.get(name), known)
  const { from, gone } = await matched(names, known, moves, (name, free) =>
    renamedTable(
      planning,
      name,
      wanted.filter((table) => free.includes(table.name)),
    ),
  )
  const foundAt = (name: string | undefined) => (name === undefined ? undefined : present.get(name))
  return {
    pairs: wanted.flatMap((table) => {
      const found = foundAt(from.get(table.name))
      return found ? [{ table, found }] : []
    }),
    gone: gone.flatMap((name) => foundAt(name) ?? []),
  }
}

export interface Matches {
  /** Wanted name → the present one whose values it gets. */
  readonly from: ReadonlyMap<string, string>
  readonly gone: readonly string[]
}

/** Asks about each present name that nobody wants and no declared rename takes: which of the new names that are free it has now; null where it was dropped. */
async function matched(
  wanted: ReadonlySet<string>,
  present: readonly string[],
  moves: readonly Move[],
  ask: (name: string, free: readonly string[]) => Promise<string | null>,
): Promise<Matches> {
  const now = new Map(moves.map(({ from, to }) => [from, to]))
  const isLeft = (name: string) => !wanted.has(name) && !now.has(name)
  for (const name of present.filter(isLeft)) {
    const taken = new Set(now.values())
    // The store does not have a free name, or what had it gets another one.
    const free = [...wanted].filter((one) => !taken.has(one) && (!present.includes(one) || now.has(one)))
    const chosen = await ask(name, free)
    if (chosen !== null) now.set(name, chosen)
  }
  const stays = present.filter((name) => wanted.has(name) && !now.has(name))
  const from = new Map([
    ...stays.map((name) => [name, name] as const),
    ...[...now].map(([was, name]) => [name, was] as const),
  ])
  return { from, gone: present.filter(isLeft) }
}

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
  name: string,
  free: readonly Table[],
): Promise<string | null> {
  const found = planning.present.get(name)
  const alike = free.filter((table) => found && looksLike(table, found)).map((table) => table.name)
  if (alike.length === 0 || planning.decisions.acceptsDataLoss) return null
  const rows = await countRows(planning, name)
  if (rows === 0) return null
  const nameOf = (table: string) => resourceOf(planning, table).name
  return decide(planning, name, {
    gone: `${hyphenated(name)} is no longer declared, and has ${counted(rows, 'row')}`,
    names: alike,
    shown: nameOf,
    declared: (now) => `resource('${now}', { was: '${hyphenated(name)}', … })`,
  })
}

export async function matchColumns(planning: Planning, table: Table, found: PresentTable): Promise<Matches> {
  const names = new Set(table.columns.map(({ name }) => name))
  const moves = await declaredColumnMoves(planning, planning.former, { table: table.name, names }, found)
  // A search that is no longer declared takes nothing along: its words are those of fields.
  const present = [...found.columns.keys()].filter((name) => names.has(name) || !isOfSearch(name))
  return matched(names, present, moves, (column, free) => renamedColumn(planning, table, found, column, free))
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

/** The new name, or null where the old one was dropped. Without an answer the plan is refused, and the rest of it assumes the first choice. */
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
