import type { JsonObject } from '../request/json.ts'
import { StoreError } from '../store/store.ts'
import { createOnce, isPlain, keyTaken } from './create.ts'
import { findReplay, type KeyedRequest, keyReused, stillRunning } from './idempotency.ts'
import type { Call, Outcome, Runner } from './run.ts'

export async function create(
  runner: Runner,
  call: Call,
  body: JsonObject,
  keyed: KeyedRequest | null,
): Promise<Outcome> {
  return keyed ? createKeyed(runner, call, body, keyed) : createOnce(runner, call, body, null)
}

/** Exactly once: the first of all requests with a key runs, the others wait for it and replay. */
async function createKeyed(
  runner: Runner,
  call: Call,
  body: JsonObject,
  keyed: KeyedRequest,
): Promise<Outcome> {
  const name = `${call.caller.account}\0${keyed.key}`
  const deadline = performance.now() + runner.keyWaitMs
  for (;;) {
    const first = runner.inFlight.get(name)
    if (first) {
      if (first.fingerprint !== keyed.fingerprint) throw keyReused()
      if (!(await endsBefore(first.ended, deadline))) throw stillRunning()
      const replay = await findReplay(runner, call, keyed)
      if (replay) return replay
      continue
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    runner.inFlight.set(name, { fingerprint: keyed.fingerprint, ended: promise })
    try {
      return await createFirst(runner, call, body, keyed)
    } catch (error) {
      if (error !== keyTaken || performance.now() > deadline) throw inProgress(error)
    } finally {
      runner.inFlight.delete(name)
      resolve()
    }
  }
}

async function createFirst(
  runner: Runner,
  call: Call,
  body: JsonObject,
  keyed: KeyedRequest,
): Promise<Outcome> {
  // Most keys are new, so where nothing runs before the key is claimed, that tells.
  const replay = isPlain(call) ? null : await findReplay(runner, call, keyed)
  if (replay) return replay
  try {
    return await createOnce(runner, call, body, keyed)
  } catch (error) {
    // A replay comes before validation and conflicts: the first try may have passed under older rules, or just now elsewhere.
    const earlier = await findReplay(runner, call, keyed)
    if (earlier) return earlier
    throw error
  }
}

const inProgress = (error: unknown): unknown =>
  error === keyTaken || (error instanceof StoreError && error.kind === 'lock-timeout')
    ? stillRunning()
    : error

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
