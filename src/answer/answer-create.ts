import { setTimeout as sleep } from 'node:timers/promises'
import type { Call, Outcome } from '../call/call.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import { Problem } from '../problems.ts'
import type { Value } from '../store/store.ts'
import { secondMs } from '../times.ts'
import { endsBefore } from '../write/exactly-once.ts'
import {
  answerValues,
  derivedKey,
  findReplay,
  type KeyedRequest,
  keyReused,
  stillRunning,
} from '../write/idempotency.ts'
import { newId } from '../write/ids.ts'
import { writeJobs } from '../write/job-inserts.ts'
import type { CreateInFlight } from '../write/keys/in-flight.ts'
import type { NewJob } from '../write/new-job.ts'
import type { Writer } from '../write/writer.ts'
import type { Answering } from './answering.ts'
import { handOver } from './handed-over.ts'
import { prepareCreate, runCreate } from './run-create.ts'

/** How often a request looks whether a claim of another process has ended. */
const lookEveryMs = 100

/** How much longer than the answer a claim holds, so that an answer that is just in time is still stored. */
const claimMarginMs = secondMs

/**
 * POST of a row that code answers for. Under an Idempotency-Key the key is claimed before the code runs, and its answer stored when it
 * succeeds. A process that is killed in between leaves its claim, which lapses when the time of the answer is over: then a retry runs the
 * code again, with the same key to pass on.
 */
export async function answerCreate(
  answering: Answering,
  call: Call,
  body: JsonObject,
  keyed: KeyedRequest | null,
): Promise<Outcome> {
  const { account } = call.caller
  if (!keyed) {
    const outcome = await runCreate(answering, call, await prepareCreate(answering, call, body), null)
    await handOver(answering.writer, account, outcome.jobs)
    return outcome
  }
  const { inFlight, keyWaitMs } = answering.writer
  const deadline = performance.now() + keyWaitMs
  for (;;) {
    const first = inFlight.find(account, keyed.key)
    if (first) {
      await endOf(first, keyed, deadline)
      continue
    }
    const mine = inFlight.begin(account, keyed.key, keyed.fingerprint)
    try {
      const outcome = await answerUnderKey(answering, call, body, keyed, mine)
      if (outcome) return outcome
    } catch (error) {
      if (!isRunningElsewhere(error) || performance.now() > deadline) throw error
      await sleep(lookEveryMs)
    } finally {
      inFlight.end(mine)
    }
  }
}

/** Waits for the request of this process that has the key. */
async function endOf(first: CreateInFlight, keyed: KeyedRequest, deadline: number): Promise<void> {
  if (first.fingerprint !== keyed.fingerprint && first.hasKey) throw keyReused()
  if (!(await endsBefore(first.ended, deadline))) throw stillRunning()
}

const isRunningElsewhere = (error: unknown): boolean =>
  error instanceof Problem && error.type === 'idempotency-in-progress'

/** The answer, which may be that of an earlier request; null where another request has claimed the key just now. */
async function answerUnderKey(
  answering: Answering,
  call: Call,
  body: JsonObject,
  keyed: KeyedRequest,
  mine: CreateInFlight,
): Promise<Outcome | null> {
  const { writer } = answering
  const { account } = call.caller
  const replay = await findReplay(writer, call, keyed)
  if (replay) return replay
  const prepared = await prepareCreate(answering, call, body)
  const claim = newId(writer.now())
  if (!(await writer.keys.claimAhead(account, claimValues(answering, call, keyed, claim)))) return null
  mine.claimed()
  try {
    const outcome = await runCreate(answering, call, prepared, derivedKey(account, keyed))
    const { body: text, etag = '', location = null, rowId, jobs } = outcome
    const stored = [location, rowId, ...answerValues(writer, text, etag)]
    if (jobs.length === 0) await writer.keys.answerAhead(account, keyed.key, claim, stored)
    else await storeWithJobs(writer, account, { key: keyed.key, claim, stored }, jobs)
    return outcome
  } catch (error) {
    // Where the store is away, the claim lapses by itself.
    await writer.keys.releaseAhead(account, keyed.key, claim).catch(() => undefined)
    throw error
  }
}

/** Where the claim is another's by now, the code runs again there, and hands its jobs over itself. */
async function storeWithJobs(
  writer: Writer,
  account: string,
  { key, claim, stored }: { readonly key: string; readonly claim: string; readonly stored: readonly Value[] },
  jobs: readonly NewJob[],
): Promise<void> {
  const isOurs = await writer.store.transaction(async (tx) => {
    if (!(await writer.keys.answerIn(tx, account, key, claim, stored))) return false
    await writeJobs(tx, account, jobs)
    return true
  }, account)
  if (isOurs) writer.jobs.committed(account)
}

/** The row of a claimed key, in the order of the columns that `keyRow` binds. It expires with the claim. */
function claimValues(
  { writer }: Answering,
  { target }: Call,
  { key, fingerprint }: KeyedRequest,
  claim: string,
): readonly Value[] {
  const now = writer.now()
  const within = target.view.resource.answered?.withinMs ?? 0
  return [key, fingerprint, null, claim, now, now + within + claimMarginMs, null, null]
}
