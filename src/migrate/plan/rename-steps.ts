import { ident } from '../../plan/dialect.ts'
import { objectName } from '../../plan/object-name.ts'
import { metaTable } from '../../store/meta.ts'
import type { Step } from '../migration-step.ts'
import type { PresentForeignKey, PresentTable } from '../present.ts'
import type { Lineage } from '../wanted/lineage.ts'
import type { Table } from '../wanted/table.ts'
import { formerNames, type Move, movesOf } from './name-moves.ts'

/** A wanted table that is present, under its own name or an older one. */
export interface Found {
  readonly table: Table
  readonly lineage: Lineage
  /** Its present name, before anything is renamed. */
  readonly name: string
  readonly columns: readonly Move[]
}

export interface RenamePlan<T> {
  readonly steps: readonly Step[]
  readonly found: readonly Found[]
  /** The tables after the steps have run. */
  readonly present: ReadonlyMap<string, T>
}

/** Renames of tables and columns that are present under the name of an older version, and not under their own. */
export function planRenames<T extends PresentTable>(
  wanted: readonly Table[],
  lineages: readonly Lineage[],
  present: ReadonlyMap<string, T>,
  renamedTable: (table: T, name: string, columns: readonly Move[]) => T,
): RenamePlan<T> {
  // Without nounkit_meta the tables are another program's.
  if (!present.has(metaTable)) return { steps: [], found: [], present }
  const named = lineages.map(({ table, former }) => ({
    name: table,
    former: formerNames(
      table,
      former.map((one) => one.table),
    ),
  }))
  const tables = movesOf(named, present.keys())
  const nameNow = new Map(tables.map(({ from, to }) => [to, from]))
  const moved = new Set(tables.map(({ from }) => from))
  const found = lineages.flatMap((lineage): Found[] => {
    const table = wanted.find(({ name }) => name === lineage.table)
    const name = nameNow.get(lineage.table) ?? lineage.table
    const there = nameNow.has(lineage.table) || !moved.has(name) ? present.get(name) : undefined
    return table && there ? [{ table, lineage, name, columns: columnMoves(lineage, there) }] : []
  })
  return {
    steps: [...tables.map(tableStep), ...found.flatMap(columnSteps)],
    found,
    present: renamedAll(present, tables, found, renamedTable),
  }
}

function columnMoves({ former }: Lineage, there: PresentTable): readonly Move[] {
  const columns = new Set(former.flatMap((one) => [...one.columns.keys()]))
  const named = [...columns].map((name) => ({
    name,
    former: formerNames(
      name,
      former.map((one) => one.columns.get(name)),
    ),
  }))
  return movesOf(named, there.columns.keys())
}

const tableStep = ({ from, to }: Move): Step => ({
  table: to,
  sql: `ALTER TABLE ${ident(from)} RENAME TO ${ident(to)}`,
  additive: false,
  why: `${from} is ${to} now`,
  stops: true,
})

const columnSteps = ({ table, columns }: Found): Step[] =>
  columns.map(({ from, to }) => ({
    table: table.name,
    sql: `ALTER TABLE ${ident(table.name)} RENAME COLUMN ${ident(from)} TO ${ident(to)}`,
    additive: false,
    why: `${table.name}.${from} is ${to} now`,
    stops: true,
  }))

function renamedAll<T extends PresentTable>(
  present: ReadonlyMap<string, T>,
  tables: readonly Move[],
  found: readonly Found[],
  renamedTable: (table: T, name: string, columns: readonly Move[]) => T,
): ReadonlyMap<string, T> {
  const nameAfter = (name: string): string => tables.find(({ from }) => from === name)?.to ?? name
  const renamed = [...present.values()].map((table): [string, T] => {
    const name = nameAfter(table.name)
    const columns = found.find((one) => one.name === table.name)?.columns ?? []
    const after = renamedTable(table, name, columns)
    const foreignKeys = [...after.foreignKeys].map(([key, value]): [string, PresentForeignKey] => [
      key,
      { ...value, table: nameAfter(value.table) },
    ])
    return [name, { ...after, foreignKeys: new Map(foreignKeys) }]
  })
  return new Map(renamed)
}

/** The table with its new name, and its new column names in columns and foreign keys. */
export function withNames<T extends PresentTable>(table: T, name: string, columns: readonly Move[]): T {
  const after = (column: string): string => columns.find(({ from }) => from === column)?.to ?? column
  return {
    ...table,
    name,
    columns: new Map(
      [...table.columns].map(([key, column]) => [after(key), { ...column, name: after(key) }]),
    ),
    foreignKeys: new Map(
      [...table.foreignKeys].map(([key, value]) => [key.split(',').map(after).join(), value]),
    ),
  }
}

/** The names of an index or constraint in older versions, newest first: they follow from the names of table and columns. */
export const formerObjectNames = (
  { table, former }: Lineage,
  columns: readonly string[],
  kind: 'idx' | 'key' | 'fkey' | 'check',
): readonly string[] =>
  formerNames(
    objectName(table, columns, kind),
    former.map((one) =>
      objectName(
        one.table,
        columns.map((column) => one.columns.get(column) ?? column),
        kind,
      ),
    ),
  )

/** Renames of indexes that still have the name of an older table or of older columns. */
export function indexMoves({ table, lineage }: Found, present: PresentTable): readonly Move[] {
  const own = table.indexes.map(({ name, unique, columns }) => ({
    name,
    former: formerObjectNames(
      lineage,
      columns.map((column) => column.name),
      unique ? 'key' : 'idx',
    ),
  }))
  const primary = {
    name: objectName(table.name, ['primary'], 'key'),
    former: formerObjectNames(lineage, ['primary'], 'key'),
  }
  return movesOf([...own, primary], present.indexes.keys())
}
