import type { Call, Outcome } from '../call/call.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import { inTime } from '../in-time.ts'
import { keyTable } from '../plan/keys.ts'
import { isRowList } from '../request/row-list.ts'
import { StoreError } from '../store/store.ts'
import { createRowOnce, isSingleStatement } from './create.ts'
import { createListOnce } from './create-list.ts'
import { keyTaken } from './create-under-key.ts'
import { findReplay, type KeyedRequest, keyReused, stillRunning } from './idempotency.ts'
import type { CreateInFlight } from './keys/in-flight.ts'
import type { Writer } from './writer.ts'

export const create = (
  writer: Writer,
  call: Call,
  body: JsonObject,
  keyed: KeyedRequest | null,
): Promise<Outcome> => (keyed ? createKeyed(writer, call, body, keyed) : createOnce(writer, call, body, null))

const createOnce: typeof createRowOnce = (writer, call, body, keyed) =>
  (isRowList(call.target.view, body) ? createListOnce : createRowOnce)(writer, call, body, keyed)

/**
 * Exactly once: the first of all requests with a key runs, the others wait for it and replay its answer. On SQLite another
 * process's lock is on the whole file, so a create cannot know whether the lock is for the same key: it waits as any write does,
 * and a wait that takes too long is 503, not 409.
 */
async function createKeyed(
  writer: Writer,
  call: Call,
  body: JsonObject,
  keyed: KeyedRequest,
): Promise<Outcome> {
  const { account } = call.caller
  const { key, fingerprint } = keyed
  let deadline = 0
  for (;;) {
    const first = writer.inFlight.find(account, key)
    if (first) {
      deadline ||= performance.now() + writer.keyWaitMs
      const replay = await replayAfter(writer, call, keyed, first, deadline)
      if (replay) return replay
      continue
    }
    const mine = writer.inFlight.begin(account, key, fingerprint)
    try {
      // Most keys are new. Where no hook runs before the key is inserted, the insert itself finds an older key.
      const replay = isSingleStatement(call) ? null : await findReplay(writer, call, keyed)
      return replay ?? (await createOnce(writer, call, body, mine))
    } catch (error) {
      // A replay comes before validation and conflicts: the first request may have passed under an older schema, or in another process just now.
      const earlier = await findReplay(writer, call, keyed).catch(refuseInProgress)
      if (earlier) return earlier
      if (error !== keyTaken) refuseInProgress(error)
      deadline ||= performance.now() + writer.keyWaitMs
      if (performance.now() > deadline) throw stillRunning()
    } finally {
      writer.inFlight.end(mine)
    }
  }
}

/** The replay of the create in flight, or of an earlier one; null when the create in flight failed and left the key free. */
async function replayAfter(
  writer: Writer,
  call: Call,
  keyed: KeyedRequest,
  first: CreateInFlight,
  deadline: number,
): Promise<Outcome | null> {
  if (first.fingerprint === keyed.fingerprint) {
    if (!(await endsBefore(first.ended, deadline))) throw stillRunning()
    return findReplay(writer, call, keyed)
  }
  // The create in flight has another body. It may itself fail: an answer may be stored already, or another process may hold the key.
  const earlier = first.hasKey ? null : await findReplay(writer, call, keyed)
  if (earlier) return earlier
  if (!first.hasKey && !(await endsBefore(first.decided, deadline))) throw stillRunning()
  if (first.hasKey) throw keyReused()
  return findReplay(writer, call, keyed)
}

/** A lock that timed out on the table of keys means that another process holds the key. Other locks say nothing about the key. */
const refuseInProgress = (error: unknown): never => {
  const forKey = error instanceof StoreError && error.kind === 'lock-timeout' && error.table === keyTable
  throw forKey ? stillRunning() : error
}

export const endsBefore = (ended: Promise<void>, deadline: number): Promise<boolean> =>
  inTime(
    ended.then(() => true),
    deadline - performance.now(),
    false,
  )
