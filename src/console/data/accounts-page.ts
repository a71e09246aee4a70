import { html, type Markup } from '../../pages/markup.ts'
import { allRows, statement } from '../../store/bound-statement.ts'
import type { ConsolePage, ConsoleParts, ShownPage, Visit } from '../console-page.ts'
import { consoleUrl } from '../console-url.ts'

export const dataPath = '/console/data'

/** `/console/data`: the accounts, or the resources of the account that was chosen. */
export const accountsPage: ConsolePage = {
  kind: 'page',
  path: dataPath,
  inNavigation: 'Data',
  get: (visit) => (visit.account === null ? accountList(visit) : resourceList(visit)),
}

const shownMost = 200

const accountList = async ({ parts }: Visit): Promise<ShownPage> => {
  const accounts = await knownAccounts(parts)
  return {
    title: 'Data',
    body: html`<h1>Whose data?</h1>
<form class="narrow" method="get" action="${dataPath}">
<label for="account">Account</label>
<input id="account" name="account" required maxlength="255" list="accounts" autocomplete="off">
<datalist id="accounts">${accounts.map((account) => html`<option value="${account}"></option>`)}</datalist>
<button>Choose</button>
</form>
<h2>Accounts with keys or events</h2>
${accounts.length === 0 ? html`<p class="none">None yet.</p>` : html`<ul class="tiles">${accounts.slice(0, shownMost).map(tile)}</ul>`}
${accounts.length > shownMost && html`<p class="legend">The first ${shownMost}. Any other one can be written above.</p>`}`,
  }
}

const tile = (account: string): Markup =>
  html`<li><b><a href="${consoleUrl(dataPath, { account })}">${account}</a></b></li>`

const knownAccounts = async ({ store }: ConsoleParts): Promise<readonly string[]> => {
  const { dialect } = store
  const distinct = (table: string) =>
    statement(
      dialect,
      (bind) =>
        `SELECT DISTINCT "account_id" FROM "${table}" ORDER BY "account_id" LIMIT ${bind('integer', shownMost + 1)}`,
    )
  const found = await Promise.all(
    ['nounkit_api_keys', 'nounkit_event_heads'].map(async (table) => allRows(store, distinct(table))),
  )
  const names = new Set(found.flat().map(([account]) => String(account)))
  names.delete('')
  return [...names].sort()
}

const resourceList = ({ parts, link }: Visit): ShownPage => {
  const views = [...parts.model.head.views.values()].filter(
    (view) => view.serves === 'rows' && view.topLevel && view.reads.list,
  )
  return {
    title: 'Data',
    body: html`<h1>Data</h1>
<ul class="tiles">${views.map((view) => html`<li><b><a href="${link(`${dataPath}/list/${view.name}`)}">${view.name}</a></b>${view.resource.shared && html` <small>of all accounts</small>`}<p>${view.description}</p></li>`)}</ul>`,
  }
}
