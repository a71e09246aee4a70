import { type Problem, type ProblemType, problem } from '../problems.ts'

const scheme = 'Bearer realm="api"'

/** RFC 6750 §3.1: without credentials the challenge carries no error. */
export const credentialsMissing = (): Problem =>
  problem('credentials-missing', {
    detail: 'This call needs credentials: send `Authorization: Bearer <key>`.',
    headers: { 'WWW-Authenticate': scheme },
  })

export const credentialsInvalid = (detail: string): Problem =>
  refused('credentials-invalid', detail, 'error="invalid_token"')

export const scopeMissing = (scope: string): Problem =>
  refused(
    'scope-missing',
    `These credentials lack the scope "${scope}", which this call needs.`,
    `error="insufficient_scope", scope="${scope}"`,
    { scope },
  )

const refused = (
  type: ProblemType,
  detail: string,
  parameters: string,
  members: { readonly [name: string]: unknown } = {},
): Problem => problem(type, { detail, members, headers: { 'WWW-Authenticate': `${scheme}, ${parameters}` } })
