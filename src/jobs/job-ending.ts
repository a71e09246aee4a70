import { inspect } from 'node:util'
import type { JobModel } from '../compile/model.ts'
import type { ClaimedJob, NextState } from './job-rows.ts'
import type { RunOutcome } from './run-job.ts'

/** How often the process of regular work may be killed before that run is given up. */
const mostKills = 5
const longestError = 2_000

/** What becomes of a job after a run: null where it is done and its row goes. */
export function endingOf(
  model: JobModel,
  job: ClaimedJob,
  outcome: RunOutcome,
  now: number,
): NextState | null {
  const error = outcome.kind === 'done' ? null : errorTextOf(outcome.error)
  if (model.kind === 'regular')
    return { status: 'waiting', dueAt: model.nextAfter(now, job.dueAt), attempts: 0, error }
  if (outcome.kind === 'done') return null
  const wait = outcome.isFinal ? undefined : model.retriesMs[job.attempt - 1]
  if (wait === undefined) return { status: 'failed', dueAt: null, attempts: job.attempt, error }
  return { status: 'waiting', dueAt: now + wait, attempts: job.attempt, error }
}

/** Why a job is not run once more: its processes were killed in each of its attempts, maybe by the job itself. Null where it is. */
export function usedUp(model: JobModel, { attempt }: ClaimedJob): RunOutcome | null {
  const most = model.kind === 'regular' ? mostKills : model.retriesMs.length + 1
  if (attempt <= most) return null
  const error = new Error(
    `The process that ran it ended ${most === 1 ? 'once' : `in the last of ${most} attempts`}.`,
  )
  return { kind: 'failed', error, isFinal: true }
}

/** What was thrown, which may be anything, as a text that every store takes. */
export function errorTextOf(thrown: unknown): string {
  let text: string
  try {
    text =
      thrown instanceof Error
        ? `${thrown.name}: ${thrown.message}`
        : typeof thrown === 'string'
          ? thrown
          : inspect(thrown)
  } catch {
    text = 'What was thrown has no text.'
  }
  return text.slice(0, longestError).toWellFormed().replaceAll('\0', ' ')
}
