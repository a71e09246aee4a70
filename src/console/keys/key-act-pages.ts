import { KeyMistake, KeyRing, type MadeKey } from '../../guard/key-ring.ts'
import { html } from '../../pages/markup.ts'
import { dayMs, hourMs } from '../../times.ts'
import { endEndpoints } from '../../webhooks/end-endpoints.ts'
import { askOnce, isConfirmed } from '../ask-once.ts'
import type { ConsolePage, PostedForm, ShownPage, Visit } from '../console-page.ts'
import { ConsoleRefusal } from '../console-refusal.ts'
import { timeShown } from '../time-shown.ts'
import { keyFields, readNewKey } from './key-form.ts'
import { keysPath, shownKeys } from './keys-page.ts'

const newPath = `${keysPath}/new`
const rotatePath = `${keysPath}/rotate`
const revokePath = `${keysPath}/revoke`

/** What is done to keys. Each is asked once; `KeyRing` records who did it. */
export const keyActPages: readonly ConsolePage[] = [
  { kind: 'page', path: newPath, post: makeKey },
  { kind: 'page', path: rotatePath, post: rotateKey },
  { kind: 'page', path: revokePath, post: revokeKey },
]

async function makeKey(visit: Visit, form: PostedForm): Promise<ShownPage> {
  const { parts } = visit
  const account = accountOf(visit)
  const wanted = readNewKey(form, account, parts.model, parts.clock.now())
  if (typeof wanted === 'string') return shownKeys(visit, account, form, wanted)
  const { name, scopes = [], kind, expiresAt = null, subject, claims = {} } = wanted
  if (!isConfirmed(form))
    return askOnce(visit, form, {
      title: `Make the key ${name}?`,
      content: html`<p>It is for the account <b>${account}</b>${subject && html` and the subject ${subject}`}, counts as ${kind}, and ends ${expiresAt === null ? 'only when it is revoked' : html`at ${timeShown(expiresAt)}`}. Its scopes: <code>${scopes.join(' ')}</code></p>${Object.keys(claims).length > 0 && html`<p>Its claims: <code>${JSON.stringify(claims)}</code></p>`}`,
      path: newPath,
      fields: keyFields,
      button: 'Make the key',
      back: keysPath,
    })
  return shownSecret(visit, await refusing(ringOf(visit).create(wanted)), 'was made')
}

const overlaps: { readonly [name: string]: { readonly ms: number; readonly label: string } } = {
  none: { ms: 0, label: 'not at all' },
  '1h': { ms: hourMs, label: 'an hour' },
  '1d': { ms: dayMs, label: 'a day' },
  '7d': { ms: 7 * dayMs, label: 'a week' },
}

async function rotateKey(visit: Visit, form: PostedForm): Promise<ShownPage> {
  const account = accountOf(visit)
  const name = form.get('name') ?? ''
  if (!isConfirmed(form))
    return askOnce(visit, form, {
      title: `Rotate the key ${name}?`,
      content: html`<p>It gets a new secret, which is shown once.</p>
<div class="field"><label for="overlap">How long the old secret still works</label>
<select id="overlap" name="overlap">${Object.entries(overlaps).map(([name, { label }]) => html`<option value="${name}"${name === '1d' && html` selected`}>${label}</option>`)}</select></div>`,
      path: rotatePath,
      fields: ['name', 'made'],
      button: 'Rotate the key',
      back: keysPath,
    })
  const overlap = form.get('overlap') ?? ''
  const overlapMs = Object.hasOwn(overlaps, overlap) ? overlaps[overlap]?.ms : undefined
  if (overlapMs === undefined)
    throw new ConsoleRefusal(422, 'Refused', 'Choose how long the old secret still works.')
  const made = ringOf(visit).rotate(account, name, { overlapMs, madeAt: Number(form.get('made')) })
  return shownSecret(visit, await refusing(made), 'has a new secret')
}

async function revokeKey(visit: Visit, form: PostedForm) {
  const { parts } = visit
  const account = accountOf(visit)
  const name = form.get('name') ?? ''
  if (!isConfirmed(form))
    return askOnce(visit, form, {
      title: `Revoke the key ${name}?`,
      content: html`<p>Calls with any key of this name are refused within a few seconds${parts.model.events && ', and webhook endpoints that rest on it end'}. This cannot be taken back.</p>`,
      path: revokePath,
      fields: ['name'],
      button: 'Revoke the key',
      isGrave: true,
      back: keysPath,
    })
  const ended = await ringOf(visit).revoke(account, name, async (tx, keys) => {
    if (parts.model.events) await endEndpoints(tx, account, { keys }, parts.clock.now())
  })
  if (ended === 0)
    throw new ConsoleRefusal(409, 'Refused', 'No active key has this name: it has ended already.')
  return { goTo: visit.link(keysPath, { done: 'revoked' }) }
}

const ringOf = ({ parts, operator }: Visit): KeyRing => new KeyRing(parts.store, parts.clock, operator)

const accountOf = ({ account }: Visit): string => {
  if (account === null) throw new ConsoleRefusal(400, 'No account', 'Choose an account first.')
  return account
}

const refusing = async (making: Promise<MadeKey>): Promise<MadeKey> => {
  try {
    return await making
  } catch (error) {
    if (error instanceof KeyMistake) throw new ConsoleRefusal(409, 'Refused', error.message)
    throw error
  }
}

const shownSecret = (visit: Visit, { key, secret }: MadeKey, what: string): ShownPage => ({
  title: key.name,
  body: html`<h1>The key ${key.name} ${what}</h1>
<p class="said" role="status">Only its hash is stored, so this is the one time it is shown:</p>
<pre tabindex="0"><code>${secret}</code></pre>
<p>Its id is <code>${key.id}</code>. <a href="${visit.link(keysPath)}">To the keys</a></p>`,
})
