import { noRules } from '../compile/rules/checked-rule.ts'
import type { Maybe } from '../maybe.ts'
import type { Call, Outcome } from '../read/call.ts'
import { etagOf } from '../read/etag.ts'
import { notThere } from '../read/read-rows.ts'
import { readCreate, type StoredRow } from '../request/body.ts'
import type { JsonObject } from '../request/json-body.ts'
import { changeRows, insertAlone } from './change-rows.ts'
import { missingReferences, refuseUnreadable, writeRefused } from './conflicts.ts'
import { type EngineHooks, noEngineHooks } from './engine-hooks.ts'
import { afterHook, copyForHook, finishHook, hookContexts, hooksOf } from './hook-context.ts'
import { answerValues, derivedKey, type KeyedRequest, keyValues } from './idempotency.ts'
import { createVerdict, mayRead, notPermitted, refuseUnlessMade } from './judge.ts'
import { newRow } from './new-row.ts'
import { rowBody } from './row-body.ts'
import { refuseUnlessWhile } from './state-checks.ts'
import { lockTarget } from './update.ts'
import {
  type Attempt,
  inTransaction,
  type OpenWrite,
  outsideTransaction,
  type WriteRequest,
} from './write-request.ts'
import type { Writer } from './writer.ts'

/** Another request has the key: its answer is the one to replay. */
export const keyTaken = new Error('the key was taken by another request')

/** Whether nothing but the row itself is read or written, so that no interactive transaction is needed. */
export const isSingleStatement = (call: Call): boolean => {
  const { hasHooks, onlyWhile, feeds, rules } = call.target.view.resource
  if (hasHooks.create || onlyWhile.length > 0 || feeds.length > 0) return false
  return rules === noRules || createVerdict(call) === true
}

/** One attempt: writes the row, and its key where there is one, or throws and writes nothing. */
export async function createOnce(
  writer: Writer,
  call: Call,
  body: JsonObject,
  keyed: KeyedRequest | null,
): Promise<Outcome> {
  const request = outsideTransaction(writer, call)
  const sent = sentRow(request, body)
  const { resource } = call.target.view
  const row = newRow(resource, sent instanceof Promise ? await sent : sent, writer.now())
  const attempt: Attempt = { before: null, asked: row, written: null }
  const create: Create = { attempt, keyed, location: locationOf(call, String(row.id)) }
  try {
    await refuseUnreadable(request, attempt)
    if (createVerdict(call) === false)
      throw (await missingReferences(request, attempt)) ?? notPermitted(call, 'create this row')
    if (isSingleStatement(call)) return await createAlone(request, create)
    const own = resource.engineMade ? await writer.engineHooks(call, row) : noEngineHooks
    return await createInteractive(request, create, own)
  } catch (error) {
    throw await writeRefused(error, request, attempt)
  }
}

/** The new row, its key where there is one, and the value of the Location header. */
interface Create {
  readonly attempt: Attempt
  readonly keyed: KeyedRequest | null
  readonly location: string
}

function sentRow(request: WriteRequest, body: JsonObject): Maybe<StoredRow> {
  const { target, caller } = request.call
  try {
    return readCreate(target, body, caller.scopes)
  } catch (error) {
    return refuseOwnerFirst(request, error)
  }
}

/** An owner in the path that does not exist is 404, before any fault of the body. */
async function refuseOwnerFirst(request: WriteRequest, error: unknown): Promise<never> {
  const { target } = request.call
  const isThere = !target.sub || (await mayRead(request, target.sub.owner().resource, target.ownerId))
  throw isThere ? error : notThere(target)
}

