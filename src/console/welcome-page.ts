import { html } from '../pages/markup.ts'
import { beginSession } from './begin-session.ts'
import type { OpenPage, PageEntry, ShownPage } from './console-page.ts'
import { ConsoleRefusal } from './console-refusal.ts'
import { newPasswordFault, newPasswordFields } from './new-password.ts'
import { OperatorRing } from './operators/operator-ring.ts'
import { hashPassword } from './operators/password-hash.ts'
import { refusePlainHttp } from './sign-in-page.ts'

const welcomePath = '/console/welcome'

/** `/console/welcome?code=…`, the one-time link: sets a password. To open it uses up nothing, because mail programs open links too. */
export const welcomePage: OpenPage = {
  kind: 'open',
  path: welcomePath,
  get: (entry) => shownForm(entry, null),
  async post(entry, form) {
    const { parts, request, query } = entry
    refusePlainHttp(entry)
    const fault = newPasswordFault(form)
    if (fault !== null) return shownForm(entry, fault)
    const operators = new OperatorRing(parts.store, parts.clock)
    const code = query.get('code') ?? ''
    const known = await parts.signIns.attempt(request.address, `link ${request.address}`, async () =>
      // A hash takes a while: none is made for a link that has ended.
      (await operators.ofLink(code))
        ? operators.useLink(code, await hashPassword(form.get('password') ?? ''))
        : null,
    )
    if (!known) throw usedUp()
    const headers = await beginSession(entry, known)
    await parts.recordAct({ operator: known.name, act: 'operator-password-set', requestId: request.id })
    return { goTo: '/console', headers }
  },
}

const usedUp = (): ConsoleRefusal =>
  new ConsoleRefusal(
    410,
    'The link has ended',
    'It was used, it expired, or another one was made. For a new one: nounkit operators link NAME',
  )

const shownForm = async ({ parts, query }: PageEntry, refusal: string | null): Promise<ShownPage> => {
  const code = query.get('code') ?? ''
  const known = await new OperatorRing(parts.store, parts.clock).ofLink(code)
  if (!known) throw usedUp()
  return {
    title: 'Set a password',
    status: refusal === null ? 200 : 422,
    body: html`<h1>Welcome, ${known.name}</h1>
<p>Set a password for the console of ${parts.model.title}. The link ends with it.</p>
${refusal !== null && html`<p class="notice" role="alert">${refusal}</p>`}
<form class="narrow" method="post" action="${welcomePath}?${new URLSearchParams({ code }).toString()}">
${newPasswordFields(known.name)}
<button>Set the password and sign in</button>
</form>`,
  }
}
