import type { Grants } from '../call/grants.ts'
import { shownTo } from '../call/shown-fields.ts'
import type { TotalsView, View, ViewField } from '../compile/model.ts'
import { countMember } from '../compile/versions/totals-view.ts'
import { kinds } from '../kinds/kinds.ts'
import { columnIn } from './absent-values.ts'
import { stored } from './compared-values.ts'
import { type Dialect, ident } from './dialect.ts'
import { type ListGiven, type ListParts, listParts } from './list-parts.ts'
import { projectFields, rowSeparator } from './project.ts'
import type { QueryShape } from './query-shape.ts'
import { afterSql, foundRows, orderSql, positionSql, readStatement, storedKey } from './select.ts'
import { Binds, type Statement } from './statement.ts'
import { replaced, shownFor } from './stored-values.ts'
import { ValueParts } from './value-parts.ts'

// Names that no table, column or field can have.
const rowsName = '"+rows"'
const groupsName = '"+groups"'
const beyondName = (sum: string): string => ident(`+${sum}`)

/** The sums that a caller is shown. */
export const shownSums = (view: View, grants: Grants): readonly ViewField[] =>
  shownTo(view, grants).fields.filter(({ name }) => view.totals?.sums.has(name))

/**
 * One page of groups, made from at most one row more than may be counted: `[groups joined, their positions joined, rows that were read, groups]`, then
 * for each sum 1 where it is beyond what its form can hold in some group.
 */
export function selectTotals(
  view: View,
  shape: QueryShape,
  position: readonly boolean[] | null,
  grants: Grants,
  dialect: Dialect,
): Statement<ListGiven> {
  const values = new ValueParts<ListGiven>()
  const parts = listParts(view, shape, position, values)
  const { by, sort } = parts
  const totals = view.totals as TotalsView
  const binds = new Binds(dialect, grants)
  const sums = shownSums(view, grants)
  const rows = rowsSql(parts, totals, sums, binds)
  const keys = sort.map((key) => storedKey(key, 'g.', binds))
  const after = parts.after ? ` WHERE ${afterSql(keys, parts.after, binds)}` : ''
  const order = keys.length === 0 ? '' : ` ORDER BY ${orderSql(keys, dialect)}`
  const shown = [...by, view.field.get(countMember) as ViewField, ...sums]
  const group = projectFields(shown, 'g.', binds)
  const select = `SELECT ${group} AS j, ${positionSql(keys, dialect)} AS k FROM ${groupsName} g${after}${order}`
  const page = dialect.firstRows(select, binds.use('limit', 'integer'), parts.pageSize)
  const columns = [
    dialect.join('p.j', rowSeparator),
    dialect.join('p.k', '\n'),
    `(SELECT coalesce(sum(${ident(countMember)}), 0) FROM ${groupsName})`,
    `(SELECT count(*) FROM ${groupsName})`,
    ...sums.map(({ name }) => `(SELECT max(${beyondName(name)}) FROM ${groupsName})`),
  ]
  const text = `WITH ${rowsName} AS (${rows}), ${groupsName} AS MATERIALIZED (${groupsSql(by, sums, dialect)}) SELECT ${columns.join(', ')} FROM (${page}) p`
  return readStatement(text, binds, values, { view, tree: [], grants }, null)
}

/** What is counted of each row, in the names and values of the version. */
function rowsSql(
  parts: ListParts,
  { of, by, sums }: TotalsView,
  summed: readonly ViewField[],
  binds: Binds,
): string {
  const alias = binds.alias()
  const groups = parts.by.map(({ name }) => {
    const field = by.get(name) as ViewField
    const { sql: source } = columnIn(field, stored(field), alias, binds)
    const value = field.codec
      ? binds.dialect.coarse(source, field.codec)
      : replaced(source, shownFor(field, stored(field)))
    return `${value} AS ${ident(name)}`
  })
  const added = summed.map(({ name }) => {
    const field = sums.get(name) as ViewField
    return `${columnIn(field, stored(field), alias, binds).sql} AS ${ident(name)}`
  })
  const { from, where } = foundRows({ ...parts, view: of() }, alias, binds)
  const columns = [...groups, ...added]
  return `SELECT ${columns.length > 0 ? columns.join(', ') : '1 AS "+"'} FROM ${from} WHERE ${where.join(' AND ')} LIMIT ${parts.view.limits.totalRows + 1}`
}

/** Without a field to group by, all rows are one group, also where there are none. */
function groupsSql(by: readonly ViewField[], sums: readonly ViewField[], dialect: Dialect): string {
  const names = by.map(({ name }) => ident(name))
  const added = sums.flatMap((field) => {
    const { kind } = stored(field)
    const summing = kinds[kind].sum
    if (!summing) throw new Error(`${field.name} has no sums`)
    const beyond = dialect.sumIsBeyond([{ name: field.name, kind }], dialect.constant(summing.largest, kind))
    const sum = `coalesce(${dialect.exactSum(ident(field.name))}, 0)`
    // A sum of integers of 64 bits may be of a wider type, whose divisions have decimals.
    const exact = summing.isCount ? `CAST(${sum} AS bigint)` : sum
    return [
      `CASE WHEN ${beyond} THEN NULL ELSE ${exact} END AS ${ident(field.name)}`,
      `CASE WHEN ${beyond} THEN 1 ELSE 0 END AS ${beyondName(field.name)}`,
    ]
  })
  const columns = [...names, `count(*) AS ${ident(countMember)}`, ...added].join(', ')
  return `SELECT ${columns} FROM ${rowsName}${names.length > 0 ? ` GROUP BY ${names.join(', ')}` : ''}`
}
