import type { PageEntry } from './console-page.ts'
import type { KnownOperator } from './operators/operator-ring.ts'
import { OperatorSessions } from './operators/operator-sessions.ts'
import { sessionCookie } from './session-cookie.ts'

/** Begins a session in place of the one that the browser had. Resolves with the header that makes the browser keep it. */
export const beginSession = async (
  { parts, request }: PageEntry,
  operator: KnownOperator,
): Promise<{ readonly 'Set-Cookie': string }> => {
  const sessions = new OperatorSessions(parts.store, parts.clock)
  const cookie = sessionCookie(request, parts.model.prefix)
  const before = cookie.read()
  if (before !== null) await sessions.end(before)
  const { secret } = await sessions.begin(operator)
  return { 'Set-Cookie': cookie.keep(secret) }
}
