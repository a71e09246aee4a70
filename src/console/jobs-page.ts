import { countJobs } from '../jobs/job-figures.ts'
import { type JobStatus, jobStatuses, type ListedJob, listJobs, retryJobs } from '../jobs/job-list.ts'
import { html, type Markup, tableOr } from '../pages/markup.ts'
import { processText } from '../store/process-id.ts'
import { askOnce, isConfirmed } from './ask-once.ts'
import type { ConsolePage, PostedForm, ShownPage, Visit } from './console-page.ts'
import { ConsoleRefusal } from './console-refusal.ts'
import { cutInCell } from './data/shown-value.ts'
import { timeShown } from './time-shown.ts'

const jobsPath = '/console/jobs'
const retryPath = `${jobsPath}/retry`
const mostShown = 200

/** `/console/jobs`: jobs of the chosen account, or of all, and one more try for those that wait or have failed. */
export const jobsPages: readonly ConsolePage[] = [
  { kind: 'page', path: jobsPath, inNavigation: 'Jobs', get: shownJobs },
  { kind: 'page', path: retryPath, post: retryJob },
]

async function shownJobs(visit: Visit): Promise<ShownPage> {
  const { parts, query, account } = visit
  const { store, clock, model } = parts
  const status = jobStatuses.find((one) => one === query.get('status'))
  const found = await listJobs(store, { status, account: account ?? undefined }, mostShown + 1)
  const regular = [...model.jobs.values()].flatMap(({ kind, name }) => (kind === 'regular' ? [name] : []))
  const figures = account === null ? await countJobs(store, clock, regular) : null
  return {
    title: 'Jobs',
    isWide: true,
    body: html`<h1>Jobs${model.soleAccount === null && (account === null ? ' of all accounts' : html` of ${account}`)}</h1>
${query.get('done') === 'retried' && html`<p class="said" role="status">The job runs as soon as a process takes it.</p>`}
${figures && html`<p>${figures.waiting} waiting, ${figures.running} running, ${figures.failed} failed.${figures.oldestSeconds > 0 && html` One has been due for ${Math.round(figures.oldestSeconds)} s.`}</p>`}
<p class="paging">${statusLink(visit, null, status)}${jobStatuses.map((one) => statusLink(visit, one, status))}</p>
${tableOr(
  'No jobs.',
  'Jobs',
  ['Job', 'Account', 'State', 'Due', { figure: 'Attempts' }, 'Handed over', 'Last error', 'Do'],
  found.slice(0, mostShown).map((job) => jobRow(visit, job)),
)}
${found.length > mostShown && html`<p class="legend">The first ${mostShown}.</p>`}`,
  }
}

const statusLink = ({ link }: Visit, status: JobStatus | null, chosen: JobStatus | undefined): Markup =>
  html`<a href="${link(jobsPath, { status })}"${(chosen ?? null) === status && html` aria-current="page"`}>${status ?? 'all'}</a>`

const jobRow = (visit: Visit, job: ListedJob): Markup => {
  const { id, name, account, status, dueAt, failedAt, attempts, createdAt, runner, error } = job
  const where = status === 'running' && runner !== null && html`<br><small>${processText(runner)}</small>`
  return html`<tr><td><b>${name}</b><br><code>${id}</code></td><td>${account === '' ? html`<span class="none">at its times</span>` : account}</td><td>${status}${where}</td><td>${timeShown(dueAt ?? failedAt)}</td><td class="figure">${attempts}</td><td>${timeShown(createdAt)}</td><td>${error === null ? html`<span class="none">none</span>` : errorOf(error)}</td><td>${status !== 'running' && retryForm(visit, job)}</td></tr>`
}

const errorOf = (error: string): Markup => {
  const first = cutInCell(error.split('\n', 1)[0] ?? '')
  return first === error
    ? html`${first}`
    : html`<details><summary>${first}</summary><pre tabindex="0" class="wrapped">${error}</pre></details>`
}

const retryForm = (visit: Visit, { id, name }: ListedJob): Markup =>
  visit.form(
    visit.link(retryPath),
    html`<input type="hidden" name="id" value="${id}"><input type="hidden" name="job" value="${name}"><button class="plain" aria-label="Run now: ${name} ${id}">Run now</button>`,
  )

async function retryJob(visit: Visit, form: PostedForm) {
  const { parts, operator } = visit
  const id = form.get('id') ?? ''
  if (!isConfirmed(form))
    return askOnce(visit, form, {
      title: `Run ${form.get('job') ?? 'the job'} now?`,
      content: html`<p>The job <code>${id}</code> becomes due at once, with all its attempts before it. What an attempt that failed half-way has done outside the store may be done again.</p>`,
      path: retryPath,
      fields: ['id', 'job'],
      button: 'Run it now',
      back: jobsPath,
    })
  const found = await retryJobs(parts.store, [id], parts.clock.now(), operator)
  if (found.length === 0)
    throw new ConsoleRefusal(
      409,
      'Refused',
      'No job with this id waits or has failed: it is done, or it runs.',
    )
  return { goTo: visit.link(jobsPath, { done: 'retried' }) }
}
