import { kinds } from '../kinds/kinds.ts'
import { valueWhenAbsent } from './changes/required-since.ts'
import type { Field, Resource, StoredValues, Version, View } from './model.ts'
import type { Mutable } from './resources/resource-draft.ts'
import type { NamedColumn, NamesRecord, StoredNames } from './stored-names.ts'

/**
 * Gives tables, columns and values the names that a store has for them. A thing is found by the name that it has in a version which the
 * store has been served with: the newest older one, because a published version never changes its names, else the newest itself. What no
 * version knows is new, and gets a name that nothing else of this declaration has in the store.
 */
export function bindNames(
  resources: Iterable<Mutable<Resource>>,
  versions: readonly Version[],
  { versions: names, restricting, refusing, absent, counting }: NamesRecord,
): void {
  const [head, ...older] = versions
  const own = [...resources].filter(({ engineMade, answered }) => !engineMade && !answered)
  for (const resource of own) meanAbsence(resource, versions)
  if (!head || Object.keys(names).length === 0) return
  const search = [...older, head]
  const tables = new Names(head.name)
  const found = own.map((resource) => ({ resource, seen: sightings(resource, search, names) }))
  for (const { resource, seen } of found)
    if (seen[0]) resource.table = tables.known(seen[0].table, resource.table)
  for (const { resource, seen } of found) if (!seen[0]) resource.table = tables.fresh(resource.table)
  for (const { resource, seen } of found) bindFields(resource, seen, head.name)
  for (const resource of own) {
    const { table, belongsTo, field } = resource
    const fieldsIn = (keys: readonly string[]): ReadonlySet<string> =>
      new Set(
        belongsTo
          .map((one) => one.field)
          .filter((name) => keys.includes(`${table}.${field.get(name)?.column}`)),
      )
    resource.restricting = fieldsIn(restricting)
    resource.refusing = fieldsIn(refusing)
    bindAbsence(resource, absent)
  }
  for (const source of own) bindSums(source, counting)
}

/** What versions say of rows without a value in a field that is required. */
function meanAbsence(resource: Mutable<Resource>, versions: readonly Version[]): void {
  for (const field of resource.fields as readonly Mutable<Field>[])
    if (!field.nullable && !field.sum) field.whenNone = valueWhenAbsent(resource, field, versions)
}

/** What the store has recorded of them, which outlives the versions. */
function bindAbsence({ table, fields }: Mutable<Resource>, absent: NamesRecord['absent']): void {
  for (const field of fields as readonly Mutable<Field>[]) {
    const known = field.nullable ? undefined : absent[`${table}.${field.column}`]
    if (!known) continue
    field.whenNone ??= field.stored?.down.get(String(known.value)) ?? known.value
    field.mayLack = known.state !== 'filled'
  }
}

/** A row without a value adds what stands for none, which older processes do not count. */
function bindSums(source: Resource, counting: readonly string[]): void {
  for (const feed of source.feeds) {
    const lacks = feed.of.some((name) => source.field.get(name)?.mayLack)
    const isCounted = lacks || counting.includes(`${feed.on.table}.${feed.field.column}`)
    const field: Mutable<Field> = feed.field
    field.counted = isCounted ? { source, feed } : null
  }
}

/** A resource in a version that the store knows. */
interface Sighting {
  readonly view: View
  readonly table: string
  readonly fields: { readonly [field: string]: NamedColumn }
}

const sightings = (
  { name }: Pick<Resource, 'name'>,
  versions: readonly Version[],
  names: StoredNames,
): readonly Sighting[] =>
  versions.flatMap((version) => {
    const view = version.viewOf.get(name)
    const known = view && names[version.name]?.[view.name]
    return view && known ? [{ view, ...known }] : []
  })

/** Names of the store that things have got. */
class Names {
  readonly #taken = new Set<string>()
  readonly #version: string

  constructor(version: string) {
    this.#version = version
  }

