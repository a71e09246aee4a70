import { bound } from '../plan/bind.ts'
import { readCreate, type StoredRow } from '../request/body.ts'
import { noInclude } from '../request/include.ts'
import type { JsonObject } from '../request/json.ts'
import type { Maybe, Transaction, Value } from '../store/store.ts'
import { missingReferences, writeRefused } from './conflicts.ts'
import { finishText } from './finish.ts'
import { hookContext, hooksOf } from './hooks.ts'
import { claimKey, derivedKey, type KeyedRequest, keyValues, storeAnswer } from './idempotency.ts'
import { newId } from './ids.ts'
import { notThere } from './read.ts'
import { refreshSums, refuseUnlessWhile, serverValue } from './rules.ts'
import { bindSlots, type Call, type Outcome, type Runner } from './run.ts'

/** The key was taken by another request while this one ran: undo, and look what that one answered. */
export class KeyTaken extends Error {}

/** Where a create and its key are one statement; what code makes of a row cannot be stored by one. */
export const isOneStatement = (runner: Runner, call: Call): boolean =>
  runner.store.dialect.insertsInWith && isPlain(call) && call.target.view.customs.length === 0

/** Nothing but the row itself is read or written: no interactive transaction is needed. */
const isPlain = ({ target }: Call): boolean => {
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
  const row = await newRow(runner, call, body)
  const location = locationOf(call, String(row.id))
  try {
    if (!isPlain(call)) return await createInteractive(runner, call, row, location, keyed)
    if (!keyed) return await createPlain(runner, call, row, location)
    return isOneStatement(runner, call)
      ? await createWithKey(runner, call, row, location, keyed)
      : await createBesideKey(runner, call, row, location, keyed)
  } catch (error) {
    throw await writeRefused(error, runner, call, row)
  }
}

async function newRow(runner: Runner, call: Call, body: JsonObject): Promise<StoredRow> {
  const { resource } = call.target.view
  const now = runner.now()
  const id = resource.idPrefix + newId(now)
  const time = new Date(now).toISOString()
  const sent = await readOrMissing(runner, call, body)
  const row: { [field: string]: unknown } = {}
  for (const field of resource.fields) row[field.name] = sent[field.name] ?? serverValue(field, id, time)
  return row
}

/** An owner that does not exist is told before what is wrong with the body. */
async function readOrMissing(runner: Runner, call: Call, body: JsonObject): Promise<StoredRow> {
  try {
    return readCreate(call.target, body)
  } catch (error) {
    const { sub, ownerId } = call.target
    if (sub && !(await exists(runner, call, ownerId))) throw notThere(call.target)
    throw error
  }
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
  const insert = runner.planner.insert(call.target.view)
  const { account } = call.caller
  const made = await runner.store.writeOne(
    insert.text,
    bindSlots(insert.slots, { account, values: boundRow(call, row) }),
  )
  return created(runner, call, String(made?.[0]), location)
}

/** One statement for key, row and stored answer. */
async function createWithKey(
  runner: Runner,
  call: Call,
  row: StoredRow,
  location: string,
  keyed: KeyedRequest,
): Promise<Outcome> {
  const insert = runner.planner.insertWithKey(call.target.view)
  const values = [...boundRow(call, row), ...keyValues(runner, call, keyed, String(row.id), location)]
  const made = await runner.store.writeOne(
    insert.text,
    bindSlots(insert.slots, { account: call.caller.account, values }),
  )
  if (!made) throw new KeyTaken()
  return created(runner, call, String(made[0]), location)
}

/**
 * The same as two inserts in one transaction, where the store cannot do it in one statement. Where it answers at once, so does
 * the whole work: others that share the commit do not wait for a turn of the event loop.
 */
function createBesideKey(
  runner: Runner,
  call: Call,
  row: StoredRow,
  location: string,
  keyed: KeyedRequest,
): Promise<Outcome> {
  const { account } = call.caller
  const insert = runner.planner.insert(call.target.view)
  const bindings = bindSlots(insert.slots, { account, values: boundRow(call, row) })
  const values = keyValues(runner, call, keyed, String(row.id), location)
  return runner.store.transaction((tx) =>
    andThen(tx.first(insert.text, bindings), (made) => {
      const outcome = created(runner, call, String(made?.[0]), location)
      return andThen(claimKey(tx, account, values, storedBody(call, outcome)), (claimed) => {
        if (!claimed) throw new KeyTaken()
        return outcome
      })
    }),
  )
}

const andThen = <T, R>(value: Maybe<T>, next: (value: T) => Maybe<R>): Maybe<R> =>
  value instanceof Promise ? value.then(next) : next(value)

async function createInteractive(
  runner: Runner,
  call: Call,
  row: StoredRow,
  location: string,
  keyed: KeyedRequest | null,
): Promise<Outcome> {
  const { account } = call.caller
  return runner.store.transaction(async (tx) => {
    if (keyed) {
      const values = keyValues(runner, call, keyed, String(row.id), location)
      if (!(await claimKey(tx, account, values, null))) throw new KeyTaken()
    }
    const outcome = await insertWithHooks(runner, tx, call, row, location, keyed)
    if (keyed) await storeAnswer(tx, account, keyed.key, storedBody(call, outcome), outcome.etag ?? '')
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
  const context = hookContext(runner, tx, call, keyed && derivedKey(account, keyed))
  await refuseUnlessWhile(runner, tx, call, [row])
  if (beforeCreate) {
    const missing = await missingReferences(runner, tx, call, row)
    if (missing) throw missing
  }
  const set = beforeCreate ? await beforeCreate(row, context) : undefined
  const whole = set ? { ...row, ...set } : row
  const insert = runner.planner.insert(view)
  const made = await tx.first(
    insert.text,
    bindSlots(insert.slots, { account, values: boundRow(call, whole) }),
  )
  await refreshSums(runner, tx, account, view.resource, [whole], set === undefined)
  if (!afterCreate) return created(runner, call, String(made?.[0]), location)
  await afterCreate(whole, context)
  // The hook may have changed the row it was called for.
  const reread = runner.planner.one(call.target, noInclude)
  const { id } = whole
  const now = await tx.first(
    reread.text,
    bindSlots(reread.slots, { account, id: String(id), owner: call.target.ownerId }),
  )
  return { ...created(runner, call, String(now?.[0]), location), etag: `"${now?.[1]}"` }
}

const storedBody = ({ target }: Call, outcome: Outcome): string | null =>
  target.view.idempotency.storesBody ? outcome.body : null

function created(runner: Runner, call: Call, text: string, location: string): Outcome {
  const { view } = call.target
  const customs = view.customs.length > 0 ? { view, tree: [] } : null
  const data = customs
    ? finishText(text, { text: '', slots: [], cuts: [], customs }, runner, call.caller.account)
    : text
  return { status: 201, body: `{"data":${data}}`, etag: '"1"', location }
}

/** The top-level URL where the resource has one, else the nested one. */
function locationOf({ target }: Call, id: string): string {
  const { version, view, sub, ownerId } = target
  if (view.topLevel || !sub) return `/${version.name}/${view.name}/${id}`
  return `/${version.name}/${sub.owner().name}/${ownerId}/${sub.segment}/${id}`
}
