import type { Model, Resource, Version } from '../../compile/model.ts'
import type { Change } from '../../declare/change.ts'
import type { FormerType } from './table.ts'

/** What a table was called over the versions, and what in it: all that a store of an older declaration may still have. */
export interface Lineage {
  /** As the head names it. */
  readonly table: string
  /** Newest first; only versions that had the table. */
  readonly former: readonly TableThen[]
  /** The head's column → the one change of its type. */
  readonly types: ReadonlyMap<string, FormerType>
}

export interface TableThen {
  readonly version: string
  readonly table: string
  /** The head's column → its name then, for every column that was there. */
  readonly columns: ReadonlyMap<string, string>
  /** The head's column → its values then → what they are now, where values were mapped. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, string>>
}

type OfKind<K extends Change['kind']> = Extract<Change, { readonly kind: K }>

const ofKind = <K extends Change['kind']>(version: Version, kind: K): readonly OfKind<K>[] =>
  version.changes.filter((change): change is OfKind<K> => change.kind === kind)

/** One resource on the way back from the head. */
interface Trace {
  readonly resource: Resource
  /** In the version reached; null before the resource was there. */
  name: string | null
  readonly columns: Map<string, string>
  readonly values: Map<string, ReadonlyMap<string, string>>
  readonly types: Map<string, FormerType>
  readonly former: TableThen[]
}

/** Every table's names and values in each older version, from the changes alone: a store keeps also what no contract shows. */
export function lineagesOf(model: Model): readonly Lineage[] {
  const traces = [...model.resources.values()].map(startTrace)
  for (const version of model.versions.slice(1)) {
    const renames = new Map(ofKind(version, 'rename-resource').map(({ from, to }) => [to, from]))
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

/** Takes back what the version's changes say of one resource. They name it, and its fields, as the newer version does. */
function stepBack(trace: Trace, newer: string, version: Version): void {
  const { resource, columns, values, types } = trace
  const here = <C extends { readonly resource: string }>(change: C): boolean => change.resource === newer
  for (const change of ofKind(version, 'map-values').filter(here))
    for (const [column, name] of columns)
      if (name === change.field)
        values.set(column, valuesBefore(change, values.get(column), resource, column))
  for (const { field, codec } of ofKind(version, 'change-type').filter(here))
    for (const [column, name] of columns)
      if (name === field) types.set(column, { codec, version: version.name })
  const gone = new Set([
    ...ofKind(version, 'add-required-field')
      .filter(here)
      .map(({ field }) => field),
    ...ofKind(version, 'custom')
      .filter(here)
      .flatMap(({ replaces }) => replaces),
  ])
  for (const [column, name] of [...columns]) if (gone.has(name)) columns.delete(column)
  const references = new Set(resource.fields.filter(({ relation }) => relation).map(({ column }) => column))
  const fields = new Map(
    ofKind(version, 'rename-field')
      .filter(here)
      .map(({ from, to }) => [to, from]),
  )
  const relations = new Map(
    ofKind(version, 'rename-relation')
      .filter(here)
      .map(({ from, to }) => [`${to}_id`, `${from}_id`]),
  )
  const renames = new Map([
    ...fields,
    ...[...relations].filter(([to]) => [...references].some((column) => columns.get(column) === to)),
  ])
  renameAll(
    [...columns.keys()],
    (column) => columns.get(column) ?? null,
    renames,
    (column, name) => {
      if (name === null) columns.delete(column)
      else columns.set(column, name)
    },
  )
  for (const { field } of ofKind(version, 'remove-field').filter(here)) {
    const kept = resource.field.get(field)
    if (kept?.kept) columns.set(kept.column, field)
  }
}

/** Names change all at once. Who has a name that another one had then, without a rename of its own, was not there yet. */
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

/** The older version's values → the head's, from those of the newer one. */
function valuesBefore(
  { values, onlyInNewer }: OfKind<'map-values'>,
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
