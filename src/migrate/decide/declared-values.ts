import { counted } from '../../compile/names/plural.ts'
import type { ValuesNow } from '../../declare/field.ts'
import { statement } from '../../plan/bound-statement.ts'
import { ident, idents } from '../../plan/dialect.ts'
import { type Planning, storedShape } from '../plan/planning.ts'
import { nameOf, type Wanting } from '../plan/replacement.ts'
import type { Scanned, Unfit } from '../rows/scan.ts'

type StoredFields = { readonly [field: string]: unknown }

/**
 * What the declaration gives a row in place of a value that is gone; undefined where it says nothing. It may be no value of the field. A
 * function that throws gives its message, which is none either.
 */
export function declaredValue(became: ValuesNow | undefined, gone: unknown, row: StoredFields): unknown {
  if (became === undefined || typeof gone !== 'string' || !Object.hasOwn(became, gone)) return undefined
  const now = became[gone]
  if (typeof now !== 'function') return now
  try {
    return now(row)
  } catch (error) {
    return `an error: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Gives the rows whose value is gone those that `became(…)` of the declaration says. What it says is no loss. */
export async function withDeclaredValues(
  planning: Planning,
  wanting: Wanting,
  from: string,
  scanned: Scanned | null,
): Promise<Scanned | null> {
  const became = planning.former.values.get(`${wanting.table.name}.${wanting.column.name}`)
  if (!scanned || scanned.unfit.length === 0 || became === undefined) return scanned
  const rows = await rowsWith(planning, wanting, from, Object.keys(became))
  const listed = (wanting.field?.schema.enum ?? []).map(String)
  const counts = new Map<string, number>()
  const unfit = scanned.unfit.map((one): Unfit => {
    const row = rows.get(JSON.stringify(one.key))
    if (!row) return one
    const now = declaredValue(became, row[from], row)
    if (typeof now !== 'string' || !listed.includes(now)) {
      planning.refusals.push(
        `${nameOf(wanting)}: became(…) gives ${JSON.stringify(now) ?? 'nothing'} for the row ${row.id} with ${JSON.stringify(row[from])}. Its values are ${listed.join(', ')}.`,
      )
      return one
    }
    const change = `${JSON.stringify(row[from])} became ${JSON.stringify(now)}`
    counts.set(change, (counts.get(change) ?? 0) + 1)
    return { ...one, instead: now }
  })
  for (const [change, count] of counts)
    planning.notes.push(`${nameOf(wanting)}: ${change} in ${counted(count, 'row')}`)
  return { ...scanned, unfit }
}

/** Whole rows that have one of the values, by their keys: with the names and values that they have in the store. */
async function rowsWith(
  planning: Planning,
  { table, found }: Wanting,
  from: string,
  gone: readonly string[],
): Promise<ReadonlyMap<string, StoredFields>> {
  const { session, dialect } = planning
  const columns = [...found.columns.keys()].flatMap((name) => {
    const shape = storedShape(planning, found, name)
    return shape && !table.primaryKey.includes(name) ? [{ name, shape }] : []
  })
  const json = columns.map(({ name, shape }) =>
    dialect.json(ident(name), shape.kind, false, shape.schema ?? {}),
  )
  const { text, values } = statement(
    dialect,
    (bind) =>
      `SELECT ${[idents(table.primaryKey), ...json].join(', ')} FROM ${ident(found.name)} WHERE ${ident(from)} IN (${gone.map((value) => bind('string', value)).join(', ')})`,
  )
  const all = await session.all(text, values)
  return new Map(
    all.map((row) => {
      const key = row.slice(0, table.primaryKey.length)
      const shown = row.slice(table.primaryKey.length).map((json) => JSON.parse(String(json ?? 'null')))
      const fields = Object.fromEntries(columns.map(({ name }, at) => [name, shown[at]]))
      const id = key[table.primaryKey.indexOf('id')]
      return [JSON.stringify(key), { id, ...fields }]
    }),
  )
}
