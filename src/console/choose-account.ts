import { html, type Markup } from '../pages/markup.ts'
import { statement } from '../plan/bound-statement.ts'
import { allRows } from '../store/run-statement.ts'
import type { ConsoleParts, ShownPage, Visit } from './console-page.ts'
import { consoleUrl } from './console-url.ts'

const shownMost = 200

/** Asks for the account that a page is about. */
export const chooseAccount = async ({ parts }: Visit, title: string, path: string): Promise<ShownPage> => {
  const accounts = await knownAccounts(parts)
  const tile = (account: string): Markup =>
    html`<li><b><a href="${consoleUrl(path, { account })}">${account}</a></b></li>`
  return {
    title,
    body: html`<h1>Whose ${title.toLowerCase()}?</h1>
<form class="narrow" method="get" action="${path}">
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
