import type { CorsDeclaration } from '../declare/api.ts'

/** The CORS rules, with defaults filled in. */
export interface CorsRules {
  readonly origins: readonly string[]
  readonly methods: readonly string[]
  readonly requestHeaders: readonly string[]
  readonly responseHeaders: readonly string[]
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const requestHeaders = ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match']
const responseHeaders = [
  'Allow',
  'Content-Location',
  'Deprecation',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-Request-Id',
]

/** Without a declaration no origin is allowed. `*` stands for every origin. */
export const corsRulesOf = (declared: CorsDeclaration | undefined): CorsRules =>
  declared
    ? {
        origins: declared.origins === '*' ? ['*'] : declared.origins,
        methods,
        requestHeaders,
        responseHeaders,
      }
    : { origins: [], methods: [], requestHeaders: [], responseHeaders: [] }
