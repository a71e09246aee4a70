import type { Outcome } from '../call/call.ts'
import type { LiveBody, PlainRequest, PlainResponse } from '../call/exchange.ts'
import { pathOf, type Target } from '../call/target.ts'
import { linkTarget } from './link-target.ts'
import { notModified } from './not-modified.ts'

/** The HTTP response of a successful call. For HEAD, the adapter leaves out the body. */
export function successResponse(outcome: Outcome, target: Target, request: PlainRequest): PlainResponse {
  if (outcome.live) return streamResponse(outcome.live)
  const headers: { [name: string]: string } = { Vary: 'Authorization, Accept-Encoding' }
  headers['Cache-Control'] = outcome.replayed ? 'no-store' : target.view.cacheControl
  if (outcome.etag) headers.ETag = outcome.etag
  if (outcome.location) headers.Location = outcome.location
  if (outcome.position) headers['Store-Position'] = outcome.position
  if (outcome.replayed) headers['Idempotent-Replayed'] = 'true'
  if (outcome.reread) headers['Idempotent-Replayed-Body'] = 'current'
  if (outcome.next) {
    headers.Link = `${linkTarget(`${pathOf(target)}?${outcome.next}`)}; rel="next"`
  }
  const canonical = contentLocation(outcome, target, request.query)
  if (canonical) headers['Content-Location'] = canonical
  const reading = request.method === 'GET' || request.method === 'HEAD'
  if (reading && notModified(request.headers['if-none-match'] as string | undefined, outcome.etag)) {
    return { status: 304, headers, body: null }
  }
  if (outcome.body !== null) headers['Content-Type'] = 'application/json'
  return { status: outcome.status, headers, body: outcome.body, bytes: outcome.bytes }
}

const streamResponse = (live: LiveBody): PlainResponse => ({
  status: 200,
  headers: {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    // Asks nginx, and proxies that follow its header, to pass on each event at once.
    'X-Accel-Buffering': 'no',
  },
  body: null,
  live,
})

/** The canonical URL, where it may differ from the URL of the request. */
function contentLocation(outcome: Outcome, target: Target, query: string): string | null {
  if (outcome.canonical) return `${pathOf(target)}?${outcome.canonical}`
  if (!target.unversioned) return null
  return query === '' ? pathOf(target) : `${pathOf(target)}?${query}`
}