/** The row alone, with its key and stored answer where there is one. */
async function createAlone({ writer, call }: WriteRequest, create: Create): Promise<Outcome> {
  const { attempt, keyed, location } = create
  const row = attempt.asked
  const outcome = created(call, row, firstVersion, location)
  const body = storedBody(call, outcome)
  const key = keyed && keyValues(writer, keyed, String(row.id), location, body, outcome.etag ?? null)
  const { account } = call.caller
  const { resource } = call.target.view
  if (!(await insertAlone(writer, { account, resource, row, key }))) throw keyTaken
  return outcome
}

async function createInteractive(request: WriteRequest, create: Create, own: EngineHooks): Promise<Outcome> {
  const { writer, call } = request
  const { account } = call.caller
  const { attempt, keyed, location } = create
  const { keys } = writer
  return changeRows(writer, account, async (changes) => {
    const write = inTransaction(request, changes)
    if (!keyed) return (await insertWithHooks(write, create, own)).answer
    const values = keyValues(writer, keyed, String(attempt.asked.id), location, null, null)
    if (!(await keys.claim(changes.tx, account, values))) throw keyTaken
    keyed.claimed?.()
    try {
      const { answer, replay } = await insertWithHooks(write, create, own)
      const stored = answerValues(writer, storedBody(call, replay), replay.etag ?? '')
      await keys.complete(changes.tx, account, keyed.key, stored)
      return answer
    } catch (error) {
      // The store may run this again, and another process may take the key before.
      keyed.released?.()
      throw error
    }
  })
}

interface Created {
  readonly answer: Outcome
  /** What later requests with the same key are answered. */
  readonly replay: Outcome
}

async function insertWithHooks(write: OpenWrite, create: Create, own: EngineHooks): Promise<Created> {
  const { call, changes } = write
  const { attempt, keyed, location } = create
  const row = attempt.asked
  const { resource } = call.target.view
  const { beforeCreate, afterCreate } = hooksOf(resource)
  const contextOf = hookContexts(write, keyed && derivedKey(changes.account, keyed))
  await refuseUnlessWhile(write, [row])
  let whole = row
  if (beforeCreate) {
    const missing = await missingReferences(write, attempt)
    if (missing) throw missing
    const copy = copyForHook(row)
    const returned = await finishHook(changes, beforeCreate(copy, contextOf('beforeCreate')))
    whole = afterHook(write, 'beforeCreate', { before: null, asked: row, copy, returned: returned ?? {} })
  }
  whole = { ...whole, ...(await own.beforeCreate?.(row, changes)) }
  if (beforeCreate) await refuseUnlessWhile(write, [whole])
  attempt.written = whole
  const inserted = await changes.insert(resource, whole)
  const shownOnce = await own.afterCreate?.(inserted.row, changes)
  const id = String(inserted.row.id)
  await refuseUnlessMade(write, id, 'create')
  if (afterCreate) {
    await finishHook(changes, afterCreate(copyForHook(inserted.row), contextOf('afterCreate')))
    // The hook may have changed the row it was called for.
    await refuseUnlessMade(write, id, 'create')
  }
  const now = await lockTarget(changes, { ...call, target: { ...call.target, id } }, 'to-change')
  const replay = created(call, now.row, now.version, location)
  if (!shownOnce) return { answer: replay, replay }
  return { answer: created(call, { ...now.row, ...shownOnce }, now.version, location), replay }
}

const storedBody = ({ target }: Call, outcome: Outcome): string | null =>
  target.view.idempotency.storesBody ? outcome.body : null

/** The version that every row is inserted with. */
const firstVersion = 1

const created = (call: Call, row: StoredRow, version: number, location: string): Outcome => ({
  status: 201,
  body: rowBody(call, row),
  etag: etagOf(call.target.view, version, call.caller.scopes),
  location,
})

/** The top-level URL where the resource has one, else the nested one. */
function locationOf({ target }: Call, id: string): string {
  const { version, view, sub, ownerId } = target
  if (view.topLevel || !sub) return `/${version.name}/${view.name}/${id}`
  return `/${version.name}/${sub.owner().name}/${ownerId}/${sub.segment}/${id}`
}
