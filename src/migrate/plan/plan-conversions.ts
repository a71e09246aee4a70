import type { Conversion, NamesRecord, Renaming } from '../../compile/stored-names.ts'
import { codecs } from '../../compile/versions/codecs.ts'
import { metaTable } from '../../store/meta.ts'
import type { Session } from '../../store/store.ts'
import type { Step } from '../migration-step.ts'
import type { PresentTable } from '../present.ts'
import { refuseUnconvertible, unconvertible } from '../rows/unconvertible.ts'
import { renameRecords } from '../sums/sums.ts'
import type { Lineage } from '../wanted/lineage.ts'
import type { Column, Table } from '../wanted/table.ts'
import { type ChangeStep, changeTables } from './change-tables.ts'
import { type Move, movesOf } from './name-moves.ts'
import { type ColumnPlan, keptColumn, type Reshape } from './table-change.ts'
import type { Present, TableSql } from './table-sql.ts'

/** What changes in a store that published versions serve, beyond additions: names, joined values, types by their codec. */
export interface Conversions {
  readonly changes: readonly Reshape[]
  readonly steps: readonly Step[]
  readonly renaming: Renaming
  readonly converted: readonly Conversion[]
  /** The tables after the steps have run. */
  readonly present: Present
}

/** They run before anything is added. Throws where a value cannot be converted. */
export async function planConversions(
  session: Session,
  wanted: readonly Table[],
  lineages: readonly Lineage[],
  before: Present,
  sql: TableSql,
): Promise<Conversions> {
  const changes = changesOf(wanted, lineages, before, sql)
  const inTheWay: string[] = []
  for (const change of changes)
    inTheWay.push(...(await unconvertible(session, change, before.get(change.from), sql.conversions)))
  refuseUnconvertible(inTheWay)
  const { steps, present } = changeTables(changes, before, sql)
  const records = await renameRecords(session, changes)
  return {
    changes,
    steps: [...asSteps(steps), ...records],
    renaming: renamingOf(changes),
    converted: changes.flatMap(({ table, columns }) =>
      columns.flatMap(({ column, codec }) =>
        codec ? [{ version: column.was?.newer ?? '', what: `${table.name}.${column.name}` }] : [],
      ),
    ),
    present,
  }
}

/** Statements of one sentence are one step. */
const asSteps = (steps: readonly ChangeStep[]): readonly Step[] =>
  [...Map.groupBy(steps, ({ table, why }) => `${table} ${why}`).values()].flatMap(([first, ...more]) =>
    first
      ? { ...first, sql: [first, ...more].map(({ sql }) => sql).join(';\n'), additive: false, stops: true }
      : [],
  )

function changesOf(
  wanted: readonly Table[],
  lineages: readonly Lineage[],
  present: Present,
  sql: TableSql,
): readonly Reshape[] {
  // Without nounkit_meta the tables are another program's.
  if (!present.has(metaTable)) return []
  const moves = movesOf(
    lineages.map(({ table, former }) => ({
      name: table,
      former: [former?.table ?? table].filter((old) => old !== table),
    })),
    present.keys(),
  )
  const moved = new Set(moves.map(({ from }) => from))
  return lineages.flatMap((lineage) => {
    const table = wanted.find(({ name }) => name === lineage.table)
    const from = moves.find(({ to }) => to === lineage.table)?.from ?? lineage.table
    const found = from === lineage.table && moved.has(from) ? undefined : present.get(from)
    return table && found ? changeOf(table, found, lineage, sql) : []
  })
}

/** Columns that the store lacks are added later. */
function changeOf(table: Table, found: PresentTable, lineage: Lineage, sql: TableSql): readonly Reshape[] {
  const moves = columnMoves(lineage, found)
  const moved = new Set(moves.map(({ from }) => from))
  const columns = table.columns.flatMap((column): ColumnPlan[] => {
    const { name } = column
    const from = moves.find(({ to }) => to === name)?.from ?? (moved.has(name) ? undefined : name)
    const present = from === undefined ? undefined : found.columns.get(from)
    if (from === undefined || !present) return []
    const mapped = new Map([...(lineage.former?.values.get(name) ?? [])].filter(([old, now]) => old !== now))
    return [{ ...keptColumn(column, from), mapped, codec: codecOf(table, column, present.type, sql) }]
  })
  const isSame =
    found.name === table.name &&
    moves.length === 0 &&
    columns.every(({ codec, mapped }) => codec === null && mapped.size === 0)
  if (isSame) return []
  return [{ kind: 'reshape', table, from: found.name, columns, undeclared: 'kept', revises: false }]
}

