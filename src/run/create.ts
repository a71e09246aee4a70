import { type Maybe, whenThere } from '../maybe.ts'
import { bound } from '../plan/bind.ts'
import { readCreate, type StoredRow } from '../request/body.ts'
import type { JsonObject } from '../request/json.ts'
import type { Transaction, Value } from '../store/store.ts'
import { missingReferences, writeRefused } from './conflicts.ts'
import { etagOf } from './etag.ts'
import { checkReturned } from './hook-names.ts'
import { hookContexts, hooksOf } from './hooks.ts'
import { answerValues, derivedKey, type KeyedRequest, keyValues } from './idempotency.ts'
import { newId } from './ids.ts'
import { notThere, reread } from './read.ts'
import { refreshSums, refuseUnlessWhile, serverValue } from './rules.ts'
import { bindSlots, type Call, type Outcome, type Runner } from './run.ts'
import { shownText } from './show.ts'

/** The key was taken before, or by another request while this one ran: look what that one answered. */
export const keyTaken = new Error('the key was taken by another request')

/** Nothing but the row itself is read or written: no interactive transaction is needed. */
export const isPlain = ({ target }: Call): boolean => {
  const { resource } = target.view
  return !resource.hasHooks.create && resource.onlyWhile.length === 0 && resource.feeds.length === 0
}

/** One try: the row, and its key where there is one, or an error and nothing. */
export async function createOnce(
  runner: Runner,
  call: Call,
  body: JsonObject,
  keyed: KeyedRequest | null,
): Promise<Outcome> {
  const sent = sentRow(runner, call, body)
  const row = newRow(runner, call, sent instanceof Promise ? await sent : sent)
  const location = locationOf(call, String(row.id))
  try {
    if (!isPlain(call)) return await createInteractive(runner, call, row, location, keyed)
    return keyed
      ? await createWithKey(runner, call, row, location, keyed)
      : await createPlain(runner, call, row, location)
  } catch (error) {
    throw await writeRefused(error, runner, call, row)
  }
}

function newRow(runner: Runner, call: Call, sent: StoredRow): StoredRow {
  const { resource } = call.target.view
  const now = runner.now()
  const id = resource.idPrefix + newId(now)
  const time = new Date(now).toISOString()
  const row: { [field: string]: unknown } = {}
  for (const field of resource.fields) {
    const value = sent[field.name]
    // A null was meant: what absence stands for has been put in its place where the version says so.
    row[field.name] = value === undefined ? serverValue(field, id, time) : value
  }
  return row
}

function sentRow(runner: Runner, call: Call, body: JsonObject): Maybe<StoredRow> {
  try {
    return readCreate(call.target, body)
  } catch (error) {
    return refuseOwnerFirst(runner, call, error)
  }
}

/** An owner that does not exist is told before what is wrong with the body. */
async function refuseOwnerFirst(runner: Runner, call: Call, error: unknown): Promise<never> {
  const { sub, ownerId } = call.target
  throw sub && !(await exists(runner, call, ownerId)) ? notThere(call.target) : error
}

async function exists(runner: Runner, { caller, target }: Call, id: string | null): Promise<boolean> {
  const owner = target.sub?.owner().resource
  if (!owner) return true
  const statement = runner.planner.exists(owner)
  return (
    (await runner.store.first(
      statement.text,
      bindSlots(statement.slots, { account: caller.account, id }),
    )) !== undefined
  )
}

const boundRow = ({ target }: Call, row: StoredRow): Value[] =>
  target.view.resource.fields.map((field) => bound(field.kind, row[field.name]))

async function createPlain(runner: Runner, call: Call, row: StoredRow, location: string): Promise<Outcome> {
  const insert = runner.planner.insert(call.target.view.resource)
  const values = boundRow(call, row)
  await runner.store.writeOne(insert.text, bindSlots(insert.slots, { account: call.caller.account, values }))
  return created(call, row, location)
}

