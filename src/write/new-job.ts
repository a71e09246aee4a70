import type { JobModel, Model, QueuedJob } from '../compile/model.ts'
import { didYouMean } from '../compile/names/nearest.ts'
import type { JobDeclaration, LaterOptions } from '../declare/job.ts'
import { newId } from './ids.ts'

/** A job that is handed over, before its row is written. */
export interface NewJob {
  readonly id: string
  readonly name: string
  /** JSON. */
  readonly payload: string
  readonly dueAt: number
  readonly createdAt: number
  readonly unique: string | null
}

interface JobMaker {
  readonly model: Pick<Model, 'jobs'>
  now(): number
}

const longestPayload = 65_536
const longestUnique = 200
const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

/**
 * Checks a job that code hands over. A mistake is the author's: the error says what to write. Nothing is written yet: the rows of
 * `writeJobs` belong into the transaction of what they are about.
 */
export async function newJob(
  { model, now }: JobMaker,
  job: string | JobDeclaration,
  payload: unknown,
  options: LaterOptions = {},
): Promise<NewJob> {
  const { name, declaration } = namedJob(model.jobs, job)
  const mistake = (what: string) => new Error(`later('${name}', …): ${what}`)
  const createdAt = now()
  return {
    id: newId(createdAt),
    name,
    payload: await payloadText(declaration, payload, mistake),
    createdAt,
    dueAt: dueAt(options.at, createdAt, mistake),
    unique: uniqueText(options.unique, mistake),
  }
}

function namedJob(jobs: ReadonlyMap<string, JobModel>, given: string | JobDeclaration): QueuedJob {
  const found =
    typeof given === 'string'
      ? jobs.get(given)
      : [...jobs.values()].find(({ declaration }) => declaration === given)
  if (found?.kind === 'queued') return found
  if (found) throw new Error(`later('${found.name}', …): it runs at regular times, and is not handed over.`)
  const shown = typeof given === 'string' ? `'${given}'` : 'job'
  const declare = 'Declare it in api(…): jobs: { remind: job(z.object({ … }), async (payload) => { … }) }.'
  const near = typeof given === 'string' && jobs.size > 0 ? `${didYouMean(given, jobs.keys())} ` : ''
  throw new Error(`later(${shown}, …): there is no such job. ${near}${declare}`)
}

/** What the job will get is what JSON makes of the payload, so that is what must fit. */
async function payloadText(
  { schema }: JobDeclaration,
  payload: unknown,
  mistake: (what: string) => Error,
): Promise<string> {
  const text = textOf(payload, mistake)
  if (Buffer.byteLength(text) > longestPayload)
    throw mistake(
      `its payload has more than ${longestPayload} bytes. Give it ids, and read the rows in the job.`,
    )
  const checked = await schema.safeParseAsync(JSON.parse(text))
  if (checked.success) return text
  throw mistake(`the payload does not fit: ${faultsOf(checked.error.issues)}.`)
}

function textOf(payload: unknown, mistake: (what: string) => Error): string {
  try {
    return JSON.stringify(payload) ?? 'null'
  } catch {
    throw mistake('the payload cannot be written as JSON.')
  }
}

/** `loan_id: Invalid input` */
export const faultsOf = (
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): string =>
  issues
    .slice(0, 5)
    .map(({ path, message }) => (path.length > 0 ? `${path.map(String).join('.')}: ${message}` : message))
    .join('; ')

function dueAt(at: unknown, now: number, mistake: (what: string) => Error): number {
  if (at === undefined) return now
  const time =
    at instanceof Date
      ? at.getTime()
      : typeof at === 'string' && rfc3339.test(at)
        ? Date.parse(at)
        : Number.NaN
  if (Number.isFinite(time)) return time
  throw mistake("at must be a Date, or a text such as '2026-03-01T09:00:00Z'.")
}

function uniqueText(unique: unknown, mistake: (what: string) => Error): string | null {
  if (unique === undefined) return null
  if (typeof unique === 'string' && unique.length > 0 && unique.length <= longestUnique && isStorable(unique))
    return unique
  throw mistake(`unique must be a text of 1 to ${longestUnique} characters.`)
}

/** PostgreSQL has no NUL in texts. */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')
