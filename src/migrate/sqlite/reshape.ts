import { ident } from '../../plan/dialect.ts'
import { withNames } from '../plan/present-names.ts'
import type { Move } from '../plan/renames.ts'
import { indexMoves } from '../plan/renames-of-indexes.ts'
import { expressionOf, filledRows, isFilled, mappedValues, meanwhile } from '../plan/row-values.ts'
import { type ColumnPlan, isRewritten, type Reshape } from '../plan/table-change.ts'
import type { After, TableSql } from '../plan/table-sql.ts'
import type { PresentColumn } from '../present.ts'
import type { Table } from '../wanted/table.ts'
import { othersOf } from './add-missing.ts'
import { sqliteRebuild, sqliteType } from './ddl.ts'
import type { SqliteTable } from './read-tables.ts'

/**
 * A table is copied, because SQLite changes neither types nor NOT NULL in place. Nothing is copied where only names changed: then SQLite
 * itself rewrites indexes, triggers and references.
 */
export function reshapeSqlite(reshape: Reshape, found: SqliteTable, sql: TableSql): After {
  const { table, columns, undeclared } = reshape
  const mapped = columns.flatMap((plan) => mappedValues(reshape, plan))
  if (!reshape.revises && !columns.some(isRewritten)) return { statements: mapped, after: found }
  const changed = columns
    .filter(
      (plan) =>
        plan.from === null || isRewritten(plan) || (reshape.revises && plan.column.name === 'version'),
    )
    .map((plan) => [plan.column.name, expressionOf(reshape, plan, sql)] as const)
  const filled = columns.filter(isFilled)
  const kept = undeclared === 'kept' ? undeclaredColumns(table, found) : []
  const wanted = table.columns.flatMap(({ name }) => found.columns.get(name) ?? [])
  const copied = { ...found, columns: new Map([...wanted, ...kept].map((column) => [column.name, column])) }
  const others = undeclared === 'kept' ? othersOf(table, found) : []
  const planned = withPlanned(table, columns)
  const why = columns.flatMap(({ codec }) => codec?.why ?? []).join('; ')
  // Indexes are added afterwards, when it is known whether rows share values that must be unique.
  const rebuilt = sqliteRebuild({ ...planned, indexes: [] }, copied, others, new Map(changed))
  return {
    statements: [
      ...mapped,
      ...filled.flatMap((plan) => [
        {
          sql: `ALTER TABLE ${ident(table.name)} ADD COLUMN ${ident(meanwhile(plan.column.name))} ${sqliteType(plan.column.kind)}`,
        },
        ...filledRows(reshape, plan, sql),
      ]),
      { sql: rebuilt, ...(why !== '' && { why, converts: true }) },
      ...columns.filter((plan) => !isFilled(plan)).flatMap((plan) => filledRows(reshape, plan, sql)),
    ],
    after: {
      ...found,
      columns: new Map(
        [...planned.columns.map(declaredColumn), ...kept].map((column) => [column.name, column]),
      ),
      foreignKeys: new Map(
        planned.foreignKeys.map((key) => [key.columns.join(','), { ...key, name: null, valid: true }]),
      ),
      indexes: new Map(),
      indexSql: new Map(),
      triggers: new Map(),
    } as SqliteTable,
  }
}

/** The table with the columns of the plan: others are added later. */
function withPlanned(table: Table, columns: readonly ColumnPlan[]): Table {
  const planned = columns.map(({ column }) => column)
  const isThere = (name: string): boolean => planned.some((column) => column.name === name)
  return {
    ...table,
    columns: planned,
    foreignKeys: table.foreignKeys.filter((key) => key.columns.every(isThere)),
  }
}

const declaredColumn = ({ name, kind, nullable }: Table['columns'][number]): PresentColumn => ({
  name,
  type: sqliteType(kind).toLowerCase(),
  nullable,
  default: null,
})

/** A new row has nothing in them. */
const undeclaredColumns = (table: Table, found: SqliteTable): readonly PresentColumn[] =>
  [...found.columns.values()]
    .filter(({ name }) => !table.columns.some((column) => column.name === name))
    .map((column) => ({ ...column, nullable: column.nullable || column.default === null }))

export const renamedSqlite = (table: SqliteTable, name: string, columns: readonly Move[]): SqliteTable => ({
  ...withNames(table, name, columns),
  indexSql: new Map(
    [...table.indexSql].map(([index, text]) => [
      index,
      rewritten(text, [...columns, { from: table.name, to: name }]),
    ]),
  ),
})

/** SQLite cannot rename an index: one with a former name is dropped, and added again under its own. */
export function renamedIndexes(reshape: Reshape, found: SqliteTable): After {
  const moves = indexMoves(reshape, found.indexes.keys())
  const stays = ([name]: readonly [string, unknown]): boolean => !moves.some(({ from }) => from === name)
  return {
    statements: moves.map(({ from }) => ({ sql: `DROP INDEX ${ident(from)}` })),
    after: {
      ...found,
      indexes: new Map([...found.indexes].filter(stays)),
      indexSql: new Map([...found.indexSql].filter(stays)),
    } as SqliteTable,
  }
}

/** SQLite rewrites the text of an index when its table or a column is renamed; so does this. The index's own name is before ON. */
function rewritten(sql: string, moves: readonly Move[]): string {
  const names = new Map(moves.map(({ from, to }) => [from, to]))
  return sql.replace(/\bON\b.*$/is, (rest) =>
    rest.replaceAll(/'(?:[^']|'')*'|"([^"]+)"|\b[a-z_][a-z0-9_]*\b/gi, (word: string, quoted?: string) => {
      const after = names.get(quoted ?? word)
      return after === undefined ? word : ident(after)
    }),
  )
}
