import type { JobModel, QueuedJob } from '../compile/model.ts'
import type { EveryContext, JobCaller, JobContext } from '../declare/job.ts'
import { faultsOf } from '../write/new-job.ts'
import type { ClaimedJob } from './job-rows.ts'

/** What jobs get from the service. */
export interface JobDoors {
  /** The client of the service, for an account. */
  clientOf(caller: JobCaller & { readonly account?: string }): unknown
  /** One row of an account, whatever the rules say. */
  find: (account: string, ...asked: Parameters<JobContext['find']>) => ReturnType<JobContext['find']>
}

export type RunOutcome =
  | { readonly kind: 'done' }
  /** `isFinal` where another attempt would fail in the same way. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly isFinal: boolean }

/** Why a signal aborts. */
const tookTooLong = (withinMs: number): Error =>
  new DOMException(`It did not end within ${withinMs / 1_000} seconds.`, 'TimeoutError')

/** Runs a job once. Never throws. A run that does not end in time has failed: its signal aborts, and nobody waits for it any more. */
export async function runJob(
  model: JobModel,
  job: ClaimedJob,
  doors: JobDoors,
  ending: AbortController,
): Promise<RunOutcome> {
  const late = Promise.withResolvers<RunOutcome>()
  const timer = setTimeout(
    () => {
      const error = tookTooLong(model.withinMs)
      late.resolve({ kind: 'failed', error, isFinal: false })
      ending.abort(error)
    },
    Math.min(model.withinMs, longestTimer),
  )
  timer.unref()
  try {
    return await Promise.race([attempted(model, job, doors, ending.signal), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Node takes a longer one for 1 ms. */
const longestTimer = 2 ** 31 - 1

async function attempted(
  model: JobModel,
  job: ClaimedJob,
  doors: JobDoors,
  signal: AbortSignal,
): Promise<RunOutcome> {
  try {
    if (model.kind === 'regular') {
      await model.declaration.run(everyContext(job, doors, signal))
      return { kind: 'done' }
    }
    const read = await readPayload(model, job)
    if (read instanceof Error) return { kind: 'failed', error: read, isFinal: true }
    await model.declaration.run(read.payload, jobContext(job, doors, signal))
    return { kind: 'done' }
  } catch (error) {
    return { kind: 'failed', error, isFinal: false }
  }
}

/** A payload that was written before a deploy may not fit what the job takes now. */
async function readPayload(
  { declaration }: QueuedJob,
  { payload }: ClaimedJob,
): Promise<Error | { readonly payload: unknown }> {
  const read = await declaration.schema.safeParseAsync(JSON.parse(payload))
  if (read.success) return { payload: read.data }
  return new Error(
    `Its payload does not fit the job any more: ${faultsOf(read.error.issues)}. Let the job take it, then run: nounkit jobs retry`,
  )
}

const jobContext = (job: ClaimedJob, doors: JobDoors, signal: AbortSignal): JobContext => {
  const { id, account, attempt } = job
  const context = {
    id,
    account,
    attempt,
    signal,
    as: (caller: JobCaller = {}) => doors.clientOf({ ...caller, account }),
    find: (...asked: Parameters<JobContext['find']>) => doors.find(account, ...asked),
  }
  return context as JobContext
}

/** Each run has an id of its own, which a further attempt has too. */
const everyContext = (
  { name, dueAt, attempt }: ClaimedJob,
  doors: JobDoors,
  signal: AbortSignal,
): EveryContext => {
  const context = {
    id: `${name} ${new Date(dueAt).toISOString()}`,
    attempt,
    signal,
    as: (caller: Parameters<JobDoors['clientOf']>[0] = {}) => doors.clientOf(caller),
  }
  return context as EveryContext
}
