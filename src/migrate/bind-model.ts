import { boundTo } from '../compile/compile.ts'
import type { Model } from '../compile/model.ts'
import { underscored } from '../compile/names/name-rules.ts'
import { namesOf } from '../compile/names-of.ts'
import type { AbsentValue, NamesRecord, StoredNames } from '../compile/stored-names.ts'
import { sqlText } from '../kinds/sql.ts'
import { ident } from '../plan/dialect.ts'
import { metaTable } from '../store/meta.ts'
import { type Session, type Store, StoreOutdated, StoreRefused } from '../store/store.ts'
import { formerNames, type Move, movesOf, type Named } from './plan/renames.ts'
import { readPostgres } from './postgres/read-tables.ts'
import type { Present } from './present.ts'
import { type FoundNames, forgetNames, readNames, remedy } from './record/names-record.ts'
import { readSqlite } from './sqlite/read-tables.ts'
import { sumsNotKept, sumsOf } from './sums/sums.ts'

/** A model with the names that a store has for its tables, columns and values. */
export interface BoundModel {
  readonly model: Model
  /** The record as it was read, to notice whether another process changes it. */
  readonly record: string | null
}

/** Binds a model to a store, by what the store has recorded of its names, or by the names that its tables have where nothing is recorded. */
export async function bindModel(store: Store, model: Model): Promise<BoundModel> {
  return store.session(async (session) => {
    const present = await (store.dialect.name === 'sqlite' ? readSqlite : readPostgres)(session)
    if (!present.has(metaTable)) return { model, record: null }
    const { text, names } = await namesIn(session, model, present)
    refuseConverted(model, names)
    refuseGap(model, names.versions)
    const known = isSame(model, names) ? { ...model, names } : boundTo(model, names)
    const restricting = text === null ? [] : newlyRestricting(known, present)
    const absent = absentValues(known, present)
    const isServed = Object.keys(names.versions).length > 0
    const counting = (
      isServed ? await sumsNotKept(session, sumsOf(known, store.dialect), present) : []
    ).filter((key) => !names.counting.includes(key))
    const bound =
      restricting.length + counting.length === 0 &&
      Object.entries(absent).every(([key, one]) => isKnown(names, key, one))
        ? known
        : boundTo(model, {
            ...names,
            restricting: [...names.restricting, ...restricting],
            refusing: [...names.refusing, ...restricting],
            absent: { ...names.absent, ...absent },
            counting: [...names.counting, ...counting],
          })
    if (text !== null) refuseMissing(bound, present)
    return { model: bound, record: text }
  })
}

/** Forgets a record that cannot be used, so that names are found by what the tables have. One that can be used stays: it knows more than they do. */
export async function forgetLostNames(store: Store, declared: Model): Promise<void> {
  try {
    await bindModel(store, declared)
  } catch (error) {
    if (!(error instanceof StoreRefused && error.message.endsWith(remedy))) throw error
    await store.writeOne(forgetNames, [])
    return
  }
  throw new StoreRefused(
    "The store's record of its names can be read, and says what is there. Nothing was changed. Leave --find-names out.",
  )
}

async function namesIn(session: Session, model: Model, present: Present): Promise<FoundNames> {
  const found = await readNames(session)
  if (found.text !== null) return found
  return {
    text: null,
    names: { ...found.names, versions: await namesPresent(session, model, present) },
  }
}

/** Whether the store has the declared names for all that it knows. */
function isSame(model: Model, { versions, restricting, absent, counting }: NamesRecord): boolean {
  if (restricting.length + counting.length > 0 || Object.keys(absent).length > 0) return false
  const declared = namesOf(model)
  return Object.entries(declared).every(([version, resources]) =>
    Object.entries(versions[version] ?? {}).every(([name, known]) => {
      const own = resources[name]
      if (!own) return true
      if (own.table !== known.table) return false
      // A field that code makes of others now: its column stays, and its name is taken.
      if (Object.keys(known.fields).some((field) => !(field in own.fields))) return false
      return Object.entries(own.fields).every(([field, now]) => {
        const then = known.fields[field]
        return then === undefined || JSON.stringify(then) === JSON.stringify(now)
      })
    }),
  )
}

/** Cascading references that are not in the store yet, to rows that a declaration without them has served: see `NamesRecord`. */
const newlyRestricting = ({ stored }: Model, present: Present): readonly string[] =>
  [...stored.values()].flatMap(({ table, engineMade, references, field, restricting }) =>
    references.flatMap((relation) => {
      const column = field.get(relation.field)?.column ?? relation.field
      const isNew = present.has(relation.target.table) && !present.get(table)?.columns.has(column)
      const cascades =
        relation.onTargetDelete === 'cascade' && !engineMade && !restricting.has(relation.field)
      return isNew && cascades ? [`${table}.${column}`] : []
    }),
  )

/**
 * Fields that are required and were not always, with what the declaration says of rows without a value. In a unique set, rows without a value
 * do not collide, and with one they may: that is left to `migrate`.
 */
function absentValues({ stored, versions, names }: Model, present: Present): NamesRecord['absent'] {
  const absent: { [key: string]: AbsentValue } = {}
  for (const { name: resource, table, engineMade, fields, uniques } of stored.values())
    for (const { name, column, nullable, whenNone, stored: kept } of engineMade ? [] : fields) {
      if (nullable || whenNone === undefined || uniques.some((set) => set.includes(name))) continue
      const there = present.get(table)?.columns.get(column)
      const wasOptional = versions.some(({ viewOf }) =>
        viewOf.get(resource)?.fields.some((shown) => shown.field?.name === name && shown.nullable),
      )
      const known = names.absent[`${table}.${column}`]
      if (!there?.nullable && !wasOptional && !known) continue
      const value = kept?.up.get(String(whenNone)) ?? whenNone
      absent[`${table}.${column}`] = { value, state: stateOf(known?.state, there?.nullable === true) }
    }
  return absent
}

