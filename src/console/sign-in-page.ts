import { html, type Markup } from '../pages/markup.ts'
import { beginSession } from './begin-session.ts'
import type { OpenPage, PageEntry, ShownPage } from './console-page.ts'
import { ConsoleRefusal } from './console-refusal.ts'
import { isLocal } from './console-request.ts'
import { OperatorRing } from './operators/operator-ring.ts'
import { isPassword } from './operators/password-hash.ts'

export const signInPath = '/console/sign-in'

/** `/console/sign-in`: a name and a password. */
export const signInPage: OpenPage = {
  kind: 'open',
  path: signInPath,
  get: (entry) => shownForm(entry, null),
  async post(entry, form) {
    const { parts, request } = entry
    refusePlainHttp(entry)
    const name = (form.get('name') ?? '').trim().toLowerCase()
    const password = form.get('password') ?? ''
    const operators = new OperatorRing(parts.store, parts.clock)
    const known = await parts.signIns.attempt(request.address, name, async () => {
      const found = await operators.find(name)
      return (await isPassword(password.slice(0, 1000), found?.passwordHash ?? null)) ? found : null
    })
    if (!known) return shownForm(entry, 'No operator has this name with this password.', name)
    const headers = await beginSession(entry, known)
    await parts.recordAct({ operator: known.name, act: 'operator-signed-in', requestId: request.id })
    return { goTo: safeNext(entry), headers }
  },
}

/** Browsers keep no cookie of ours that comes over plain HTTP from another machine, so the password would only be exposed. */
export const refusePlainHttp = ({ request }: PageEntry): void => {
  const { origin } = request.headers
  if (typeof origin !== 'string' || !origin.startsWith('http:') || isLocal(request)) return
  throw new ConsoleRefusal(
    403,
    'Not over plain HTTP',
    'The console is used over HTTPS, or on this machine at http://localhost. From another one: ssh -L 3000:127.0.0.1:3000 HOST, then http://localhost:3000/console',
  )
}

/** Where to go on: a path of the console and nothing else. */
const safeNext = ({ query }: PageEntry): string => {
  const next = query.get('next') ?? ''
  const isOurs = /^\/console(?:[/?][\x21-\x5b\x5d-\x7e]*)?$/.test(next) && !next.startsWith(signInPath)
  // Browsers read `/console/../v1`, and the same with %2e, as `/v1`.
  const [path = ''] = next.split('?', 1)
  return isOurs && new URL(path, 'http://console').pathname === path ? next : '/console'
}

const shownForm = (entry: PageEntry, refusal: string | null, name = ''): ShownPage => ({
  title: 'Sign in',
  status: refusal === null ? 200 : 403,
  body: html`<h1>Sign in</h1>
${fromElsewhere(entry)}
${refusal !== null && html`<p class="notice" role="alert">${refusal}</p>`}
<form class="narrow" method="post" action="${signInPath}${nextOf(entry)}">
<label for="name">Name</label>
<input id="name" name="name" autocomplete="username" autocapitalize="none" required maxlength="100" value="${name}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1000">
<button>Sign in</button>
</form>
<p class="legend">No password yet, or lost? On the machine of the service: <code>nounkit operators create NAME</code> makes an operator, <code>nounkit operators link NAME</code> a new link, which sets a password once.</p>`,
})

/** The cookie is not sent with a link that is followed from another site: a click within ours sends it. */
const fromElsewhere = (entry: PageEntry): Markup | false =>
  entry.request.headers['sec-fetch-site'] === 'cross-site' &&
  html`<p>You came from another site. <a href="${safeNext(entry)}">Go on, if you are signed in</a></p>`

const nextOf = (entry: PageEntry): string => {
  const next = safeNext(entry)
  return next === '/console' ? '' : `?${new URLSearchParams({ next })}`
}
