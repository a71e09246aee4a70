import type { Maybe } from '../maybe.ts'
import { problem } from '../problems.ts'
import { preferredType } from '../request/accept.ts'
import type { PlainRequest, PlainResponse } from '../request/exchange.ts'
import { refuseQuery } from '../request/query.ts'

/** What a path beside the resources names: an index, a document, a page or a file. */
export interface PageRoute {
  /** The media types it is shown in, the usual one first. Null for a file, which is loaded by a page and sent to anyone. */
  readonly types: readonly [MediaType, ...MediaType[]] | null
  /** Takes a form as well. */
  readonly takesForm?: true
  answer(request: PlainRequest, type: MediaType | null): Maybe<PlainResponse>
}

export type MediaType = 'application/json' | 'text/html' | 'text/markdown' | 'text/plain'

export const answerRoute = (route: PageRoute, request: PlainRequest): Maybe<PlainResponse> => {
  const { method } = request
  const allowed = ['GET', 'HEAD', ...(route.takesForm ? ['POST'] : []), 'OPTIONS']
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
    throw problem('not-acceptable', { detail: `This is shown as ${route.types.join(' or ')} only.` })
  }
  refuseQuery(request.query, 'this document')
  return route.answer(request, type)
}
