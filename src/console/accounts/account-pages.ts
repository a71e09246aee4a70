import { exportAccount } from '../../accounts/export-account.ts'
import { type AccountFigures, sizeOfRows } from '../../accounts/list-accounts.ts'
import { html, type Markup, tableOr } from '../../pages/markup.ts'
import type { ConsolePage, Download, GoTo, PostedForm, ShownPage, Visit } from '../console-page.ts'
import { ConsoleRefusal } from '../console-refusal.ts'
import { consoleUrl } from '../console-url.ts'
import { dataPath } from '../data/accounts-page.ts'
import { timeShown } from '../time-shown.ts'
import { bodyWrittenBy } from './export-body.ts'

const accountsPath = '/console/accounts'
const deletePath = `${accountsPath}/delete`
const exportPath = `${accountsPath}/export`

/** `/console/accounts`: all accounts with their figures; one is exported as a file, or deleted after its name was typed. */
export const accountPages: readonly ConsolePage[] = [
  { kind: 'page', path: accountsPath, inNavigation: 'Accounts', get: listed },
  { kind: 'page', path: exportPath, post: exportOne },
  { kind: 'page', path: deletePath, get: (visit) => askName(visit, null), post: deleteOne },
]

const mostShown = 1_000

async function listed(visit: Visit): Promise<ShownPage> {
  const { at, figures } = await visit.parts.accountWork.list()
  return {
    title: 'Accounts',
    isWide: true,
    body: html`<h1>Accounts</h1>
${visit.query.get('done') === 'begun' && html`<p class="said" role="status">The deletion has begun. Requests of the account are refused. Its audit entry says when it is done.</p>`}
${tableOr(
  'The store has nothing of any account.',
  'Accounts',
  ['Account', { figure: 'Rows' }, { figure: 'Size' }, 'Last use', 'Do'],
  figures.slice(0, mostShown).map((one) => accountRow(visit, one)),
)}
${figures.length > mostShown && html`<p class="legend">The first ${mostShown} of ${figures.length}. <code>nounkit accounts list</code> has all.</p>`}
<p class="legend">Counted at ${timeShown(at)} UTC. Sizes are estimates, those of the engine’s rows included.</p>`,
  }
}

const accountRow = (visit: Visit, one: AccountFigures): Markup => {
  const { account, rows, bytes, lastUsed, isBeingDeleted } = one
  const remove = consoleUrl(deletePath, { account })
  const state =
    isBeingDeleted &&
    html`<br><span class="tag">${visit.parts.accountWork.isDeleting(account) ? 'is being deleted' : 'its deletion was begun'}</span>`
  return html`<tr><td><a href="${consoleUrl(dataPath, { account })}">${account}</a>${state}</td><td class="figure">${rows.toLocaleString('en')}</td><td class="figure">${sizeOfRows(bytes)}</td><td>${timeShown(lastUsed)}</td><td><div class="actions">${visit.form(consoleUrl(exportPath, { account }), html`<button class="plain" aria-label="Export ${account}">Export</button>`)}<a href="${remove}" aria-label="${isBeingDeleted ? 'Go on with the deletion of' : 'Delete'} ${account}">${isBeingDeleted ? 'Go on' : 'Delete'}</a></div></td></tr>`
}

const accountOf = ({ account }: Visit): string => {
  if (account === null) throw new ConsoleRefusal(400, 'No account', 'Choose an account first.')
  return account
}

/** Recorded before the first row is sent: a download that was ended half-way has shown rows too. */
async function exportOne(visit: Visit): Promise<Download> {
  const { parts, operator, request } = visit
  const account = accountOf(visit)
  await parts.recordAct({ operator, act: 'account-exported', account, requestId: request.id })
  return {
    download: `${account}.ndjson`,
    type: 'application/x-ndjson',
    live: bodyWrittenBy((write) => exportAccount(parts, account, write)),
  }
}

const askName = (visit: Visit, fault: string | null): ShownPage => {
  const account = accountOf(visit)
  return {
    title: `Delete ${account}?`,
    status: fault === null ? 200 : 422,
    body: html`<p class="crumbs"><a href="${visit.link(accountsPath)}">Accounts</a></p>
<h1>Delete the account ${account}?</h1>
<p>All its rows, keys, stored answers, events, webhook endpoints and counts of calls are deleted, for ever. What is declared to be kept stays. Its requests are refused from now on. Tokens of its users are ended at their issuer.</p>
${fault !== null && html`<p class="notice" role="alert">${fault}</p>`}
<div class="narrow">${visit.form(
      consoleUrl(deletePath, { account }),
      html`<label for="typed">Type the name of the account</label>
<input id="typed" name="typed" required autocomplete="off" autocapitalize="none" maxlength="255">
<button class="grave">Delete the account</button>`,
    )}</div>`,
  }
}

function deleteOne(visit: Visit, form: PostedForm): ShownPage | GoTo {
  const { parts, operator } = visit
  const account = accountOf(visit)
  if (form.get('typed') !== account)
    return askName(visit, 'That is not the name of the account. Nothing was deleted.')
  parts.accountWork.delete(account, operator)
  return { goTo: consoleUrl(accountsPath, { done: 'begun' }) }
}
