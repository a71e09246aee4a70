import { html } from '../pages/markup.ts'
import { beginSession } from './begin-session.ts'
import type { ConsolePage, ShownPage, Visit } from './console-page.ts'
import { ConsoleRefusal } from './console-refusal.ts'
import { newPasswordFault, newPasswordFields } from './new-password.ts'
import { OperatorRing } from './operators/operator-ring.ts'
import { hashPassword, isPassword } from './operators/password-hash.ts'

const mePath = '/console/me'

/** `/console/me`: the own password. A new one ends all sessions but this one, which begins anew. */
export const mePage: ConsolePage = {
  kind: 'page',
  path: mePath,
  get: (visit) => shown(visit, null),
  async post(visit, form) {
    const { parts, request, operator } = visit
    const fault = newPasswordFault(form)
    if (fault !== null) return shown(visit, fault)
    const operators = new OperatorRing(parts.store, parts.clock)
    const found = await operators.find(operator)
    if (!found) throw new ConsoleRefusal(403, 'Refused', 'Who is signed in by nounkit dev has no password.')
    const isRight = await parts.signIns.attempt(request.address, operator, () =>
      isPassword((form.get('present') ?? '').slice(0, 1000), found.passwordHash),
    )
    if (!isRight) return shown(visit, 'The present password is another one.')
    const changed = await operators.changePassword(found, await hashPassword(form.get('password') ?? ''))
    if (!changed) return shown(visit, 'The password was changed meanwhile. Sign in with it.')
    const headers = await beginSession(visit, changed)
    await parts.recordAct({ operator, act: 'operator-password-set', requestId: request.id })
    return { goTo: `${mePath}?done=yes`, headers }
  },
}

const shown = ({ operator, query, form }: Visit, refusal: string | null): ShownPage => ({
  title: operator,
  status: refusal === null ? 200 : 422,
  body: html`<h1>${operator}</h1>
${query.has('done') && refusal === null && html`<p class="said" role="status">The password was changed, and your other sessions have ended.</p>`}
<h2>Change the password</h2>
${refusal !== null && html`<p class="notice" role="alert">${refusal}</p>`}
<div class="narrow">${form(
    mePath,
    html`<label for="present">Present password</label>
<input id="present" name="present" type="password" autocomplete="current-password" required maxlength="1000">
${newPasswordFields(operator)}
<button>Change the password</button>`,
  )}</div>`,
})
