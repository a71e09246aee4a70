import type { Call, Outcome } from '../call/call.ts'
import type { StoredRow } from '../call/stored-row.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import { placeOf } from '../request/field-errors.ts'
import { readRowList } from '../request/row-list.ts'
import { actorOf } from './actor.ts'
import { firstVersion, insertManyAlone } from './change-rows.ts'
import { missingReferences, refuseUnreadable, writeRefused } from './conflicts.ts'
import { isSingleStatement, readSent } from './create.ts'
import { createUnderKey, keyTaken } from './create-under-key.ts'
import { noEngineHooks } from './engine-hooks.ts'
import { derivedKey, type KeyedRequest, keyValues } from './idempotency.ts'
import { insertWithHooks, refuseBeforeInsert } from './insert-with-hooks.ts'
import { createDecision, notPermitted, refuseUnlessAllMade, refuseUnlessMade } from './judge.ts'
import { newRow } from './new-row.ts'
import { isOutOfRange } from './out-of-range.ts'
import { listBody } from './row-body.ts'
import { lockTarget } from './update.ts'
import { withinRow } from './within-row.ts'
import { type Attempt, type OpenWrite, outsideTransaction, type WriteRequest } from './write-request.ts'
import type { Writer } from './writer.ts'

/** One attempt: writes all rows of a list in one transaction, and its key where there is one, or throws and writes nothing. */
export async function createListOnce(
  writer: Writer,
  call: Call,
  body: JsonObject,
  keyed: KeyedRequest | null,
): Promise<Outcome> {
  const request = outsideTransaction(writer, call)
  const { resource } = call.target.view
  const sent = await readSent(request, () => readRowList(call.target, body, call.caller.scopes))
  const now = writer.now()
  const attempts = sent.map((row, index): Attempt => {
    return { place: placeOf(index), before: null, asked: newRow(resource, row, now), written: null }
  })
  try {
    await refuseUnreadable(request, attempts)
    if (createDecision(call) === false)
      throw (await missingReferences(request, attempts)) ?? notPermitted(call, 'create these rows')
    const inTurn = () => createInteractive(request, attempts, keyed, insertEach)
    if (resource.hasHooks.create) return await inTurn()
    const together = isSingleStatement(call)
      ? createAlone(request, attempts, keyed)
      : createInteractive(request, attempts, keyed, insertAll)
    return await together.catch((error) => {
      // Only rows that are inserted one by one say which of them is out of range.
      if (isOutOfRange(error)) return inTurn()
      throw error
    })
  } catch (error) {
    throw await writeRefused(error, request, attempts)
  }
}

/** The rows alone, with their key and stored answer where there is one. */
async function createAlone(
  { writer, call }: WriteRequest,
  attempts: readonly Attempt[],
  keyed: KeyedRequest | null,
): Promise<Outcome> {
  const { resource, idempotency } = call.target.view
  const rows = attempts.map(({ asked }) => asked)
  const body = listBody(call, rows)
  const stored = idempotency.storesBody ? body : null
  const key = keyed && keyValues(writer, keyed, idsOf(rows), null, stored, '')
  const alone = { account: call.caller.account, actor: actorOf(call), resource, rows, key }
  if (!(await insertManyAlone(writer, alone))) throw keyTaken
  return { status: 201, body }
}

async function createInteractive(
  request: WriteRequest,
  attempts: readonly Attempt[],
  keyed: KeyedRequest | null,
  insert: Insert,
): Promise<Outcome> {
  const { writer, call } = request
  const { idempotency } = call.target.view
  const ids = idsOf(attempts.map(({ asked }) => asked))
  const key = keyed && { keyed, values: keyValues(writer, keyed, ids, null, null, null) }
  return createUnderKey(request, key, async (write) => {
    for (const attempt of attempts) {
      attempt.written = null
      attempt.isOutOfRange = false
    }
    await refuseBeforeInsert(write, attempts)
    const answer = { status: 201, body: listBody(call, await insert(write, attempts, keyed)) }
    return { answer, stored: { body: idempotency.storesBody ? answer.body : null, etag: '' } }
  })
}

const idsOf = (rows: readonly StoredRow[]): string => rows.map(({ id }) => String(id)).join(' ')

type Insert = (
  write: OpenWrite,
  attempts: readonly Attempt[],
  keyed: KeyedRequest | null,
) => Promise<readonly StoredRow[]>

/** Where no hook runs, the rows are inserted together, and one by one only where they are refused for a value. */
const insertAll: Insert = async (write, attempts) => {
  const { call, changes } = write
  const rows = attempts.map(({ asked }) => asked)
  for (const attempt of attempts) attempt.written = attempt.asked
  const whole = rows.map((row) => ({ row, version: firstVersion }))
  await changes.insertMany(call.target.view.resource, whole, () => false)
  if (createDecision(call) === null) await refuseUnlessAllMade(write, rows)
  return rows
}

/** Hooks run for each row, in the order of the list. A later one may have changed an earlier row, so all are read at the end. */
const insertEach: Insert = async (write, attempts, keyed) => {
  const { call, changes } = write
  for (const [index, attempt] of attempts.entries()) {
    // Each row has a key of its own: a hook passes it on to other services, which must not take two rows for one.
    const key = keyed && derivedKey(changes.account, keyed, index)
    await withinRow(index, () =>
      insertWithHooks(write, attempt, noEngineHooks, key).catch((error) => {
        // What a statement threw ends the transaction, whatever is thrown in its place, so the row is noted.
        attempt.isOutOfRange = isOutOfRange(error)
        throw error
      }),
    )
  }
  const rows: StoredRow[] = []
  for (const [index, { asked }] of attempts.entries())
    await withinRow(index, async () => {
      const id = String(asked.id)
      await refuseUnlessMade(write, id, 'create')
      rows.push((await lockTarget(changes, { ...call, target: { ...call.target, id } }, 'to-change')).row)
    })
  return rows
}
