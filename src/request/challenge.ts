import { type FieldError, type Problem, problem } from '../problems.ts'
import { mostShown } from './field-errors.ts'

/** How a caller authenticates: the start of every `WWW-Authenticate`. */
export const scheme = 'Bearer realm="api"'

/** RFC 6750 §3.1: without credentials the challenge carries no error. */
export const credentialsMissing = (): Problem =>
  problem('credentials-missing', {
    detail: 'This call needs credentials: send `Authorization: Bearer <key>`.',
    headers: { 'WWW-Authenticate': scheme },
  })

/** RFC 6750 §3.1: the challenge names the scopes that are missing, separated by spaces, and so does the problem. */
export const scopeMissing = (
  scopes: readonly string[],
  detail: string,
  errors: readonly FieldError[] = [],
): Problem => {
  const scope = scopes.join(' ')
  return problem('scope-missing', {
    detail,
    members: { scope },
    ...(errors.length > 0
      ? { errors: errors.slice(0, mostShown), more: Math.max(0, errors.length - mostShown) }
      : {}),
    headers: { 'WWW-Authenticate': `${scheme}, error="insufficient_scope", scope="${scope}"` },
  })
}
