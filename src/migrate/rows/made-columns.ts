import type { Field, Model, Resource, View, ViewField } from '../../compile/model.ts'
import { counted } from '../../compile/names/plural.ts'
import { bound } from '../../plan/bind.ts'
import { ident } from '../../plan/dialect.ts'
import { madeUp } from '../../request/customs.ts'
import type { PresentTable } from '../present.ts'
import { type KeyedValue, keyedRows, type Reading } from './scan.ts'

/** New columns of a table whose values the `up` of `custom` changes makes from columns of an older version. */
export interface MadeColumns {
  /** Each with its values, by the primary keys of all rows. */
  readonly columns: ReadonlyMap<Field, readonly KeyedValue[]>
  readonly why: string
  /** The version that has them. Processes whose newest version is older leave them empty. */
  readonly version: string
  /** Where `up` fails for rows, a sentence about them. */
  readonly inTheWay: readonly string[]
}

/** Null where the table lacks no such column, or has none that they could be made from. */
export async function madeColumns(
  reading: Reading,
  { versions, names }: Model,
  resource: Resource,
  found: PresentTable,
): Promise<MadeColumns | null> {
  for (const version of versions) {
    const view = version.viewOf.get(resource.name)
    const made = view?.fields.filter((field) => field.made !== null) ?? []
    if (!view || !version.successor || made.length === 0) continue
    const known = names.versions[version.name]?.[view.name]?.fields
    const columns = made.map((field) => ({ field, column: known?.[field.name]?.column ?? field.name }))
    if (!columns.every(({ column }) => found.columns.has(column))) continue
    const all = view.customs.flatMap(({ newer }) => newer.flatMap(({ field }) => field ?? []))
    const lacking = all.filter(({ column }) => !found.columns.has(column))
    if (lacking.length === 0) return null
    const from = columns.map(({ column }) => column).join(', ')
    const why = `${lacking.map(({ name }) => name).join(', ')} of ${found.name} in ${version.successor.name} ${lacking.length === 1 ? 'is' : 'are'} made from ${from} of ${version.name} by custom`
    return {
      why,
      version: version.successor.name,
      ...(await valuesOf(reading, view, columns, lacking, found)),
    }
  }
  return null
}

interface OlderColumn {
  readonly field: ViewField
  readonly column: string
}

async function valuesOf(
  reading: Reading,
  view: View,
  older: readonly OlderColumn[],
  lacking: readonly Field[],
  found: PresentTable,
): Promise<Pick<MadeColumns, 'columns' | 'inTheWay'>> {
  const columns = new Map(lacking.map((field) => [field, [] as KeyedValue[]]))
  const failed: string[] = []
  const key = view.resource.shared ? ['id'] : ['account_id', 'id']
  const values = older.map(({ field, column }) =>
    reading.dialect.json(ident(column), field.kind, true, field.schema),
  )
  for await (const row of keyedRows(reading, { table: found.name, primaryKey: key }, values)) {
    const [own, shown] = [row.slice(0, key.length), row.slice(key.length)]
    const sent = new Map(older.map(({ field }, at) => [field, JSON.parse(String(shown[at]))]))
    const made = upOf(view, sent)
    if (made === null) failed.push(String(own.at(-1)))
    else for (const [field, all] of columns) all.push({ key: own, value: bound(field, made[field.name]) })
  }
  const names = older.map(({ column }) => column).join(' and ')
  const sentence = `${found.name}: "up" of custom throws, or returns what the declaration does not allow, for ${names} of ${counted(failed.length, 'row')}, such as the one with the id ${failed[0]}.`
  return { columns, inTheWay: failed.length === 0 ? [] : [sentence] }
}

function upOf(view: View, sent: ReadonlyMap<ViewField, unknown>): ReturnType<typeof madeUp> | null {
  try {
    return madeUp(view, null, sent, () => false)
  } catch {
    return null
  }
}
