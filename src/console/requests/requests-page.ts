import { html, type Markup, tableOr } from '../../pages/markup.ts'
import { processText } from '../../store/process-id.ts'
import type { ConsolePage, ShownPage, Visit } from '../console-page.ts'
import { timeShown } from '../time-shown.ts'
import { wrongOf } from '../today/merged-figures.ts'
import type { AnsweredRequest } from './recent-requests.ts'

const requestsPath = '/console/requests'
const mostShown = 200

/** `/console/requests`: the last requests of this process, those that went wrong in any process, or the one with an id. */
export const requestsPage: ConsolePage = {
  kind: 'page',
  path: requestsPath,
  inNavigation: 'Requests',
  get: shownRequests,
}

/** `process` is null for the process that makes the page. */
type FoundRequest = AnsweredRequest & { readonly process: string | null }

async function shownRequests({ parts, query, account }: Visit): Promise<ShownPage> {
  const { model, recentRequests, figures } = parts
  const id = (query.get('id') ?? '').trim()
  const fails = query.get('status') === 'failed'
  const isSole = model.soleAccount !== null
  const isAsked = (one: AnsweredRequest): boolean =>
    id === ''
      ? (isSole || account === null || one.account === account) && (!fails || one.status >= 400)
      : one.id === id
  const own = id === '' ? recentRequests.list() : [recentRequests.find(id)].filter((one) => one !== null)
  // The page is also for the time in which the store is away.
  const left = id === '' && !fails ? [] : await figures.others().catch(() => null)
  const found: readonly FoundRequest[] = [
    ...own.map((one) => ({ ...one, process: null })),
    ...wrongOf(left ?? []),
  ].filter(isAsked)
  const shown = [...found].sort((a, b) => b.at - a.at).slice(0, mostShown)
  const hasOthers = shown.some(({ process }) => process !== null)
  return {
    title: 'Requests',
    isWide: true,
    body: html`<h1>Requests</h1>
<form class="asking" method="get" action="${requestsPath}">${!isSole && account !== null && html`<input type="hidden" name="account" value="${account}">`}
<label for="id">Request id</label>
<input id="id" name="id" maxlength="200" autocomplete="off" autocapitalize="none" value="${id}" aria-describedby="id-hint">
<label class="choice"><input type="checkbox" name="status" value="failed"${fails && html` checked`}> only refused or failed</label>
<button>Find</button>
</form>
<p class="legend" id="id-hint">The <code>X-Request-Id</code> of an answer, which a problem has as <code>instance</code> too.</p>
${left === null && html`<p class="notice">The store does not answer, so that the requests of other processes are missing.</p>`}
${tableOr(
  id === '' ? 'None yet.' : notFound,
  'Requests',
  [
    'When',
    'Request',
    'Status',
    { figure: 'Time' },
    { figure: 'Statements' },
    ...(isSole ? [] : ['Account']),
    'Consumer',
    'Id',
    ...(hasOthers ? ['Answered by'] : []),
  ],
  shown.map((one) => requestRow(one, isSole, hasOthers)),
)}
<p class="legend">Of the last thousand requests that this process has answered${found.length > mostShown && `, the newest ${mostShown}`}${fails && ', and the last 50 that failed and 100 that were refused in each of the others, as they were a few seconds ago'}. Bodies, queries and credentials are not kept.</p>`,
  }
}

const notFound =
  'Not among the last thousand of this process, nor among the last of other processes that were refused or failed. The log has it, where requests are logged.'

const requestRow = (one: FoundRequest, isSole: boolean, hasOthers: boolean): Markup => {
  const { id, at, method, status, ms, route, version, account, consumer, replayed, process } = one
  const asked = route === null ? 'no route' : `${version === null ? '' : `/${version}`}${route}`
  return html`<tr><td>${timeShown(at)}</td><td><code>${method.slice(0, 20)} ${asked}</code>${replayed && ' replayed'}</td><td>${status}</td><td class="figure">${ms.toFixed(1)} ms</td><td class="figure">${statementsOf(one)}</td>${!isSole && html`<td>${account}</td>`}<td>${consumer === null ? html`<span class="none">none</span>` : html`<code>${consumer}</code>`}</td><td><code>${id}</code></td>${hasOthers && html`<td>${process === null ? 'this process' : processText(process)}</td>`}</tr>`
}

const statementsOf = ({ statements, statementMs }: AnsweredRequest): string =>
  statements === 0 ? 'none' : `${statements} in ${statementMs.toFixed(1)} ms`
