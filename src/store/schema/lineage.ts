import { resourceOf, storeEffects } from '../../compile/change-kinds/change-kinds.ts'
import type { Model, Resource, Version } from '../../compile/model.ts'
import type { MapValues } from '../../declare/change.ts'
import type { FormerType } from './table.ts'

/** The names of a table, its columns and its values in every version: a store of an older declaration may still have them. */
export interface Lineage {
  /** The table's name in the head. */
  readonly table: string
  /** Newest first; only versions that had the table. */
  readonly former: readonly TableThen[]
  /** The head's column → the change of its type. */
  readonly types: ReadonlyMap<string, FormerType>
}

export interface TableThen {
  readonly version: string
  readonly table: string
  /** The head's column → its name then, for every column that was there. */
  readonly columns: ReadonlyMap<string, string>
  /** The head's column → its old values → its values in the head, where values were mapped. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** The state of one resource while the changes are undone from the head backwards. */
interface Trace {
  readonly resource: Resource
  /** The name in the version reached; null in versions without the resource. */
  name: string | null
  readonly columns: Map<string, string>
  readonly values: Map<string, ReadonlyMap<string, string>>
  readonly types: Map<string, FormerType>
  readonly former: TableThen[]
}

/** Computed from the changes alone, because a store also has columns that no contract shows. */
export function lineagesOf(model: Model): readonly Lineage[] {
  const traces = [...model.resources.values()].map(startTrace)
  for (const version of model.versions.slice(1)) {
    const renames = new Map(storeEffects(version.changes, 'table-renamed').map(({ from, to }) => [to, from]))
    for (const trace of traces) if (trace.name !== null) stepBack(trace, trace.name, version)
    renameAll(
      traces,
      (trace) => trace.name,
      renames,
      (trace, name) => {
        trace.name = name
      },
    )
    for (const trace of traces)
      if (trace.name !== null) trace.former.push(snapshot(trace, trace.name, version))
  }
  return traces.map(({ resource, former, types }) => ({ table: resource.table, former, types }))
}

const startTrace = (resource: Resource): Trace => ({
  resource,
  name: resource.name,
  columns: new Map(resource.fields.filter(({ kept }) => !kept).map(({ name, column }) => [column, name])),
  values: new Map(),
  types: new Map(),
  former: [],
})

const snapshot = (trace: Trace, name: string, version: Version): TableThen => ({
  version: version.name,
  table: name.replaceAll('-', '_'),
  columns: new Map(trace.columns),
  values: new Map(trace.values),
})

/** Undoes the version's changes of one resource. Changes name resources and fields as the newer version does. */
function stepBack(trace: Trace, newer: string, version: Version): void {
  const { resource, columns, values, types } = trace
  const changes = version.changes.filter((change) => resourceOf(change) === newer)
  for (const change of storeEffects(changes, 'values-mapped'))
    for (const [column, name] of columns)
      if (name === change.field)
        values.set(column, valuesBefore(change, values.get(column), resource, column))
  for (const { field, codec } of storeEffects(changes, 'type-changed'))
    for (const [column, name] of columns)
      if (name === field) types.set(column, { codec, version: version.name })
  const gone = new Set(storeEffects(changes, 'columns-added').flatMap(({ fields }) => fields))
  for (const [column, name] of [...columns]) if (gone.has(name)) columns.delete(column)
  const references = new Set(resource.fields.filter(({ relation }) => relation).map(({ column }) => column))
  const renames = new Map(
    [
      ...storeEffects(changes, 'column-renamed'),
      ...storeEffects(changes, 'relation-renamed')
        .map(({ from, to }) => ({ from: `${from}_id`, to: `${to}_id` }))
        .filter(({ to }) => [...references].some((column) => columns.get(column) === to)),
    ].map(({ from, to }) => [to, from]),
  )
  renameAll(
    [...columns.keys()],
    (column) => columns.get(column) ?? null,
    renames,
    (column, name) => {
      if (name === null) columns.delete(column)
      else columns.set(column, name)
    },
  )
  for (const { field } of storeEffects(changes, 'column-hidden')) {
    const kept = resource.field.get(field)
    if (kept?.kept) columns.set(kept.column, field)
  }
}

/** All renames apply at once. A thing that keeps a name which another thing had in the older version did not exist there. */
function renameAll<T>(
  things: readonly T[],
  nameOf: (thing: T) => string | null,
  renames: ReadonlyMap<string, string>,
  set: (thing: T, name: string | null) => void,
): void {
  const taken = new Set(renames.values())
  const after = things.map((thing) => {
    const name = nameOf(thing)
    if (name === null) return null
    return renames.get(name) ?? (taken.has(name) ? null : name)
  })
  things.forEach((thing, at) => {
    set(thing, after[at] ?? null)
  })
}

/** The older version's values → the head's values, computed from the mapping of the newer version. */
function valuesBefore(
  { values, onlyInNewer }: Pick<MapValues, 'values' | 'onlyInNewer'>,
  newer: ReadonlyMap<string, string> | undefined,
  resource: Resource,
  column: string,
): ReadonlyMap<string, string> {
  const listed = resource.fields.find((field) => field.column === column)?.schema.enum ?? []
  const known = newer ?? new Map(listed.map((value) => [String(value), String(value)]))
  const images = new Set(Object.values(values))
  const same = [...known].filter(
    ([value]) => !(Object.hasOwn(values, value) || Object.hasOwn(onlyInNewer, value) || images.has(value)),
  )
  const mapped = Object.entries(values).map(([old, now]) => [old, known.get(now) ?? now] as const)
  return new Map([...same, ...mapped])
}
