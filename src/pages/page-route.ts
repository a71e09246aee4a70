import type { PlainRequest, PlainResponse } from '../call/exchange.ts'
import type { Maybe } from '../maybe.ts'
import { problem } from '../problems.ts'
import { preferredType } from '../request/accept.ts'
import { refuseQuery } from '../request/read-query.ts'

const allowed: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/** A path that is not a resource: an index, a document, a page or a file of a page. */
export interface PageRoute {
  /** The media types it is available in, the default first. Null for a file, which is sent whatever the Accept header says. */
  readonly types: readonly [MediaType, ...MediaType[]] | null
  answer(request: PlainRequest, type: MediaType | null): Maybe<PlainResponse>
}

export type MediaType = 'application/json' | 'text/html' | 'text/markdown' | 'text/plain'

export const answerRoute = (route: PageRoute, request: PlainRequest): Maybe<PlainResponse> => {
  const { method } = request
  if (!allowed.includes(method)) {
    throw problem('method-not-allowed', {
      detail: `${method.slice(0, 20)} is not offered here. Use ${allowed.join(', ')}.`,
      headers: { Allow: allowed.join(', ') },
    })
  }
  if (method === 'OPTIONS') return { status: 204, headers: { Allow: allowed.join(', ') }, body: null }
  if (!route.types) return route.answer(request, null)
  const type = preferredType(request, route.types)
  if (!type) {
    throw problem('not-acceptable', { detail: `This is available as ${route.types.join(' or ')} only.` })
  }
  refuseQuery(request.query, 'this document')
  return route.answer(request, type)
}
