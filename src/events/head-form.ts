import type { StoredRow, StoredValue } from '../call/stored-row.ts'
import type { Field, Model, Resource, Version, View, ViewField } from '../compile/model.ts'
import type { Renaming } from '../compile/stored-names.ts'
import { toStored } from '../compile/versions/codecs.ts'
import { withAdditions } from '../compile/versions/versions.ts'
import { eventName, readWrittenVersion } from '../plan/event-form.ts'
import { madeUp } from '../request/customs.ts'
import type { StoredChange } from './event-row.ts'

/** A row of an event as the declaration knows it today. */
export interface HeadForm {
  readonly resource: Resource
  readonly row: StoredRow
  /** The row before an update. */
  readonly former: StoredRow | null
}

/** An event or an audit entry may be older than the head. Null where today's API has no such resource. */
export function headForm(model: Model, { version, resource, data, before }: StoredChange): HeadForm | null {
  const written = readWrittenVersion(version)
  const source = sourceOf(model, written, resource)
  if (!source) return null
  const former = before && { ...data, ...before }
  return {
    resource: source.resource,
    row: source.upgraded(data),
    former: former && source.upgraded(former),
  }
}

/** How events of one resource that were written alike are read. */
interface Source {
  readonly resource: Resource
  upgraded(row: StoredRow): StoredRow
}

type Written = ReturnType<typeof readWrittenVersion>

const sources = new WeakMap<Model, Map<string, Source | null>>()

function sourceOf(model: Model, written: Written, resource: string): Source | null {
  const known = sources.get(model) ?? new Map<string, Source | null>()
  sources.set(model, known)
  const key = `${written.version} ${written.moves} ${resource}`
  const found = known.get(key)
  if (found !== undefined) return found
  const source = storedSource(model, written.version, model.names.moves.slice(written.moves), resource)
  known.set(key, source)
  return source
}

const viewOfHead = ({ head }: Model, { name }: Resource): View | undefined => head.viewOf.get(name)

/** Events have the names of the store, which were tidied up by `moves` since. */
function storedSource(
  model: Model,
  version: string,
  moves: readonly Renaming[],
  name: string,
): Source | null {
  const all = [...model.stored.values()]
  const resource = all.find(({ table }) =>
    formerTables(table, moves).some((then) => eventName(then) === name),
  )
  const head = resource && viewOfHead(model, resource)
  if (!resource || !head) return null
  const then = writtenAs(model, version)
  const view = (then && [...then.values()].find((one) => one.resource === resource)) ?? head
  const named = then ? (model.names.versions[version]?.[view.name]?.fields ?? {}) : {}
  const tables = formerTables(resource.table, moves)
  return {
    resource,
    upgraded(row) {
      let columns: StoredRow = row
      moves.forEach((move, at) => {
        columns = renamedColumns(columns, tables[tables.length - 1 - at] ?? '', move)
      })
      return fromColumns(view, columns, (made) => named[made.name]?.column ?? made.name)
    },
  }
}

/** The names that a table had, the present one first, then the name before each time that names were tidied up. */
function formerTables(table: string, moves: readonly Renaming[]): readonly string[] {
  const names = [table]
  for (const { tables } of moves.toReversed()) {
    const now = names.at(-1) ?? table
    names.push(Object.entries(tables).find(([, to]) => to === now)?.[0] ?? now)
  }
  return names
}

const renamedColumns = (row: StoredRow, table: string, { columns, values }: Renaming): StoredRow =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      columns[table]?.[column] ?? column,
      values[`${table}.${column}`]?.[String(value)] ?? value,
    ]),
  )

/** A row of columns as it is declared. `view` is how the version shows it that was the head of the writer. */
function fromColumns(
  view: View,
  columns: StoredRow,
  columnOf: ((made: ViewField) => string) | null,
): StoredRow {
  const { resource } = view
  const row: { [field: string]: StoredValue } = {}
  const types = new Map(
    view.fields.flatMap((field) => (field.codec && field.field ? [[field.field, field]] : [])),
  )
  for (const field of resource.fields) {
    if (!(field.column in columns)) continue
    const value = columns[field.column]
    const shown = types.get(field)
    // Before its type was changed, the store had the value in the older one.
    row[field.name] = shown && columnOf ? (toStored(shown, value) ?? null) : declaredValue(field, value)
  }
  const sent = new Map<ViewField, unknown>()
  if (columnOf)
    for (const field of view.fields)
      if (!field.field && columnOf(field) in columns) sent.set(field, columns[columnOf(field)])
  return completed(view, { ...row, ...madeFields(view, sent) })
}

const declaredValue = ({ stored }: Field, value: unknown): StoredValue =>
  stored && value !== null ? (stored.down.get(String(value)) ?? value) : value

const views = new WeakMap<Model, Map<string, ReadonlyMap<string, View>>>()

/** The views of a version that was the head once: with all that its frozen contract hides today. */
function writtenAs(model: Model, name: string): ReadonlyMap<string, View> | undefined {
  let known = views.get(model)
  if (!known) {
    known = new Map()
    let newer: Version = model.head
    for (const version of model.versions) {
      newer = version === model.head ? version : withAdditions(version, newer)
      known.set(version.name, newer.views)
    }
    views.set(model, known)
  }
  return known.get(name)
}

/** Every name under which there may be events of a resource. */
export const eventNamesOf = ({ names }: Model, { table }: Resource): readonly string[] =>
  formerTables(table, names.moves).map(eventName)

function completed(view: View, written: StoredRow): StoredRow {
  const row: { [field: string]: StoredValue } = { ...written }
  for (const field of view.resource.fields) {
    // A row without a value in a field that is required now. Versions in which it is optional show none.
    if (row[field.name] === null && field.whenNone !== undefined) continue
    row[field.name] ??= view.whenAbsent.get(field.name) ?? valueSince(field)
  }
  return row
}

function madeFields(view: View, sent: ReadonlyMap<ViewField, unknown>): StoredRow {
  try {
    return madeUp(view, null, sent, () => false)
  } catch {
    // The code of a custom change cannot take the values of that time. The rest of the event is still right.
    return {}
  }
}

/** A row as the newest version has it, which rules judge: with a value in every required field. */
export const asRequired = ({ fields }: Resource, row: StoredRow): StoredRow => {
  const lacking = fields.filter(({ name, whenNone }) => row[name] === null && whenNone !== undefined)
  if (lacking.length === 0) return row
  return { ...row, ...Object.fromEntries(lacking.map(({ name, whenNone }) => [name, whenNone])) }
}

/** What a row has in a field that was declared after the event was written. */
const valueSince = (field: Field): StoredValue => (field.nullable ? null : (field.whenNone ?? null))
