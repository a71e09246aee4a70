import { createHash } from 'node:crypto'
import type { Model } from '../../compile/model.ts'
import { grownNames, namesOf } from '../../compile/names-of.ts'
import { type NamesRecord, noNames } from '../../compile/stored-names.ts'
import type { Maybe } from '../../maybe.ts'
import { addMeta, forgetMeta, metaFacts, readMeta, replaceMeta, upsertMeta } from '../../store/meta.ts'
import { writeAlone } from '../../store/run-statement.ts'
import { type Store, StoreRefused, type Transaction } from '../../store/store.ts'

const { key } = metaFacts.names

export const forgetNames = forgetMeta(key)

/** The record as the store has it: `text` is null where there is none. */
export interface FoundNames {
  readonly text: string | null
  readonly names: NamesRecord
}

export async function readNames(on: Pick<Transaction, 'all'>): Promise<FoundNames> {
  const text = await readMeta(on, key)
  return { text, names: text === null ? noNames : parsed(text) }
}

const states: ReadonlySet<unknown> = new Set(['open', 'checked', 'filled'])

const lists = ['moves', 'converted', 'restricting', 'refusing', 'counting'] as const

function parsed(text: string): NamesRecord {
  const record = jsonOf(text) as Partial<NamesRecord>
  const { versions, absent } = record
  const isWhole =
    isObject(versions) &&
    Object.values(versions).every((resources) =>
      Object.values(resources).every(
        (one) =>
          typeof one?.table === 'string' && Object.values(one.fields ?? {}).every(({ column }) => column),
      ),
    )
  const areLists = lists.every((list) => Array.isArray(record[list]))
  const areStates = isObject(absent) && Object.values(absent).every((one) => states.has(one?.state))
  if (!isWhole || !areLists || !areStates)
    throw new StoreRefused(`The store's record of its names cannot be read. ${remedy}`)
  return record as NamesRecord
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function jsonOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** What can be done about a record that says what is not there. */
export const remedy =
  'Restore a backup, or run nounkit migrate --find-names, which makes the record anew from the names that the tables have.'

const imagesKey = metaFacts.images.key

/** Changes where some version shows more stored values than before; null where every version shows them as they are. */
export const readImages = (on: Pick<Transaction, 'all'>): Promise<string | null> => readMeta(on, imagesKey)

/** Tells processes that serve the store of images, and of columns that may or must have values, sums and cascades, that they do not know. True where there was something to tell. */
export async function tellImages(
  store: Store,
  { versions, refusing, absent, counting }: NamesRecord,
): Promise<boolean> {
  const images = Object.entries(versions).flatMap(([version, resources]) =>
    Object.entries(resources).flatMap(([resource, { fields }]) =>
      Object.entries(fields).flatMap(([field, { down }]) => (down ? [[version, resource, field, down]] : [])),
    ),
  )
  const lacking = Object.entries(absent).map(([column, { state }]) => [column, state])
  const since = lacking.length + counting.length + refusing.length
  if (images.length + since === 0 && !(await readImages(store))) return false
  const known = since === 0 ? images : [images, lacking, counting, refusing]
  const text = createHash('sha256').update(JSON.stringify(known)).digest('hex')
  if ((await readImages(store)) === text) return false
  await store.writeOne(upsertMeta(imagesKey, text), [])
  return true
}

/** Records what a model calls the tables of the store that it is bound to. False where another process has changed the record meanwhile. */
export async function recordNames(store: Store, model: Model, before: string | null): Promise<boolean> {
  const names = { ...model.names, versions: grownNames(model.names.versions, namesOf(model)) }
  return replaceNames(store, names, before)
}

async function replaceNames(store: Store, names: NamesRecord, before: string | null): Promise<boolean> {
  const text = JSON.stringify(names)
  if (text === before) return true
  const written =
    before === null
      ? await writeAlone(store, addMeta(store.dialect, key, text))
      : await writeAlone(store, replaceMeta(store.dialect, key, text, before))
  return written === 1
}

/**
 * Changes the record as it is now, and tells processes that serve the store. False where there is none, or where `change` gives null, because
 * there is nothing to change.
 */
export async function changeNames(
  store: Store,
  change: (names: NamesRecord) => Maybe<NamesRecord | null>,
): Promise<boolean> {
  for (;;) {
    const { text, names } = await readNames(store)
    const now = text === null ? null : await change(names)
    if (now === null) return false
    // Another process may have changed it meanwhile.
    if (!(await replaceNames(store, now, text))) continue
    await tellImages(store, now)
    return true
  }
}
