import type { Version } from '../../compile/model.ts'
import { bodyMediaTypes } from '../../compile/service/media-types.ts'
import type { DocumentPart } from './field-schemas.ts'

const text = (description: string, example?: string): DocumentPart => ({
  description,
  schema: { type: 'string' },
  ...(example === undefined ? {} : { example }),
})
const seconds = (description: string): DocumentPart => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example: 1,
})

/** Every header that a response may carry and a consumer may act on. */
const headers = {
  'Accept-Patch': text('The media types a PATCH may have.', bodyMediaTypes.PATCH.join(', ')),
  'Cache-Control': text('How long, and by whom, the response may be kept.', 'private, no-cache'),
  'Content-Location': text('The canonical, versioned URL of what is shown.'),
  Deprecation: text(
    'The day as of which this version is deprecated: `@` and Unix seconds (RFC 9745).',
    '@1780272000',
  ),
  ETag: text('Stands for the row as it is shown; with `include`, for all that is shown.', '"3.Xq2hVb0w"'),
  'Idempotent-Replayed': text('`true` when this is the stored response of an earlier request with the key.'),
  'Idempotent-Replayed-Body': text('`current` when a replay shows the row as it is now.'),
  Link: text('URLs that belong to this response, such as the next page (RFC 8288).'),
  Location: text('The URL of the new row.'),
  RateLimit: text('What is left of the quota.', '"account";r=199;t=1'),
  'RateLimit-Policy': text('The quota that applies.', '"account";q=100;w=1'),
  'Retry-After': seconds('How many seconds to wait before the next try.'),
  Sunset: text('When this version may stop being served (RFC 8594).', 'Thu, 31 Dec 2026 23:59:59 GMT'),
  'WWW-Authenticate': text('Which credentials are needed (RFC 6750).', 'Bearer realm="api"'),
  'X-Request-Id': text('Names this request in the logs; also `instance` of a problem.'),
} satisfies { readonly [name: string]: DocumentPart }

export type HeaderName = keyof typeof headers

export const headerComponents: DocumentPart = headers

export const headerRefs = (version: Version, names: readonly HeaderName[]): DocumentPart => {
  const signals: readonly HeaderName[] = version.deprecated ? ['Deprecation', 'Sunset', 'Link'] : []
  const all = [...new Set<HeaderName>([...names, ...signals, 'X-Request-Id'])].sort()
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
