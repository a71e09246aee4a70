import { counted } from '../compile/names/plural.ts'
import { type JobStatus, jobStatuses, type ListedJob, listJobs, retryJobs } from '../jobs/job-list.ts'
import { processText } from '../store/process-id.ts'
import { paint } from './colour.ts'
import { type Given, jsonOption } from './command.ts'
import { CommandMistake, UsageMistake } from './command-mistake.ts'
import { withStore } from './command-store.ts'
import { isDeclarationAt } from './load.ts'
import { operatorOfCommand } from './operator-of-command.ts'
import { positionalsUpTo } from './positionals.ts'

export const options = {
  status: { type: 'string', value: 'STATUS', does: 'only jobs that are waiting, running or failed' },
  account: { type: 'string', value: 'ACCOUNT', does: 'only jobs of this account' },
  json: jsonOption,
} as const

const mostShown = 1_000

/** `nounkit jobs [API]` lists jobs; `nounkit jobs retry [API] ID…` lets some run now. */
export async function jobsCommand({ flags, words }: Given<typeof options>): Promise<number> {
  if (words[0] === 'retry') return retry(words.slice(1), flags.json === true)
  const [place] = positionalsUpTo(words, 1)
  const status = readStatus(flags.status)
  const filter = { status, account: flags.account }
  return withStore(place, async ({ model, store }) => {
    const found = await listJobs(store, filter, mostShown + 1)
    const shown = found.slice(0, mostShown)
    if (flags.json)
      console.log(JSON.stringify({ jobs: shown.map(jsonOf), isCut: found.length > mostShown }, null, 2))
    else console.log(textOf(shown, model.soleAccount === null, found.length > mostShown))
    return 0
  })
}

function readStatus(given: string | undefined): JobStatus | undefined {
  const status = jobStatuses.find((one) => one === given)
  if (given !== undefined && status === undefined)
    throw new UsageMistake(`--status is "${given}". Write ${jobStatuses.join(', ')}, or leave it out.`)
  return status
}

const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

async function retry(given: readonly string[], json: boolean): Promise<number> {
  const place = given[0] !== undefined && isDeclarationAt(given[0]) ? given[0] : undefined
  const ids = place === undefined ? given : given.slice(1)
  const wrong = ids.find((id) => !isId(id))
  if (ids.length === 0 || wrong !== undefined)
    throw new UsageMistake(
      `${wrong === undefined ? 'Which jobs?' : `"${wrong}" is not the id of a job.`} Write their ids, as nounkit jobs shows them.`,
    )
  return withStore(place, async ({ store, clock }) => {
    const found = await retryJobs(store, ids, clock.now(), operatorOfCommand())
    const missing = ids.filter((id) => !found.includes(id))
    if (json) console.log(JSON.stringify({ retried: found, missing }, null, 2))
    else if (found.length > 0) console.log(`${counted(found.length, 'job')} will run now.`)
    if (missing.length > 0)
      throw new CommandMistake(
        `No job waits or has failed with the id ${missing.join(', ')}: it is done, or it runs.`,
      )
    return 0
  })
}

const timeText = (time: number | null): string | null => {
  const date = new Date(time ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

const jsonOf = (job: ListedJob): object => ({
  ...job,
  dueAt: timeText(job.dueAt),
  createdAt: timeText(job.createdAt),
  failedAt: timeText(job.failedAt),
  payload: JSON.parse(job.payload),
})

function textOf(jobs: readonly ListedJob[], showsAccounts: boolean, isCut: boolean): string {
  if (jobs.length === 0) return 'No jobs.'
  const lines = jobs.map((job) => {
    const account = showsAccounts && job.account !== '' ? ` of ${job.account}` : ''
    const line = `${paint('bold', job.id)}  ${job.name}${account}  ${stateOf(job)}`
    return job.error === null ? line : `${line}\n  ${job.error.split('\n', 1)[0]}`
  })
  if (isCut) lines.push(`Only the first ${mostShown} are shown. Say --status or --account for others.`)
  return lines.join('\n')
}

function stateOf({ status, dueAt, attempts, failedAt, runner }: ListedJob): string {
  if (status === 'failed') return `failed at ${timeText(failedAt)} after ${counted(attempts, 'attempt')}`
  if (status === 'running') return `running, attempt ${attempts}, ${processText(runner ?? '')}`
  return `waiting until ${timeText(dueAt)}${attempts > 0 ? ` after ${counted(attempts, 'attempt')}` : ''}`
}
