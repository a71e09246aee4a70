import type { Call, Outcome } from '../call/call.ts'
import { etagOf } from '../call/etag.ts'
import type { StoredRow } from '../call/stored-row.ts'
import { notThere } from '../call/target.ts'
import { noRules } from '../compile/rules/checked-rule.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import type { Maybe } from '../maybe.ts'
import { readCreate } from '../request/body.ts'
import { actorOf } from './actor.ts'
import { firstVersion, insertAlone } from './change-rows.ts'
import { missingReferences, refuseUnreadable, writeRefused } from './conflicts.ts'
import { createUnderKey, keyTaken } from './create-under-key.ts'
import { type EngineHooks, noEngineHooks } from './engine-hooks.ts'
import { derivedKey, type KeyedRequest, keyValues } from './idempotency.ts'
import { insertWithHooks, refuseBeforeInsert } from './insert-with-hooks.ts'
import { createDecision, mayRead, notPermitted } from './judge.ts'
import { newRow } from './new-row.ts'
import { rowBody } from './row-body.ts'
import { type Attempt, outsideTransaction, type WriteRequest } from './write-request.ts'
import type { Writer } from './writer.ts'

/** Whether nothing but the row itself is read or written, so that no interactive transaction is needed. */
export const isSingleStatement = (call: Call): boolean => {
  const { hasHooks, onlyWhile, feeds, rules } = call.target.view.resource
  if (hasHooks.create || onlyWhile.length > 0 || feeds.length > 0) return false
  return rules === noRules || createDecision(call) === true
}

/** One attempt: writes the row, and its key where there is one, or throws and writes nothing. */
export async function createRowOnce(
  writer: Writer,
  call: Call,
  body: JsonObject,
  keyed: KeyedRequest | null,
): Promise<Outcome> {
  const request = outsideTransaction(writer, call)
  const sent = readSent(request, () => readCreate(call.target, body, call.caller.scopes))
  const { resource } = call.target.view
  const row = newRow(resource, sent instanceof Promise ? await sent : sent, writer.now())
  const attempt: Attempt = { place: '', before: null, asked: row, written: null }
  const create: Create = { attempt, keyed, location: locationOf(call, String(row.id)) }
  try {
    await refuseUnreadable(request, [attempt])
    if (createDecision(call) === false)
      throw (await missingReferences(request, [attempt])) ?? notPermitted(call, 'create this row')
    if (isSingleStatement(call)) return await createAlone(request, create)
    const own = resource.engineMade ? await writer.engineHooks(call, row) : noEngineHooks
    return await createInteractive(request, create, own)
  } catch (error) {
    throw await writeRefused(error, request, [attempt])
  }
}

/** The new row, its key where there is one, and the value of the Location header. */
interface Create {
  readonly attempt: Attempt
  readonly keyed: KeyedRequest | null
  readonly location: string
}

/** What a body says, as `read` understands it. An owner in the path that does not exist is 404, before any fault of the body. */
export function readSent<T>(request: WriteRequest, read: () => T): Maybe<T> {
  try {
    return read()
  } catch (error) {
    return refuseOwnerFirst(request, error)
  }
}

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
  if (!(await insertAlone(writer, { account, actor: actorOf(call), resource, row, key }))) throw keyTaken
  return outcome
}

async function createInteractive(request: WriteRequest, create: Create, own: EngineHooks): Promise<Outcome> {
  const { writer, call } = request
  const { account } = call.caller
  const { attempt, keyed, location } = create
  const key = keyed && {
    keyed,
    values: keyValues(writer, keyed, String(attempt.asked.id), location, null, null),
  }
  return createUnderKey(request, key, async (write) => {
    await refuseBeforeInsert(write, [attempt])
    const inserted = await insertWithHooks(write, attempt, own, keyed && derivedKey(account, keyed))
    const { row, version, shownOnce } = inserted
    const replay = created(call, row, version, location)
    const stored = { body: storedBody(call, replay), etag: replay.etag ?? '' }
    if (!shownOnce) return { answer: replay, stored }
    return { answer: created(call, { ...row, ...shownOnce }, version, location), stored }
  })
}

const storedBody = ({ target }: Call, outcome: Outcome): string | null =>
  target.view.idempotency.storesBody ? outcome.body : null

const created = (call: Call, row: StoredRow, version: number, location: string): Outcome => ({
  status: 201,
  body: rowBody(call, row),
  etag: etagOf(call.target.view, version, call.caller.scopes),
  location,
})

/** The top-level URL where the resource has one, else the nested one. */
export function locationOf({ target }: Call, id: string): string {
  const { version, view, sub, ownerId } = target
  if (view.topLevel || !sub) return `/${version.name}/${view.name}/${id}`
  return `/${version.name}/${sub.owner().name}/${ownerId}/${sub.segment}/${id}`
}