/** An older process that starts opens a column before it takes NOT NULL off. */
const stateOf = (known: AbsentValue['state'] | undefined, isNullable: boolean): AbsentValue['state'] => {
  if (isNullable) return known === 'checked' ? 'checked' : 'open'
  return known === 'open' ? 'open' : 'filled'
}

const isKnown = ({ absent }: NamesRecord, key: string, { value, state }: AbsentValue): boolean =>
  absent[key]?.value === value && absent[key]?.state === state

const numberOf = (version: string): number => Number(version.slice(1))

/** A declaration whose newest version is older than a conversion would write what nobody else understands any more. */
function refuseConverted({ head }: Model, { converted }: NamesRecord): void {
  const beyond = converted.filter(({ version }) => numberOf(version) > numberOf(head.name))
  if (beyond.length === 0) return
  const what = beyond.map((one) => `${one.what} for ${one.version}`).join(', ')
  throw new StoreOutdated(
    `The store was migrated past this declaration, whose newest version is ${head.name}: ${what} was converted. Nothing was changed. Start the newer release, or restore a backup from before it.`,
  )
}

/** A declaration that does not have the version which the store was served with last cannot say what became of its names. */
function refuseGap({ head, versions }: Model, names: StoredNames): void {
  const older = Object.keys(names).filter((name) => numberOf(name) <= numberOf(head.name))
  const [newest] = older.sort((a, b) => numberOf(b) - numberOf(a))
  if (newest === undefined || versions.some(({ name }) => name === newest)) return
  throw new StoreRefused(
    `The store was last served with ${newest}, which this declaration does not have: it cannot say what became of the names of ${newest}. Nothing was changed. Declare ${newest} with its changes, start that once, and take it out afterwards.`,
  )
}

/** Refuses a store that lacks a recorded table or column. Making it anew would leave the rows under another name behind. */
function refuseMissing(model: Model, present: Present): void {
  for (const [version, resources] of Object.entries(model.names.versions)) {
    const views = model.versions.find(({ name }) => name === version)?.views
    for (const [name, { fields }] of Object.entries(resources)) {
      const resource = views?.get(name)?.resource
      if (!resource || resource.answered) continue
      const there = present.get(resource.table)
      if (!there) throw missing(`${name} of ${version} the table ${resource.table}`)
      for (const [shown, { column }] of Object.entries(fields)) {
        const field = views?.get(name)?.field.get(shown)?.field
        if (field?.column === column && !there.columns.has(column))
          throw missing(`${name}.${shown} of ${version} the column ${column} of ${resource.table}`)
      }
    }
  }
}

const missing = (what: string): StoreRefused =>
  new StoreOutdated(
    `The store's record of its names calls ${what}, and there is none. Nothing was changed. ${remedy}`,
  )

/**
 * The record of a store that has none: it was made before a version was published, or the record was lost. Tables and columns are found under the
 * names that they have in some version, and values by what rows hold.
 */
async function namesPresent(session: Session, model: Model, present: Present): Promise<StoredNames> {
  const own = [...model.stored.values()].filter(({ engineMade }) => !engineMade)
  const views = (name: string) => model.versions.flatMap(({ viewOf }) => viewOf.get(name) ?? [])
  const tables = movedFrom(
    own.map(({ name, table }) => ({
      name: table,
      former: formerNames(
        table,
        views(name).map((view) => underscored(view.name)),
      ),
    })),
    present.keys(),
  )
  const versions: { [version: string]: StoredNames[string] } = {}
  for (const resource of own) {
    const table = tables(resource.table)
    const there = present.get(table)
    if (!there) continue
    const all = views(resource.name)
    const columns = movedFrom(
      resource.fields.map((field) => ({
        name: field.column,
        former: formerNames(
          field.column,
          all.map((view) => view.fields.find((one) => one.field === field)?.name),
        ),
      })),
      there.columns.keys(),
    )
    for (const view of all) {
      const fields: { [field: string]: StoredNames[string][string]['fields'][string] } = {}
      for (const shown of view.fields) {
        if (!shown.field) continue
        const column = columns(shown.field.column)
        if (!there.columns.has(column)) continue
        const known = namesOf(model)[view.version.name]?.[view.name]?.fields[shown.name]
        const isOlder =
          known?.up !== undefined && (await hasOlderValues(session, table, column, Object.entries(known.up)))
        fields[shown.name] = isOlder ? { column } : { ...known, column }
      }
      versions[view.version.name] = { ...versions[view.version.name], [view.name]: { table, fields } }
    }
  }
  return versions
}

/** Which of the present names a declared one was. */
function movedFrom(named: readonly Named[], present: Iterable<string>): (name: string) => string {
  const moves: readonly Move[] = movesOf(named, present)
  return (name) => moves.find(({ to }) => to === name)?.from ?? name
}

/** Whether rows have values that only an older version has. */
async function hasOlderValues(
  session: Session,
  table: string,
  column: string,
  up: readonly (readonly [string, string])[],
): Promise<boolean> {
  const now = new Set(up.map(([, value]) => value))
  const gone = up.map(([value]) => value).filter((value) => !now.has(value))
  if (gone.length === 0) return false
  const some = `SELECT 1 FROM ${ident(table)} WHERE ${ident(column)} IN (${gone.map(sqlText).join(', ')}) LIMIT 1`
  return (await session.all(some)).length > 0
}
