import { ident } from '../../plan/dialect.ts'
import { columnFindings, foreignKeyFindings, leftOverColumns } from './findings.ts'
import { sqliteColumn, sqliteIndex, sqliteRebuild, sqliteTable, sqliteType } from './sqlite-ddl.ts'
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
  const rebuilt = sqliteRebuild(table, found, foreignIndexes(table, found))
  const columns = columnFindings(table, found, sqliteType).map((finding) => {
    if (finding.kind !== 'new') return step(table, rebuilt, finding.why, false)
    const add = `ALTER TABLE ${ident(table.name)} ADD COLUMN ${sqliteColumn(finding.column)}`
    if (finding.additive) return step(table, add, finding.why)
    return step(table, `${add} DEFAULT …`, `${finding.why} (put it in place of …)`, false)
  })
  const refused = columns.filter((one) => !one.additive)
  const blocking = leftOverColumns(table, found).map(({ column, why }) =>
    step(table, sqliteRebuildWithNull(table, found, column), why, false),
  )
  const keys = foreignKeyFindings(table, found)
  refused.push(
    ...blocking,
    ...keys.filter((key) => !key.additive).map((key) => step(table, rebuilt, key.why, false)),
  )
  // A foreign key over two columns cannot be added to a table, so the table is made anew, new columns and indexes with it.
  const added = keys.filter((key) => key.additive)
  if (added.length > 0) return [...refused, step(table, rebuilt, added.map((key) => key.why).join('; '))]
  return [...refused, ...columns.filter((one) => one.additive), ...newIndexes(table, found)]
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

function sqliteRebuildWithNull(table: Table, found: SqliteTable, column: string): string {
  const columns = new Map(found.columns)
  const left = columns.get(column)
  if (left) columns.set(column, { ...left, nullable: true })
  return sqliteRebuild(table, { ...found, columns }, foreignIndexes(table, found))
}
