import { type CallError, isProblemNamed, ProblemError } from './problem-error.ts'

/** What may be sent again: `read` and `create` (with its key) always, `write` unless the service failed, `patch` only if nothing was done. */
export type Repeating = 'read' | 'create' | 'write' | 'patch'

const statusesToRepeat: { readonly [R in Repeating]: readonly number[] } = {
  read: [408, 425, 429, 500, 502, 503, 504],
  create: [408, 425, 429, 500, 502, 503, 504],
  write: [408, 425, 429, 502, 503, 504],
  patch: [429, 503],
}

/** Errors of Node, Bun and Deno that say that no byte of the request was sent. Browsers do not tell. */
const neverSent =
  /ECONNREFUSED|ConnectionRefused|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CONNECT_TIMEOUT|client error \(Connect\)/

/** Whether a call that ended so is sent again. */
export function mayRepeat(repeating: Repeating, error: Error): boolean {
  const isInProgress = repeating === 'create' && isProblemNamed(error, 'idempotency-in-progress')
  if (error instanceof ProblemError) return isInProgress || statusesToRepeat[repeating].includes(error.status)
  const { status, cause } = error as CallError
  if (cause === undefined) return status !== null && statusesToRepeat[repeating].includes(status)
  return repeating !== 'patch' || neverSent.test(causeText(cause))
}

const causeText = (cause: unknown): string => {
  const { message, code, cause: inner } = Object(cause)
  return `${code} ${message} ${Object(inner).code} ${Object(inner).message}`
}