function columnMoves({ former }: Lineage, found: PresentTable): readonly Move[] {
  const named = [...(former?.columns ?? [])].map(([name, old]) => ({
    name,
    former: old === name ? [] : [old],
  }))
  return movesOf(named, found.columns.keys())
}

/** The codec of a column that the store has in the type of an older version. */
function codecOf(
  table: Table,
  { name, kind, was }: Column,
  found: string,
  { columnType }: TableSql,
): ColumnPlan['codec'] {
  if (!was || found === columnType(kind).toLowerCase()) return null
  if (found !== columnType(codecs[was.codec].older).toLowerCase()) return null
  const why = `${table.name}.${name} was ${found} in ${was.version} and is ${columnType(kind)} now, by ${was.codec}`
  return { name: was.codec, why }
}

function renamingOf(changes: readonly Reshape[]): Renaming {
  const tables: { [table: string]: string } = {}
  const columns: { [table: string]: { [column: string]: string } } = {}
  const values: { [column: string]: { [value: string]: string } } = {}
  for (const { from, table, columns: plans } of changes) {
    if (from !== table.name) tables[from] = table.name
    const moved = plans.flatMap(({ column, from: then }): [string, string][] =>
      then !== null && then !== column.name ? [[then, column.name]] : [],
    )
    if (moved.length > 0) columns[from] = Object.fromEntries(moved)
    for (const { column, from: then, mapped } of plans)
      if (mapped.size > 0) values[`${from}.${then ?? column.name}`] = Object.fromEntries(mapped)
  }
  return { tables, columns, values }
}

/** The record of names once the steps have run, as text. Values are joined along with anything else that stops older processes. */
export const recordAfter = (
  names: NamesRecord,
  { renaming, converted }: Conversions,
  steps: readonly Step[],
  joined: readonly Conversion[],
): string =>
  JSON.stringify(
    movedNames(names, renaming, [...(steps.some(({ stops }) => stops) ? joined : []), ...converted]),
  )

/** The record after its names were changed so, for what was converted. */
function movedNames(
  { versions, moves, converted, restricting, refusing, absent, counting }: NamesRecord,
  renaming: Renaming,
  conversions: readonly Conversion[],
): NamesRecord {
  const { tables, columns, values } = renaming
  const isMoved = [tables, columns, values].some((some) => Object.keys(some).length > 0)
  const moved = Object.entries(versions).map(([version, resources]) => [
    version,
    Object.fromEntries(
      Object.entries(resources).map(([name, { table, fields }]) => [
        name,
        {
          table: tables[table] ?? table,
          fields: Object.fromEntries(
            Object.entries(fields).map(([field, named]) => {
              const { column, up, down } = named
              const changed = values[`${table}.${column}`] ?? {}
              return [
                field,
                {
                  ...named,
                  column: columns[table]?.[column] ?? column,
                  ...(Object.keys(changed).length > 0 && valuesAfter(changed, up, down)),
                },
              ]
            }),
          ),
        },
      ]),
    ),
  ])
  const renamed = (key: string): string => {
    const [table = '', column = ''] = key.split('.')
    return `${tables[table] ?? table}.${columns[table]?.[column] ?? column}`
  }
  const known = new Set(converted.map(({ version, what }) => `${version} ${what}`))
  return {
    versions: Object.fromEntries(moved),
    moves: isMoved ? [...moves, renaming] : moves,
    restricting: restricting.map(renamed),
    refusing: refusing.map(renamed),
    counting: counting.map(renamed),
    absent: Object.fromEntries(
      Object.entries(absent).map(([key, { value, state }]) => {
        const changed = values[key]?.[String(value)]
        return [renamed(key), { value: changed ?? value, state }]
      }),
    ),
    converted: [...converted, ...conversions.filter(({ version, what }) => !known.has(`${version} ${what}`))],
  }
}

type Words = { readonly [word: string]: string }

function valuesAfter(
  changed: Words,
  up: Words = {},
  down: Words = {},
): { readonly up: Words; readonly down: Words } {
  const written = { ...Object.fromEntries(Object.keys(changed).map((value) => [value, value])), ...up }
  const shown = { ...Object.fromEntries(Object.keys(changed).map((value) => [value, value])), ...down }
  // Of values that are joined, what the one that stays was shown as is what is shown.
  const entries = Object.entries(shown).map(([kept, word]) => [changed[kept] ?? kept, word] as const)
  return {
    up: Object.fromEntries(Object.entries(written).map(([word, kept]) => [word, changed[kept] ?? kept])),
    down: Object.fromEntries(entries.reverse()),
  }
}
