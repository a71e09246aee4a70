import { ident } from '../../plan/dialect.ts'
import {
  type ColumnFinding,
  columnFindings,
  foreignKeyFindings,
  leftOverColumns,
  type NewColumn,
} from './findings.ts'
import {
  asOneByHand,
  insteadOfNull,
  sqliteColumn,
  sqliteIndex,
  sqliteRebuild,
  sqliteTable,
  sqliteType,
  toFillIn,
} from './sqlite-ddl.ts'
import type { SqliteTable } from './sqlite-read.ts'
import type { Step } from './step.ts'
import type { Table } from './table.ts'

export function sqliteDifference(
  wanted: readonly Table[],
  present: ReadonlyMap<string, SqliteTable>,
): readonly Step[] {
  return wanted.flatMap((table) => {
    const found = present.get(table.name)
    return found ? existingTable(table, found) : newTable(table)
  })
}

const newTable = (table: Table): Step[] => [
  step(table, sqliteTable(table), `table ${table.name} is new`),
  ...table.indexes.map((index) =>
    step(table, sqliteIndex(table.name, index), `index of ${table.name} is new`),
  ),
]

const step = (table: Table, sql: string, why: string, additive = true): Step => ({
  table: table.name,
  sql,
  additive,
  why,
})

function existingTable(table: Table, found: SqliteTable): Step[] {
  const columns = columnFindings(table, found, sqliteType)
  const keys = foreignKeyFindings(table, found)
  const leftOver = leftOverColumns(table, found)
  const fresh = columns.filter((finding) => finding.kind === 'new')
  const refused = [
    ...columns.filter((finding) => finding.kind !== 'new'),
    ...leftOver,
    ...keys.filter((key) => !key.additive),
  ]
  if (refused.length > 0) {
    const unset = fresh.filter((finding) => !finding.additive)
    const whys = [...refused, ...unset].map(({ why }) => why)
    return [rebuiltByHand(table, withNulls(found, leftOver), columns, whys)]
  }
  const added = keys.filter((key) => key.additive).map((key) => key.why)
  const required = fresh.filter((finding) => !finding.additive).map((finding) => addColumn(table, finding))
  // A foreign key over two columns cannot be added to a table, so the table is made anew, new columns and indexes with it.
  if (added.length > 0) {
    const rebuilt = sqliteRebuild(table, found, foreignIndexes(table, found))
    return [...required, step(table, rebuilt, added.join('; '))]
  }
  const optional = fresh.filter((finding) => finding.additive).map((finding) => addColumn(table, finding))
  return [...required, ...optional, ...newIndexes(table, found)]
}

function addColumn(table: Table, { column, why, additive }: NewColumn): Step {
  const sql = `ALTER TABLE ${ident(table.name)} ADD COLUMN ${sqliteColumn(column)}`
  return additive
    ? step(table, sql, why)
    : step(table, `${sql} DEFAULT ${toFillIn}`, `${why} (${fillIn})`, false)
}

const fillIn = `put it in place of ${toFillIn}`

/**
 * All that somebody has to decide about a table, in one copy of it. The table is dropped in the end, so the copy must have
 * succeeded: the shell is told to stop at an error, which it does not do by itself.
 */
function rebuiltByHand(
  table: Table,
  found: SqliteTable,
  columns: readonly ColumnFinding[],
  whys: readonly string[],
): Step {
  const filling = new Map<string, string>()
  for (const finding of columns) {
    if (finding.kind === 'must-be-set') filling.set(finding.column.name, insteadOfNull(finding.column))
    if (finding.kind === 'new' && !finding.additive) filling.set(finding.column.name, toFillIn)
  }
  const remark = [...filling.values()].some((value) => value.includes(toFillIn))
    ? ` (put a value for rows without one in place of ${toFillIn})`
    : ''
  const sql = asOneByHand(sqliteRebuild(table, found, foreignIndexes(table, found), filling))
  return { ...step(table, sql, `${whys.join('; ')}${remark}`, false), shell: '.bail on' }
}

/** Columns that nobody fills any more may be empty from now on. */
function withNulls(found: SqliteTable, leftOver: readonly { readonly column: string }[]): SqliteTable {
  const columns = new Map(found.columns)
  for (const { column } of leftOver) {
    const left = columns.get(column)
    if (left) columns.set(column, { ...left, nullable: true })
  }
  return { ...found, columns }
}

const newIndexes = (table: Table, found: SqliteTable): Step[] =>
  table.indexes
    .filter((index) => !found.indexes.has(index.name))
    .map((index) => step(table, sqliteIndex(table.name, index), `index ${index.name} is new`))

/** Indexes that somebody made by hand, or that an older declaration wanted. */
const foreignIndexes = (table: Table, found: SqliteTable): string[] => {
  const ours = new Set(table.indexes.map((index) => index.name))
  return [...found.indexSql].filter(([name]) => !ours.has(name)).map(([, sql]) => sql)
}
