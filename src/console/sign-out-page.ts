import type { ConsolePage } from './console-page.ts'
import { OperatorSessions } from './operators/operator-sessions.ts'
import { sessionCookie } from './session-cookie.ts'
import { signInPath } from './sign-in-page.ts'

/** Ends the session, in the store and in the browser. */
export const signOutPage: ConsolePage = {
  kind: 'page',
  path: '/console/sign-out',
  async post({ parts, request, operator }) {
    const cookie = sessionCookie(request, parts.model.prefix)
    const secret = cookie.read()
    if (secret !== null) await new OperatorSessions(parts.store, parts.clock).end(secret)
    await parts.recordAct({ operator, act: 'operator-signed-out', requestId: request.id })
    return { goTo: signInPath, headers: { 'Set-Cookie': cookie.drop(), 'Clear-Site-Data': '"cache"' } }
  },
}
