import type { Model, Resource, SumFeed } from '../../compile/model.ts'
import { kinds } from '../../kinds/kinds.ts'
import { column as columnSql } from '../../plan/absent-values.ts'
import { type Dialect, ident } from '../../plan/dialect.ts'
import {
  forgetAllMeta,
  forgetMeta,
  metaFacts,
  metaTable,
  selectMetaValues,
  upsertMeta,
} from '../../store/meta.ts'
import type { Session } from '../../store/store.ts'
import type { Step } from '../migration-step.ts'
import type { PresentTable } from '../present.ts'
import { readShape, type StoredShape } from '../record/shape.ts'
import type { SumLimit } from './sum-limit.ts'

/** A column whose values are computed from rows of another table. */
export interface Sum {
  /** The resource and its field, as declared. */
  readonly resource: string
  readonly field: string
  readonly table: string
  readonly column: string
  readonly limit: SumLimit
  /** Computes the sum of every row, and writes those that differ. */
  readonly update: string
  /** Selects the rows that differ: `[account, or null for a shared row, id, stored, counted]` each, the sums as JSON. */
  readonly wrong: string
  /** What it adds up, as the store records it. */
  readonly definition: string
}

const prefix = metaFacts.sum.key
const keyOf = ({ table, column }: Pick<Sum, 'table' | 'column'>): string => `${prefix}${table}.${column}`

const record = (sum: Sum): string => upsertMeta(keyOf(sum), sum.definition)

export const sumsOf = ({ stored }: Model, dialect: Dialect): readonly Sum[] =>
  [...stored.values()].flatMap((source) => source.feeds.map((feed) => sumOf(source, feed, dialect)))

function sumOf(source: Resource, feed: SumFeed, dialect: Dialect): Sum {
  const { field, on, by, of } = feed
  const columnOf = (name: string): string => source.field.get(name)?.column ?? name
  const factors = of.map(columnOf)
  const reference = columnOf(by.field)
  const definition = JSON.stringify({ of: factors, from: source.table, by: reference, kind: field.kind })
  const column = ident(field.column)
  const table = ident(on.table)
  const key = on.shared ? ['"id"'] : ['"account_id"', '"id"']
  const owner = on.shared ? '' : 's."account_id", '
  const account = on.shared ? '' : ` AND g."account_id" = o."account_id"`
  const product = of
    .flatMap((name) => source.field.get(name) ?? [])
    .map((factor) => columnSql(factor, 's.', dialect))
    .join(' * ')
  // The source is read once and grouped, before it is joined: without statistics, SQLite would read all rows of the account for each owner.
  // Rows without an owner are left out, because what nobody adds up may overflow.
  const groups = `SELECT ${owner}s.${ident(reference)} AS "owner_id", ${dialect.exactSum(product)} AS "total" FROM ${ident(source.table)} AS s WHERE s.${ident(reference)} IS NOT NULL GROUP BY ${owner}s.${ident(reference)}`
  const totals = `SELECT ${key.map((part) => `o.${part}`).join(', ')}, o.${column} AS "stored", coalesce(g."total", 0) AS "total" FROM ${table} AS o LEFT JOIN (${groups}) AS g ON g."owner_id" = o."id"${account}`
  const json = (sum: string) => dialect.asText(dialect.json(sum, field.kind, true, field.schema))
  const wrong = `SELECT ${on.shared ? 'NULL' : 't."account_id"'}, t."id", ${json(`t."stored"`)}, ${json(`t."total"`)} FROM (${totals}) AS t WHERE ${dialect.distinct('t."stored"', 't."total"')} ORDER BY ${key.map((part) => `t.${part}`).join(', ')}`
  const same = key.map((part) => `${table}.${part} = t.${part}`).join(' AND ')
  const update = `UPDATE ${table} SET ${column} = t."total", "version" = ${table}."version" + 1 FROM (${totals}) AS t WHERE ${same} AND ${dialect.distinct(`${table}.${column}`, 't."total"')}`
  const limit = limitOf(source, feed, dialect)
  return {
    resource: on.name,
    field: field.name,
    table: on.table,
    column: field.column,
    limit,
    update,
    wrong,
    definition,
  }
}

function limitOf(source: Resource, { field, on, by, of }: SumFeed, dialect: Dialect): SumLimit {
  const factors = of.flatMap((name) => source.field.get(name) ?? [])
  const columns = factors.map(({ column, kind }) => ({ name: column, kind }))
  const largest = kinds[field.kind].sum?.largest
  const isBeyond = dialect.sumIsBeyond(columns, dialect.constant(largest, field.kind))
  const reference = source.field.get(by.field)?.column ?? by.field
  const owner = ident(reference)
  const group = on.shared ? owner : `"account_id", ${owner}`
  const owners = `SELECT ${owner} AS "owner_id" FROM ${ident(source.table)} WHERE ${owner} IS NOT NULL GROUP BY ${group} HAVING ${isBeyond}`
  return {
    why: `${on.table}.${field.column} is the sum of ${of.join(' * ')} of ${source.name}`,
    on: on.name,
    source: source.name,
    table: source.table,
    columns: [reference, ...factors.map(({ column }) => column)],
    largest: String(largest),
    beyond: `SELECT count(*), min("owner_id") FROM (${owners}) AS o`,
  }
}

