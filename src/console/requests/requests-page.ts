import { html, type Markup, table } from '../../pages/markup.ts'
import type { ConsolePage, ShownPage, Visit } from '../console-page.ts'
import { timeShown } from '../time-shown.ts'
import type { AnsweredRequest } from './recent-requests.ts'

const requestsPath = '/console/requests'
const mostShown = 200

/** `/console/requests`: the last requests of this process, or the one with an id. */
export const requestsPage: ConsolePage = {
  kind: 'page',
  path: requestsPath,
  inNavigation: 'Requests',
  get: shownRequests,
}

function shownRequests({ parts, query, account }: Visit): ShownPage {
  const id = (query.get('id') ?? '').trim()
  const fails = query.get('status') === 'failed'
  const isSole = parts.model.soleAccount !== null
  const found =
    id === ''
      ? parts.recentRequests
          .list()
          .filter((one) => isSole || account === null || one.account === account)
          .filter(({ status }) => !fails || status >= 400)
      : [parts.recentRequests.find(id)].filter((one) => one !== null)
  return {
    title: 'Requests',
    isWide: true,
    body: html`<h1>Requests</h1>
<form class="asking" method="get" action="${requestsPath}">${!isSole && account !== null && html`<input type="hidden" name="account" value="${account}">`}
<label for="id">Request id</label>
<input id="id" name="id" maxlength="200" autocomplete="off" autocapitalize="none" value="${id}" aria-describedby="id-hint">
<label class="choice"><input type="checkbox" name="status" value="failed"${fails && html` checked`}> refused or failed alone</label>
<button>Find</button>
</form>
<p class="legend" id="id-hint">The <code>X-Request-Id</code> of an answer, which a problem has as <code>instance</code> too.</p>
${
  found.length === 0
    ? html`<p class="none">${id === '' ? 'None yet.' : 'Not among the last thousand of this process. The log has it, where requests are logged.'}</p>`
    : table(
        'Requests',
        ['When', 'Request', 'Status', 'Time', 'Statements', ...(isSole ? [] : ['Account']), 'Consumer', 'Id'],
        found.slice(0, mostShown).map((one) => requestRow(one, isSole)),
      )
}
<p class="legend">Of the last thousand requests that this process has answered${found.length > mostShown && `, the newest ${mostShown}`}. Bodies, queries and credentials are not kept.</p>`,
  }
}

const requestRow = (one: AnsweredRequest, isSole: boolean): Markup => {
  const { id, at, method, status, ms, route, version, account, consumer, replayed } = one
  const asked = route === null ? 'no route' : `${version === null ? '' : `/${version}`}${route}`
  return html`<tr><td>${timeShown(at)}</td><td><code>${method.slice(0, 20)} ${asked}</code>${replayed && ' replayed'}</td><td>${status}</td><td class="figure">${ms.toFixed(1)} ms</td><td class="figure">${statementsOf(one)}</td>${!isSole && html`<td>${account}</td>`}<td>${consumer === null ? html`<span class="none">none</span>` : html`<code>${consumer}</code>`}</td><td><code>${id}</code></td></tr>`
}

const statementsOf = ({ statements, statementMs }: AnsweredRequest): string =>
  statements === 0 ? 'none' : `${statements} in ${statementMs.toFixed(1)} ms`
