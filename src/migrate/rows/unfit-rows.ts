import type { Field, Model, Resource } from '../../compile/model.ts'
import { counted } from '../../compile/names/plural.ts'
import { sameJson } from '../../compile/schemas/canonical.ts'
import type { ColumnShape, StoredShape } from '../record/shape.ts'
import type { Table } from '../wanted/table.ts'
import { wantedTables } from '../wanted/wanted-tables.ts'
import { otherPrefix } from './other-prefix.ts'
import { type Reading, scanColumn, type Unfit } from './scan.ts'
import { sameForm } from './value-of-other-type.ts'

/**
 * Says which stored values the declaration does not allow, where the columns fit: a kind changed that the column does not show, or a
 * schema allows fewer values. Only columns whose schema changed are read.
 */
export async function unfitRows(
  reading: Reading,
  model: Model,
  shape: StoredShape,
): Promise<readonly string[]> {
  const tables = new Map(wantedTables(model).map((table) => [table.name, table]))
  const found: string[] = []
  for (const resource of model.stored.values()) {
    const table = tables.get(resource.table)
    for (const field of resource.fields) {
      const before = shape[resource.table]?.[field.column]
      const why = before && table ? await whyUnfit(reading, resource, table, field, before) : null
      if (why !== null) found.push(why)
    }
  }
  return found
}

async function whyUnfit(
  reading: Reading,
  resource: Resource,
  { primaryKey }: Table,
  field: Field,
  before: ColumnShape,
): Promise<string | null> {
  const { table } = resource
  const { column, kind, schema } = field
  // A migration computes sums, and says where a column becomes one.
  if (field.sum) return null
  if (!sameForm(before.kind, kind))
    return `${table}.${column} holds values of the kind ${before.kind}, and is ${kind} now`
  const isSame = before.kind === kind && before.schema !== null && sameJson(before.schema, schema)
  // References are checked by the database.
  if (isSame || field.relation) return null
  const stored = { table, primaryKey, column, shape: before }
  if (field.name === 'id') return otherPrefix(reading, resource, stored)
  const { unfit } = await scanColumn(reading, stored, field, false)
  return unfit.length === 0 ? null : notAllowed(resource, column, unfit)
}

/** Beyond this many values, the others are only counted. */
const namedMost = 5
const lettersMost = 60

/** The values of these rows, each with the number of its rows. */
export function rowsByValue(unfit: readonly Unfit[]): ReadonlyMap<string, number> {
  const rows = new Map<string, number>()
  for (const { value } of unfit) if (value !== null) rows.set(value, (rows.get(value) ?? 0) + 1)
  return rows
}

export function notAllowed(
  { name }: Resource,
  column: string,
  unfit: readonly Unfit[],
  when: 'now' | 'before' = 'now',
): string {
  const have = when === 'before' ? 'had' : unfit.length === 1 ? 'has' : 'have'
  return `${counted(unfit.length, 'row')} of ${name} ${have} a value that ${name}.${column} does not allow any more${named(rowsByValue(unfit))}`
}

function named(values: ReadonlyMap<string, number>): string {
  const shown = [...values]
    .slice(0, namedMost)
    .map(([value, rows]) => ({ text: value.slice(0, lettersMost), rows }))
  if (shown.length < 2) return shown.map(({ text }) => `, such as ${text}`).join('')
  const more = values.size > namedMost ? [counted(values.size - namedMost, 'other value')] : []
  return ` (${[...shown.map(({ text, rows }) => `${text} in ${counted(rows, 'row')}`), ...more].join(', ')})`
}
