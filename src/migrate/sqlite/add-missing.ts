import { ident } from '../../plan/dialect.ts'
import type { Step } from '../migration-step.ts'
import {
  type ColumnFinding,
  columnFindings,
  foreignKeyFindings,
  leftOverColumns,
  type NewColumn,
} from '../plan/findings.ts'
import { type Table, uniqueColumns } from '../wanted/table.ts'
import {
  asOneByHand,
  type Filling,
  insteadOfNull,
  sqliteColumn,
  sqliteIndex,
  sqliteIndexes,
  sqliteRebuild,
  sqliteTable,
  sqliteType,
  toFillIn,
} from './ddl.ts'
import { forgetWords, sqliteSearch } from './index-of-words.ts'
import { replaceKeyLog } from './key-log.ts'
import type { SqliteTable } from './read-tables.ts'

export function sqliteAdditions(
  tables: readonly Table[],
  present: ReadonlyMap<string, SqliteTable>,
): readonly Step[] {
  const keys = replaceKeyLog(tables, present)
  const others = keys ? tables.filter(({ name }) => name !== keys.table) : tables
  return [...(keys ? [keys] : []), ...sqliteDifference(others, present)]
}

function sqliteDifference(
  wanted: readonly Table[],
  present: ReadonlyMap<string, SqliteTable>,
): readonly Step[] {
  return wanted.flatMap((table) => {
    const found = present.get(table.name)
    return found
      ? [...existingTable(table, found), ...searchSteps(table, found, present)]
      : [...newTable(table), ...searchSteps(table, null, present)]
  })
}

const newTable = (table: Table): Step[] => [
  step(table, sqliteTable(table), `table ${table.name} is new`),
  ...sqliteIndexes(table).map((index) =>
    step(table, sqliteIndex(table.name, index), `index of ${table.name} is new`),
  ),
]

/** What an index of words lacks. */
function searchSteps(
  table: Table,
  found: SqliteTable | null,
  present: ReadonlyMap<string, SqliteTable>,
): Step[] {
  return (table.searches ?? []).flatMap((search): Step[] => {
    const { tables, triggers } = sqliteSearch(table, search)
    const isThere = present.has(search.index)
    const missing = triggers.filter(({ name }) => !isThere || !found?.triggers.has(name))
    if (missing.length === 0) return []
    // Without its index, words that rows have are in no index. A trigger of the same name may be that of a table that was dropped.
    const parts = [
      ...(isThere ? [] : tables),
      ...missing.flatMap(({ name, sql }) => [`DROP TRIGGER IF EXISTS ${ident(name)}`, sql]),
      ...(found?.columns.has(search.version) ? [forgetWords(table, search)] : []),
    ]
    return [step(table, parts.join(';\n'), `the index of words of ${table.name} is new`)]
  })
}

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
  const unset = fresh.filter((finding) => !finding.additive)
  const relaxed = [
    ...columns.filter((finding) => finding.kind === 'may-be-null' && finding.additive),
    ...(table.relaxes ? leftOver : []),
  ]
  const refused = [
    ...columns.filter((finding) => finding.kind !== 'new' && !relaxed.includes(finding)),
    ...(table.relaxes ? [] : leftOver),
    ...keys.filter((key) => !key.additive),
  ]
  if (refused.length > 0 || (relaxed.length > 0 && unset.length > 0)) {
    const whys = [...refused, ...relaxed, ...unset].map(({ why }) => why)
    return [rebuiltByHand(table, withNulls(found, leftOver), columns, whys)]
  }
  const added = keys.filter((key) => key.additive).map((key) => key.why)
  const required = unset.map((finding) => addColumn(table, finding))
  // A foreign key over two columns cannot be added to a table, and NOT NULL cannot be dropped, so the table is rebuilt, with its new columns and indexes.
  if (added.length + relaxed.length > 0) {
    const rebuilt = sqliteRebuild(table, withNulls(found, leftOver), othersOf(table, found))
    return [...required, step(table, rebuilt, [...relaxed.map(({ why }) => why), ...added].join('; '))]
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

/** The expressions for columns of the new table that do not keep their value. */
function fillingOf(columns: readonly ColumnFinding[]): Filling {
  const filling = new Map<string, string>()
  for (const finding of columns) {
    const { name } = finding.column
    const there = filling.get(name) ?? ident(name)
    if (finding.kind === 'type' && !finding.castable) filling.set(name, toFillIn)
    if (finding.kind === 'must-be-set') filling.set(name, insteadOfNull(finding.column, there))
    if (finding.kind === 'new' && !finding.additive) filling.set(name, toFillIn)
  }
  return filling
}

/**
 * One rebuild with everything that an operator must decide about a table. The old table is dropped at the end, so the shell must
 * stop at a failed copy, which it does only with `.bail on`.
 */
function rebuiltByHand(
  table: Table,
  found: SqliteTable,
  columns: readonly ColumnFinding[],
  whys: readonly string[],
): Step {
  const filling = fillingOf(columns)
  const otherType = columns.some((finding) => finding.kind === 'type' && !finding.castable)
  const missing = otherType ? 'what the values become' : 'a value for rows without one'
  const remark = [...filling.values()].some((value) => value.includes(toFillIn))
    ? ` (put ${missing} in place of ${toFillIn})`
    : ''
  const sql = asOneByHand(sqliteRebuild(table, found, othersOf(table, found), filling))
  return { ...step(table, sql, `${whys.join('; ')}${remark}`, false), shell: '.bail on' }
}

/** Makes columns that are no longer declared nullable. */
function withNulls(found: SqliteTable, leftOver: readonly { readonly column: string }[]): SqliteTable {
  const columns = new Map(found.columns)
  for (const { column } of leftOver) {
    const left = columns.get(column)
    if (left) columns.set(column, { ...left, nullable: true })
  }
  return { ...found, columns }
}

const newIndexes = (table: Table, found: SqliteTable): Step[] =>
  sqliteIndexes(table)
    .filter((index) => !found.indexes.has(index.name))
    .map((index) => ({
      ...step(table, sqliteIndex(table.name, index), `index ${index.name} is new`),
      ...uniqueColumns(table, index),
    }))

/** Indexes that an operator created by hand, or that an older declaration wanted, and all triggers, which go with a table that is dropped. */
export const othersOf = (table: Table, found: SqliteTable): string[] => {
  const ours = new Set(table.indexes.map((index) => index.name))
  // After a rename, the text of a trigger still has the former name of the table.
  const triggers = [...found.triggers].filter(([, sql]) => sql.includes(` ON ${ident(table.name)}`))
  return [...[...found.indexSql].filter(([name]) => !ours.has(name)), ...triggers].map(([, sql]) => sql)
}
