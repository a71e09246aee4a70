import { keyTable } from '../plan/keys.ts'
import type { Call, Outcome } from '../read/call.ts'
import type { JsonObject } from '../request/json.ts'
import { StoreError } from '../store/store.ts'
import { createOnce, isSingleStatement, keyTaken } from './create.ts'
import { findReplay, type KeyedRequest, keyReused, stillRunning } from './idempotency.ts'
import type { CreateInFlight } from './keys/in-flight.ts'
import type { Writer } from './writer.ts'

export const create = (
  writer: Writer,
  call: Call,
  body: JsonObject,
  keyed: KeyedRequest | null,
): Promise<Outcome> => (keyed ? createKeyed(writer, call, body, keyed) : createOnce(writer, call, body, null))

/**
 * Exactly once: the first of all requests with a key runs, the others wait for it and replay. Where the lock of another process
 * is that of the whole store, nobody can tell whether it is for the same key: then the wait is that of any write, and so is its
 * end. To give up sooner, or to say 409, would refuse new keys for no reason of theirs.
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
      // Most keys are new, so where nothing runs before the key is claimed, that tells.
      const replay = isSingleStatement(call) ? null : await findReplay(writer, call, keyed)
      return replay ?? (await createOnce(writer, call, body, mine))
    } catch (error) {
      // A replay comes before validation and conflicts: the first try may have passed under older rules, or just now elsewhere.
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

/** The replay of the create under way, or of one before it; null when it left the key free. */
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
  // One with another body may itself come too late: after an answer that was kept, or behind another process.
  const earlier = first.hasKey ? null : await findReplay(writer, call, keyed)
  if (earlier) return earlier
  if (!first.hasKey && !(await endsBefore(first.decided, deadline))) throw stillRunning()
  if (first.hasKey) throw keyReused()
  return findReplay(writer, call, keyed)
}

/** Another process has the key. Who waited for anything else in vain does not know of a first request. */
const refuseInProgress = (error: unknown): never => {
  const forKey = error instanceof StoreError && error.kind === 'lock-timeout' && error.table === keyTable
  throw forKey ? stillRunning() : error
}

async function endsBefore(ended: Promise<void>, deadline: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, deadline - performance.now()), false)
  })
  try {
    return await Promise.race([ended.then(() => true as const), late])
  } finally {
    clearTimeout(timer)
  }
}
