import { type Problem, problem } from '../problems.ts'
import { scheme } from '../request/scope-missing.ts'

/** RFC 6750 §3.1: without credentials the challenge carries no error. */
export const credentialsMissing = (): Problem =>
  problem('credentials-missing', {
    detail: 'This call needs credentials: send `Authorization: Bearer <key>`.',
    headers: { 'WWW-Authenticate': scheme },
  })

export const credentialsInvalid = (detail: string): Problem =>
  problem('credentials-invalid', {
    detail,
    headers: { 'WWW-Authenticate': `${scheme}, error="invalid_token"` },
  })
