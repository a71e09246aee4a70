import type { CorsDeclaration } from '../../declare/api.ts'

/** The CORS rules, with defaults filled in. */
export interface CorsRules {
  readonly origins: readonly string[]
  readonly methods: readonly string[]
  readonly requestHeaders: readonly string[]
  readonly responseHeaders: readonly string[]
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** What a page may send that browsers ask about first: the request headers that the engine reads, and those of tracing. */
const requestHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Store-Position',
  'traceparent',
  'tracestate',
]
/** What a page may read of an answer, besides the few headers that browsers always show. */
const responseHeaders = [
  'Accept-Patch',
  'Allow',
  'Content-Location',
  'Deprecation',
  'ETag',
  'Idempotent-Replayed',
  'Idempotent-Replayed-Body',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Store-Position',
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
