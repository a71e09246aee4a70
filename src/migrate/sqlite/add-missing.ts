import { ident } from '../../plan/dialect.ts'
import type { Step } from '../migration-step.ts'
import { type ColumnFinding, columnFindings, foreignKeyFindings, leftOverColumns } from '../plan/findings.ts'
import { type Table, uniqueColumns } from '../wanted/table.ts'
import {
  type Filling,
  insteadOfNull,
  sqliteColumn,
  sqliteIndex,
  sqliteIndexes,
  sqliteRebuild,
  sqliteTable,
  sqliteType,
} from './ddl.ts'
import { forgetWords, sqliteSearch } from './index-of-words.ts'
import type { SqliteTable } from './read-tables.ts'

export function sqliteAdditions(
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
    const { tables, terms, triggers } = sqliteSearch(table, search)
    const isThere = present.has(search.index)
    const missing = triggers.filter(({ name }) => !isThere || !found?.triggers.has(name))
    // An index that an older release made is without them.
    const lacksTerms = !present.has(search.terms)
    if (missing.length === 0)
      return lacksTerms ? [step(table, terms, `the list of the words of ${table.name} is new`)] : []
    // Without its index, words that rows have are in no index. A trigger of the same name may be that of a table that was dropped.
    const parts = [
      ...(isThere ? [] : tables),
      ...(lacksTerms ? [terms] : []),
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
  const impossible = columns.filter(({ kind }) => kind === 'impossible')
  if (impossible.length > 0) return impossible.map(({ why }) => step(table, '', why, false))
  const fresh = columns.filter(({ kind }) => kind === 'new')
  const others = columns.filter((finding) => !fresh.includes(finding))
  const left = leftOver.map(({ why }) => ({ why, additive: table.relaxes === true }))
  const copying = [...others, ...left, ...keys]
  // A foreign key over two columns cannot be added to a table, and NOT NULL cannot be dropped, so the table is rebuilt, with its new columns and indexes.
  if (copying.length > 0) {
    const rebuilt = sqliteRebuild(
      table,
      withNulls(found, leftOver),
      othersOf(table, found),
      fillingOf(columns),
    )
    const why = copying.map((finding) => finding.why).join('; ')
    if (copying.every((finding) => 'additive' in finding && finding.additive))
      return [step(table, rebuilt, why)]
    return [{ ...step(table, rebuilt, why, false), stops: true }]
  }
  return [...fresh.map((finding) => addColumn(table, finding)), ...newIndexes(table, found)]
}

const addColumn = (table: Table, { column, why }: ColumnFinding): Step =>
  step(table, `ALTER TABLE ${ident(table.name)} ADD COLUMN ${sqliteColumn(column)}`, why)

/** The expressions for columns of the new table that do not keep their value. */
const fillingOf = (columns: readonly ColumnFinding[]): Filling =>
  new Map(
    columns
      .filter(({ kind }) => kind === 'must-be-set')
      .map(({ column }) => [column.name, insteadOfNull(column)]),
  )

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
