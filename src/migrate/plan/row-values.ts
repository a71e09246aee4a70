import { sqlText } from '../../kinds/sql.ts'
import { statement } from '../../plan/bound-statement.ts'
import { ident } from '../../plan/dialect.ts'
import type { KeyedValue } from '../rows/scan.ts'
import { converted } from './changes-of-type.ts'
import type { ColumnPlan, Reshape } from './table-change.ts'
import type { TableSql, TableStatement } from './table-sql.ts'

const batchRows = 500

/** The name of a column while rows get their values in it. */
export const meanwhile = (column: string): string => `nounkit_new_${column}`.slice(0, 63)

/** Whether the values are put into another column, because their type may be another one. */
export const isFilled = ({ values }: ColumnPlan): boolean => values === 'recast'

/** What a column is to have in a row of its table, as an expression. */
export function expressionOf({ table, revises }: Reshape, plan: ColumnPlan, sql: TableSql): string {
  const { column, from, otherwise } = plan
  const own = `${ident(table.name)}.${ident(column.name)}`
  const literal = sql.literal(otherwise ?? null, column.kind)
  if (revises && column.name === 'version') return `${own} + 1`
  if (plan.codec !== null) return converted(sql.conversions, plan.codec.name, own)
  if (from === null && !isFilled(plan)) return literal
  const value = isFilled(plan) ? `${ident(table.name)}.${ident(meanwhile(column.name))}` : own
  // A row of an optional field that had nothing lacks nothing.
  return otherwise === undefined || column.nullable ? value : `coalesce(${value}, ${literal})`
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

/**
 * Gives rows the values that are their own: all of them in the column beside their own, or those that lose theirs where they are. A table that is
 * `spread` gets them by statements for one account each, which Citus sends to its shard.
 */
export function filledRows(
  { table: { name, primaryKey } }: Reshape,
  plan: ColumnPlan,
  { dialect, columnType, literal }: TableSql,
  spread = false,
): readonly TableStatement[] {
  const { column, scanned, instead, otherwise } = plan
  const replaced = (scanned?.unfit ?? []).map(
    ({ key, value }): KeyedValue => ({ key, value: value === null ? null : (instead.get(value) ?? null) }),
  )
  const all = isFilled(plan) ? [...(scanned?.fitting ?? []), ...replaced] : replaced
  const accountOf = ({ key }: KeyedValue): string => JSON.stringify(key.slice(0, -1))
  const groups = spread ? [...Map.groupBy(all, accountOf).values()] : [all]
  const own = (part: string) => `${ident(name)}.${ident(part)}`
  const target = ident(isFilled(plan) ? meanwhile(column.name) : column.name)
  const given = `v.column${primaryKey.length + 1}`
  const value = otherwise === undefined ? given : `coalesce(${given}, ${literal(otherwise, column.kind)})`
  const update = (batch: readonly KeyedValue[]): TableStatement => {
    const { text, values } = statement(dialect, (bind) => {
      const rows = batch.map(({ key, value }) => {
        const keys = key.map((part) => bind('id', part))
        return `(${[...keys, `CAST(${bind(column.kind, value)} AS ${columnType(column.kind)})`].join(', ')})`
      })
      const account = (spread ? primaryKey.slice(0, -1) : []).map(
        (part, at) => `${own(part)} = ${bind('id', batch[0]?.key[at] ?? null)}`,
      )
      const same = primaryKey.map((part, at) => `${own(part)} = v.column${at + 1}`)
      return `UPDATE ${ident(name)} SET ${target} = ${value} FROM (VALUES ${rows.join(', ')}) AS v WHERE ${[...account, ...same].join(' AND ')}`
    })
    return { sql: text, params: values }
  }
  return groups.flatMap((rows) => batchesOf(rows).map(update))
}

const batchesOf = <T>(rows: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(rows.length / batchRows) }, (_, at) =>
    rows.slice(at * batchRows, (at + 1) * batchRows),
  )
