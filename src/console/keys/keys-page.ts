import { isActive, KeyRing } from '../../guard/key-ring.ts'
import type { StoredKey } from '../../guard/key-rows.ts'
import { html, type Markup, tableOr } from '../../pages/markup.ts'
import { chooseAccount } from '../choose-account.ts'
import type { ConsolePage, PostedForm, ShownPage, Visit } from '../console-page.ts'
import { timeShown } from '../time-shown.ts'
import { newKeyForm } from './key-form.ts'

export const keysPath = '/console/keys'

/** `/console/keys`: the API keys of an account. */
export const keysPage: ConsolePage = {
  kind: 'page',
  path: keysPath,
  inNavigation: 'Keys',
  get: (visit) =>
    visit.account === null
      ? chooseAccount(visit, 'Keys', keysPath)
      : shownKeys(visit, visit.account, new URLSearchParams(), null),
}

const mostShown = 500

/** The list, and the form for a new key with what was typed and what is wrong with it. */
export const shownKeys = async (
  visit: Visit,
  account: string,
  typed: PostedForm,
  fault: string | null,
): Promise<ShownPage> => {
  const { store, clock } = visit.parts
  const keys = await new KeyRing(store, clock).list(account)
  const now = clock.now()
  // The newest active key of a name is the one that is rotated or revoked.
  const newest = new Map(keys.filter((key) => isActive(key, now)).map((key) => [key.name, key]))
  const shown = [...keys].sort((a, b) => Number(isActive(b, now)) - Number(isActive(a, now)))
  return {
    title: 'Keys',
    status: fault === null ? 200 : 422,
    isWide: true,
    body: html`<h1>Keys</h1>
${visit.query.get('done') === 'revoked' && html`<p class="said" role="status">The key was revoked. Running processes refuse it within a few seconds.</p>`}
${tableOr(
  'The account has no key yet.',
  'API keys',
  ['Name', 'Id', 'Key', 'Kind', 'Scopes', 'Subject', 'Made', 'State', 'Do'],
  shown.slice(0, mostShown).map((key) => keyRow(visit, key, newest.get(key.name) === key, now)),
)}
${keys.length > mostShown && html`<p class="legend">The first ${mostShown} of ${keys.length}. <code>nounkit keys list</code> has all.</p>`}
${newKeyForm(visit, `${keysPath}/new`, typed, fault)}`,
  }
}

const keyRow = (visit: Visit, key: StoredKey, isNewest: boolean, now: number): Markup =>
  html`<tr><td>${key.name}${key.contact !== null && html`<br><small>${key.contact}</small>`}</td><td><code>${key.id}</code></td><td><code>${key.prefix}…</code></td><td>${key.kind}</td><td>${key.scopes.join(' ')}</td><td>${key.subject}${Object.keys(key.claims).length > 0 && html` <code>${JSON.stringify(key.claims)}</code>`}</td><td>${timeShown(key.createdAt)}</td><td>${stateOf(key, now)}</td><td>${isNewest && html`<div class="actions">${act(visit, 'rotate', 'Rotate', key)}${act(visit, 'revoke', 'Revoke', key)}</div>`}</td></tr>`

const act = (visit: Visit, path: string, label: string, { name, createdAt }: StoredKey): Markup =>
  visit.form(
    visit.link(`${keysPath}/${path}`),
    html`<input type="hidden" name="name" value="${name}"><input type="hidden" name="made" value="${createdAt}"><button class="plain" aria-label="${label} ${name}">${label}</button>`,
  )

const stateOf = (key: StoredKey, now: number): Markup => {
  if (key.revokedAt !== null) return html`revoked ${timeShown(key.revokedAt)}`
  if (key.expiresAt === null) return html`active`
  return html`${isActive(key, now) ? 'active until' : 'expired'} ${timeShown(key.expiresAt)}`
}
