import { type Problem, problem } from '../problems.ts'
import { scheme } from '../request/challenge.ts'

export const credentialsInvalid = (detail: string): Problem =>
  problem('credentials-invalid', {
    detail,
    headers: { 'WWW-Authenticate': `${scheme}, error="invalid_token"` },
  })
