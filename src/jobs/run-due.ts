import { newProcessId } from '../store/process-id.ts'
import { endingOf, errorTextOf, usedUp } from './job-ending.ts'
import { type ClaimedJob, JobRows } from './job-rows.ts'
import { runJob } from './run-job.ts'
import type { RunnerParts } from './runner.ts'
import { RunnerRows } from './runner-rows.ts'

type DueParts = Pick<RunnerParts, 'model' | 'store' | 'clock' | 'doors'>

/** A run that `runDue` made. */
export interface RanJob {
  readonly name: string
  /** Empty for work at regular times. */
  readonly account: string
  readonly id: string
  readonly attempt: number
  /** Null where it went well. */
  readonly error: string | null
}

/** Runs the jobs that are due by the clock, one after the other, also those that they hand over, and resolves when none is left. */
export async function runDue(parts: DueParts): Promise<readonly RanJob[]> {
  const { model, store, clock } = parts
  const rows = new JobRows(store, [...model.jobs.keys()])
  const runners = new RunnerRows(store)
  const runner = newProcessId()
  const ran: RanJob[] = []
  const now = clock.now()
  for (const job of model.jobs.values())
    if (job.kind === 'regular') await rows.tend(job.name, job.nextAfter(now), now)
  await runners.add(runner)
  try {
    for (let found = true; found; ) {
      found = false
      for (const account of await rows.dueAccounts(clock.now()))
        for (const job of await rows.claim(account, runner, clock.now(), 1)) {
          found = true
          ran.push(await runOne(parts, rows, job))
        }
    }
  } finally {
    await runners.remove(runner)
  }
  return ran
}

async function runOne({ model, clock, doors }: DueParts, rows: JobRows, job: ClaimedJob): Promise<RanJob> {
  const { name, account, id, attempt } = job
  const declared = model.jobs.get(name)
  if (!declared) throw new Error(`The job ${name} is not declared.`)
  const outcome = usedUp(declared, job) ?? (await runJob(declared, job, doors, new AbortController()))
  const next = endingOf(declared, job, outcome, clock.now())
  if (next) await rows.change(job, next, clock.now())
  else await rows.done([job])
  return { name, account, id, attempt, error: outcome.kind === 'failed' ? errorTextOf(outcome.error) : null }
}