/**
 * The steps that compute sums whose definition differs from the recorded one, or all sums where `all`. They come after all other steps, because
 * a sum may add up a new column. Each step records the definition in its own transaction, so that a migration that was interrupted computes
 * only the sums that are left.
 */
export async function sumSteps(
  session: Pick<Session, 'all'>,
  sums: readonly Sum[],
  present: ReadonlyMap<string, PresentTable>,
  { locks, all }: { readonly locks: boolean; readonly all: boolean },
): Promise<readonly Step[]> {
  const isThere = present.has(metaTable)
  const records = isThere ? await recordedSums(session) : []
  if (all) {
    const forgotten = records.length > 0 ? [forgetSums] : []
    return [...forgotten, ...sums.map((sum) => computing(sum, locks, 'other', ' now'))]
  }
  const recorded = new Map(records)
  const shape = isThere ? await readShape(session) : null
  const steps: Step[] = []
  for (const sum of sums) {
    const before = recorded.get(keyOf(sum))
    if (before === sum.definition) continue
    const found = present.get(sum.table)
    if (!found) steps.push(ofNewTable(sum))
    else if (!found.columns.has(sum.column)) steps.push(computing(sum, locks, 'new', ''))
    else if (before !== undefined) steps.push(computing(sum, locks, 'other', ' now'))
    else if (await hasOwnValues(session, sum, shape))
      steps.push({ ...computing(sum, locks, 'other', ' now, and has other values'), additive: false })
    else steps.push(computing(sum, locks, 'new', ''))
  }
  const declared = new Set(sums.map(keyOf))
  for (const key of recorded.keys()) if (!declared.has(key)) steps.push(noSum(key))
  return steps
}

/** Sums of tables that are there, as `table.column`, which the store does not keep by their definition of today. */
export async function sumsNotKept(
  session: Pick<Session, 'all'>,
  sums: readonly Sum[],
  present: ReadonlyMap<string, PresentTable>,
): Promise<readonly string[]> {
  if (sums.length === 0) return []
  const recorded = new Map(await recordedSums(session))
  return sums
    .filter((sum) => present.has(sum.table) && recorded.get(keyOf(sum)) !== sum.definition)
    .map(({ table, column }) => `${table}.${column}`)
}

async function recordedSums(
  session: Pick<Session, 'all'>,
): Promise<readonly (readonly [key: string, definition: string])[]> {
  const rows = await session.all(selectMetaValues(metaFacts.sum))
  return rows.map(([key, value]) => [String(key), String(value)])
}

/** There are no rows to compute it for. */
const ofNewTable = (sum: Sum): Step => ({
  table: sum.table,
  sql: record(sum),
  additive: true,
  why: sum.limit.why,
  ofNewTable: true,
  sum: 'new',
})

function computing(sum: Sum, locks: boolean, change: NonNullable<Step['sum']>, remark: string): Step {
  const { table, limit, update } = sum
  const sql = `${update};\n${record(sum)}`
  const why = limit.why + remark
  // Others may not write rows of the source meanwhile, which the sum would miss.
  const lock = locks ? { lock: `LOCK TABLE ${ident(limit.table)} IN SHARE MODE` } : {}
  return { table, ...lock, limit, sql, additive: true, why, alone: true, sum: change }
}

/** Whether some row has a value that is known to be no sum. */
async function hasOwnValues(
  session: Pick<Session, 'all'>,
  { table, column }: Sum,
  shape: StoredShape | null,
): Promise<boolean> {
  if (shape?.[table]?.[column]?.sum !== false) return false
  const any = `SELECT 1 FROM ${ident(table)} WHERE ${ident(column)} IS NOT NULL LIMIT 1`
  return (await session.all(any)).length > 0
}

/** Rows have other values, or other names: what was added up says nothing of them. */
const forgetSums: Step = {
  table: metaTable,
  sql: forgetAllMeta(metaFacts.sum),
  additive: true,
  why: 'sums are computed from what the rows have now',
}

const noSum = (key: string): Step => ({
  table: key.slice(prefix.length).replace(/\..*$/, ''),
  sql: forgetMeta(key),
  additive: true,
  why: `${key.slice(prefix.length)} is no sum any more`,
  alone: true,
})