  /** A recorded name, unless something else has it: the record may still say what an unpublished declaration meant. */
  known(name: string, otherwise: string): string {
    if (this.#taken.has(name)) return this.fresh(otherwise)
    this.#taken.add(name)
    return name
  }

  /** A column that an older version has, and that code makes other fields from since, stays as it is. */
  reserve(name: string): void {
    this.#taken.add(name)
  }

  fresh(name: string): string {
    let free = name
    for (let at = 1; this.#taken.has(free); at++) free = `${name}_${this.#version}${at === 1 ? '' : `_${at}`}`
    this.#taken.add(free)
    return free
  }
}

function bindFields(resource: Mutable<Resource>, seen: readonly Sighting[], version: string): void {
  const columns = new Names(version)
  for (const reserved of ['account_id', 'version']) columns.fresh(reserved)
  const all = resource.fields as readonly Mutable<Field>[]
  const found = all.map((field) => ({ field, at: fieldSightings(field, seen) }))
  for (const { field, at } of found) if (at[0]) field.column = columns.known(at[0].named.column, field.column)
  for (const { view, fields } of seen)
    for (const { name, made } of view.fields) if (made && fields[name]) columns.reserve(fields[name].column)
  for (const { field, at } of found) if (!at[0]) field.column = columns.fresh(field.column)
  for (const { field, at } of found)
    if (kinds[field.kind].listsValues) field.stored = storedValues(field, at, version)
}

interface FieldSighting {
  /** The version after it. */
  readonly next: string | null
  readonly shown: View['fields'][number]
  readonly named: NamedColumn
}

const fieldSightings = (field: Field, seen: readonly Sighting[]): readonly FieldSighting[] =>
  seen.flatMap(({ view, fields }) => {
    const shown = view.fields.find((one) => one.field === field)
    const named = shown && fields[shown.name]
    return shown && named ? [{ next: view.version.successor?.name ?? null, shown, named }] : []
  })

/** Null where every value is stored as it is declared. */
function storedValues(field: Field, at: readonly FieldSighting[], version: string): StoredValues | null {
  const declared = (field.schema.enum ?? []).map(String)
  const up = new Map<string, string>()
  const down = new Map<string, string>()
  const joins = new Map<string, string>()
  let joinedFor: string | null = null
  for (const value of declared) {
    const sighting = at.find((one) => writtenAs(value, one).length > 0)
    const [kept, ...joined] = sighting ? writtenAs(value, sighting) : []
    if (kept === undefined || down.has(kept)) continue
    up.set(value, kept)
    down.set(kept, value)
    for (const other of joined) if (!down.has(other)) joins.set(other, kept)
    if (joined.length > 0) joinedFor = sighting?.next ?? version
  }
  const names = new Names(version)
  for (const taken of down.keys()) names.fresh(taken)
  for (const value of declared.filter((one) => !up.has(one))) {
    const kept = names.fresh(value)
    up.set(value, kept)
    down.set(kept, value)
  }
  for (const [gone, kept] of joins) down.set(gone, down.get(kept) ?? gone)
  // What only a newer declaration has is shown as this one's version says.
  for (const { shown, named } of at)
    for (const [kept, image] of Object.entries(named.down ?? {}))
      if (!down.has(kept)) down.set(kept, shown.values?.up.get(image) ?? image)
  const isSame = [...down].every(([kept, value]) => kept === value)
  return isSame ? null : { up, down, joins, joinedFor }
}

/** What the store may have for a value: first what rows that show it get, then what older versions have written besides. */
function writtenAs(value: string, { shown, named }: FieldSighting): readonly string[] {
  const { values } = shown
  const words = values ? [...values.up].filter(([, means]) => means === value).map(([word]) => word) : [value]
  const image = values?.down.get(value)
  const first = words.filter((word) => word === image)
  const kept = [...first, ...words].map((word) => named.up?.[word] ?? word)
  return [...new Set(kept)]
}
