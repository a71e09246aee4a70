import { sqlText } from '../../kinds/sql.ts'
import { statement } from '../../plan/bound-statement.ts'
import { ident, idents } from '../../plan/dialect.ts'
import type { Value } from '../../store/store.ts'
import type { KeyedValue } from '../rows/scan.ts'
import type { Table } from '../wanted/table.ts'
import { converted } from './changes-of-type.ts'
import type { ColumnPlan, Reshape } from './table-change.ts'
import type { TableSql, TableStatement } from './table-sql.ts'

/** What a column is to have in a row of its table, as an expression; and what must be there for it meanwhile. */
export interface RowValue {
  readonly column: string
  readonly expression: string
  readonly before: readonly TableStatement[]
  readonly after: readonly TableStatement[]
}

const batchRows = 500

/** The values of a column under its new name, where they are others than before. */
export function rowValue(reshape: Reshape, plan: ColumnPlan, sql: TableSql): RowValue {
  const { table } = reshape
  const { column } = plan
  const needsTable = plan.values === 'recast' || (plan.from !== null && (plan.scanned?.unfit.length ?? 0) > 0)
  const temporary = needsTable ? `nounkit_values_${table.columns.indexOf(column)}` : null
  return {
    column: column.name,
    expression: expressionOf(reshape, plan, temporary, sql),
    before: temporary === null ? [] : storedValues(reshape, plan, temporary, sql),
    after: temporary === null ? [] : [{ sql: `DROP TABLE ${ident(temporary)}` }],
  }
}

function expressionOf(
  { table, revises }: Reshape,
  plan: ColumnPlan,
  temporary: string | null,
  sql: TableSql,
): string {
  const { column, from, values, otherwise } = plan
  const literal = sql.literal(otherwise ?? null, column.kind)
  if (from === null && temporary === null) return literal
  const own = `${ident(table.name)}.${ident(column.name)}`
  if (revises && column.name === 'version') return `${own} + 1`
  if (plan.codec !== null) return converted(sql.conversions, plan.codec.name, own)
  const found = temporary === null ? null : valueFrom(table.name, temporary, table.primaryKey)
  const value =
    found === null
      ? own
      : values === 'recast'
        ? `(SELECT v."value" ${found})`
        : `CASE WHEN EXISTS (SELECT 1 ${found}) THEN (SELECT v."value" ${found}) ELSE ${own} END`
  if (otherwise === undefined) return value
  const filled = `coalesce(${value}, ${literal})`
  // A row of an optional field that had nothing lacks nothing.
  return column.nullable ? `CASE WHEN ${own} IS NULL THEN NULL ELSE ${filled} END` : filled
}

/** Gives rows other values of a column for those that it has, such as one for two that are joined. */
export function mappedValues({ table }: Reshape, { column, mapped }: ColumnPlan): readonly TableStatement[] {
  if (mapped.size === 0) return []
  const name = ident(column.name)
  const cases = [...mapped].map(([old, now]) => `WHEN ${sqlText(old)} THEN ${sqlText(now)}`)
  const listed = [...mapped.keys()].map(sqlText).join(', ')
  const pairs = [...mapped].map(([old, now]) => `${old} is ${now} now`)
  return [
    {
      sql: `UPDATE ${ident(table.name)} SET ${name} = CASE ${name} ${cases.join(' ')} END WHERE ${name} IN (${listed})`,
      why: `${pairs.join(', ')} in ${table.name}.${column.name}`,
    },
  ]
}

const valueFrom = (table: string, temporary: string, primaryKey: readonly string[]): string =>
  `FROM ${ident(temporary)} AS v WHERE ${primaryKey.map((name) => `v.${ident(name)} = ${ident(table)}.${ident(name)}`).join(' AND ')}`

/** A temporary table with the new values of a column, for all rows or for those that lose theirs. */
function storedValues(
  { table }: Reshape,
  { column, values, scanned, instead }: ColumnPlan,
  name: string,
  { dialect, keyType, columnType }: TableSql,
): readonly TableStatement[] {
  const keys = table.primaryKey
  const parts = keys.map((key) => `${ident(key)} ${keyType}`)
  const create = `CREATE TEMPORARY TABLE ${ident(name)} (${parts.join(', ')}, "value" ${columnType(column.kind)}, PRIMARY KEY (${idents(keys)}))`
  const replaced = (scanned?.unfit ?? []).map(({ key, value, instead: declared }): Value[] => [
    ...key,
    declared ?? (value === null ? null : instead.get(value)) ?? null,
  ])
  const recast = values === 'recast' ? (scanned?.fitting ?? []) : []
  const rows = [...recast.map(({ key, value }): Value[] => [...key, value]), ...replaced]
  const kindsOf = [...keys.map(() => 'id' as const), column.kind]
  const inserts = batchesOf(rows).map((batch): TableStatement => {
    const { text, values } = statement(dialect, (bind) => {
      const cells = (row: readonly Value[]) => kindsOf.map((kind, at) => bind(kind, row[at] ?? null))
      const tuples = batch.map((row) => `(${cells(row).join(', ')})`)
      return `INSERT INTO ${ident(name)} (${idents([...keys, 'value'])}) VALUES ${tuples.join(', ')}`
    })
    return { sql: text, params: values }
  })
  return [{ sql: create }, ...inserts]
}

/** Gives rows their values of a column by statements for one account each, which Citus sends to its shard. */
export function valuesByAccount(
  { name, primaryKey }: Table,
  { column, scanned }: ColumnPlan,
  target: string,
  { dialect, columnType }: Pick<TableSql, 'dialect' | 'columnType'>,
): readonly TableStatement[] {
  const accountKey = primaryKey.slice(0, -1)
  const ofAccounts = Map.groupBy(scanned?.fitting ?? [], ({ key }) => JSON.stringify(key.slice(0, -1)))
  const own = (part: string) => `${ident(name)}.${ident(part)}`
  const update = (batch: readonly KeyedValue[]): TableStatement => {
    const { text, values } = statement(dialect, (bind) => {
      const rows = batch.map(
        ({ key, value }) =>
          `(${bind('id', key.at(-1) ?? null)}, CAST(${bind(column.kind, value)} AS ${columnType(column.kind)}))`,
      )
      const account = accountKey.map(
        (part, at) => `${own(part)} = ${bind('id', batch[0]?.key[at] ?? null)} AND `,
      )
      return `UPDATE ${ident(name)} SET ${ident(target)} = v."value" FROM (VALUES ${rows.join(', ')}) AS v ("id", "value") WHERE ${account.join('')}${own('id')} = v."id"`
    })
    return { sql: text, params: values }
  }
  return [...ofAccounts.values()].flatMap((rows) => batchesOf(rows).map(update))
}

const batchesOf = <T>(rows: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(rows.length / batchRows) }, (_, at) =>
    rows.slice(at * batchRows, (at + 1) * batchRows),
  )
