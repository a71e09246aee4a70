import { consumerKinds, isPlainName } from '../../call/caller.ts'
import type { Model } from '../../compile/model.ts'
import { didYouMean } from '../../compile/names/nearest.ts'
import type { JsonObject } from '../../compile/schemas/canonical.ts'
import { keyNameForm, mostKeyDays, type NewKey } from '../../guard/key-ring.ts'
import { knownScopes } from '../../guard/scopes.ts'
import { ClaimMistake, readClaims } from '../../guard/typed-claims.ts'
import { html, type Markup } from '../../pages/markup.ts'
import { dayMs, readDuration } from '../../times.ts'
import type { PostedForm, Visit } from '../console-page.ts'

export const keyFields = ['name', 'scopes', 'kind', 'contact', 'expires', 'subject', 'claims']

/** The key that a form asks for, or a sentence that says what is wrong with it. */
export const readNewKey = (form: PostedForm, account: string, model: Model, now: number): NewKey | string => {
  const text = (name: string): string => (form.get(name) ?? '').trim()
  const name = text('name')
  if (!keyNameForm.test(name)) return 'The name has 1 to 100 plain characters.'
  const scopes = [
    ...new Set(
      text('scopes')
        .split(/[\s,]+/)
        .filter((scope) => scope !== ''),
    ),
  ]
  if (scopes.length === 0) return 'A key without scopes opens nothing. "*" is everything.'
  const known = knownScopes(model)
  const unknown = scopes.find((scope) => !known.has(scope))
  if (unknown !== undefined)
    return `The scope "${unknown.slice(0, 200)}" opens nothing in this API. ${didYouMean(unknown.slice(0, 200), known)}`
  const kind = consumerKinds.find((one) => one === text('kind'))
  if (kind === undefined) return `The kind is one of ${consumerKinds.join(', ')}.`
  const expires = text('expires')
  const lasts = expires === '' ? null : readDuration(expires)
  if (expires !== '' && (lasts === null || lasts <= 0 || lasts > mostKeyDays * dayMs))
    return 'How long it is valid is a time such as 90d or 12h, and empty for ever.'
  const subject = text('subject')
  if (subject !== '' && !isPlainName(subject)) return 'The subject has at most 255 plain characters.'
  const claims = claimsIn(form)
  if (typeof claims === 'string') return claims
  return {
    account,
    name,
    scopes,
    kind,
    contact: text('contact').slice(0, 500) || null,
    expiresAt: lasts === null ? null : now + lasts,
    subject: subject === '' ? null : subject,
    claims,
  }
}

/** One in each line, as the command takes them. */
const claimsIn = (form: PostedForm): JsonObject | string => {
  const lines = (form.get('claims') ?? '').split('\n').map((line) => line.trim())
  try {
    return readClaims(lines.filter((line) => line !== ''))
  } catch (error) {
    if (error instanceof ClaimMistake) return `The claim ${error.message}`
    throw error
  }
}

/** The form for a new key, with what was typed. */
export const newKeyForm = (visit: Visit, path: string, typed: PostedForm, fault: string | null): Markup => {
  const value = (name: string, otherwise = ''): string => typed.get(name) ?? otherwise
  return html`<h2 id="new">A new key</h2>
${fault !== null && html`<p class="notice" role="alert">${fault}</p>`}
${visit.form(
  visit.link(path),
  html`<div class="fields">
<div class="field"><label for="name">Name</label><input id="name" name="name" required maxlength="100" autocomplete="off" value="${value('name')}"></div>
<div class="field"><label for="scopes">Scopes</label><input id="scopes" name="scopes" required maxlength="4000" autocomplete="off" autocapitalize="none" value="${value('scopes', '*')}" aria-describedby="scopes-hint"><small id="scopes-hint"><code>*</code> for everything of the account, or some, such as <code>orders:read</code>.</small></div>
<div class="field"><label for="kind">Kind</label><select id="kind" name="kind" aria-describedby="kind-hint">${consumerKinds.map((kind) => html`<option value="${kind}"${kind === value('kind', 'external') && html` selected`}>${kind}</option>`)}</select><small id="kind-hint">Calls of internal keys and probes keep no version from its retirement.</small></div>
<div class="field"><label for="contact">Whom to tell when a version ends</label><input id="contact" name="contact" maxlength="500" autocomplete="off" value="${value('contact')}"></div>
<div class="field"><label for="expires">Valid for</label><input id="expires" name="expires" maxlength="20" autocomplete="off" value="${value('expires')}" aria-describedby="expires-hint"><small id="expires-hint">Such as <code>90d</code>; for ever where it is empty.</small></div>
<div class="field"><label for="subject">Subject</label><input id="subject" name="subject" maxlength="255" autocomplete="off" value="${value('subject')}" aria-describedby="subject-hint"><small id="subject-hint">The person or program for whom it calls, where rules ask for one.</small></div>
<div class="field"><label for="claims">Claims</label><textarea id="claims" name="claims" rows="2" maxlength="20000" autocomplete="off" autocapitalize="none" spellcheck="false" class="code" aria-describedby="claims-hint">
${value('claims')}</textarea><small id="claims-hint">What rules read of a caller, one in each line: <code>member_id=42</code> is a text, <code>level:=3</code> is JSON, and <code>org.city=Ghent</code> a part of <code>org</code>.</small></div>
</div>
<p><button>Make the key</button></p>`,
)}`
}