/** Key, row and stored answer: one statement where the database can insert within a query, else two in one transaction. */
async function createWithKey(
  runner: Runner,
  call: Call,
  row: StoredRow,
  location: string,
  keyed: KeyedRequest,
): Promise<Outcome> {
  const { store, planner, keys } = runner
  const { resource } = call.target.view
  const { account } = call.caller
  const outcome = created(call, row, location)
  const key = keyValues(
    runner,
    keyed,
    String(row.id),
    location,
    storedBody(call, outcome),
    outcome.etag ?? null,
  )
  const values = boundRow(call, row)
  if (store.dialect.insertsInQuery) {
    const insert = planner.insertWithKey(resource)
    const bindings = bindSlots(insert.slots, { account, values: [...values, ...key] })
    if ((await store.writeOne(insert.text, bindings)) === 0) throw keyTaken
    return outcome
  }
  const insert = planner.insert(resource)
  const bindings = bindSlots(insert.slots, { account, values })
  await store.transaction((tx) =>
    whenThere(keys.claim(tx, account, key), (claimed) => {
      if (!claimed) throw keyTaken
      return tx.first(insert.text, bindings)
    }),
  )
  return outcome
}

async function createInteractive(
  runner: Runner,
  call: Call,
  row: StoredRow,
  location: string,
  keyed: KeyedRequest | null,
): Promise<Outcome> {
  const { account } = call.caller
  const { store, keys } = runner
  return store.transaction(async (tx) => {
    if (!keyed) return insertWithHooks(runner, tx, call, row, location, null)
    const values = keyValues(runner, keyed, String(row.id), location, null, null)
    if (!(await keys.claim(tx, account, values))) throw keyTaken
    keyed.claimed?.()
    const outcome = await insertWithHooks(runner, tx, call, row, location, keyed)
    const answer = answerValues(runner, storedBody(call, outcome), outcome.etag ?? '')
    await keys.complete(tx, account, keyed.key, answer)
    return outcome
  })
}

async function insertWithHooks(
  runner: Runner,
  tx: Transaction,
  call: Call,
  row: StoredRow,
  location: string,
  keyed: KeyedRequest | null,
): Promise<Outcome> {
  const { account } = call.caller
  const { view } = call.target
  const { beforeCreate, afterCreate } = hooksOf(view.resource)
  const contextOf = hookContexts(runner, tx, call, keyed && derivedKey(account, keyed))
  await refuseUnlessWhile(runner, tx, call, [row])
  if (beforeCreate) {
    const missing = await missingReferences(runner, tx, call, row)
    if (missing) throw missing
  }
  const set = beforeCreate && (await beforeCreate(row, contextOf('beforeCreate')))
  if (set) checkReturned(set, view.resource, 'beforeCreate')
  const whole = set ? { ...row, ...set } : row
  const insert = runner.planner.insert(view.resource)
  await tx.first(insert.text, bindSlots(insert.slots, { account, values: boundRow(call, whole) }))
  await refreshSums(runner, tx, account, view.resource, [whole], set === undefined)
  if (!afterCreate && !set) return created(call, whole, location)
  if (afterCreate) await afterCreate(whole, contextOf('afterCreate'))
  // A hook may have set values in another form than they are kept in, or changed the row it was called for.
  const target = { ...call.target, id: String(whole.id) }
  const now = await reread(runner, tx, { ...call, target })
  return { ...now, status: 201, location }
}

const storedBody = ({ target }: Call, outcome: Outcome): string | null =>
  target.view.idempotency.storesBody ? outcome.body : null

/** The version that every row is inserted with. */
const firstVersion = 1

const created = ({ target }: Call, row: StoredRow, location: string): Outcome => ({
  status: 201,
  body: `{"data":${shownText(target.view, row)}}`,
  etag: etagOf(target.view, firstVersion),
  location,
})

/** The top-level URL where the resource has one, else the nested one. */
function locationOf({ target }: Call, id: string): string {
  const { version, view, sub, ownerId } = target
  if (view.topLevel || !sub) return `/${version.name}/${view.name}/${id}`
  return `/${version.name}/${sub.owner().name}/${ownerId}/${sub.segment}/${id}`
}
