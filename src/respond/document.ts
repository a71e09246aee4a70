import type { View } from '../compile/model.ts'
import type { PlainRequest, PlainResponse } from '../request/exchange.ts'
import type { Target } from '../request/route.ts'
import { notModified } from '../run/preconditions.ts'
import { pathOf } from '../run/read.ts'
import type { Outcome } from '../run/run.ts'

/** A success as an HTTP response. HEAD is cut to its headers by the adapter. */
export function documentResponse(outcome: Outcome, target: Target, request: PlainRequest): PlainResponse {
  const headers: { [name: string]: string } = { Vary: 'Authorization, Accept-Encoding' }
  headers['Cache-Control'] = outcome.replayed ? 'no-store' : cacheControl(target.view)
  if (outcome.etag) headers.ETag = outcome.etag
  if (outcome.location) headers.Location = outcome.location
  if (outcome.replayed) headers['Idempotent-Replayed'] = 'true'
  if (outcome.reread) headers['Idempotent-Replayed-Body'] = 'current'
  if (outcome.next) headers.Link = `<${nextPage(target, request.query, outcome.next)}>; rel="next"`
  const canonical =
    outcome.contentLocation ?? (target.unversioned ? withQuery(pathOf(target), request.query) : null)
  if (canonical) headers['Content-Location'] = canonical
  const reading = request.method === 'GET' || request.method === 'HEAD'
  if (reading && notModified(request.headers['if-none-match'] as string | undefined, outcome.etag)) {
    return { status: 304, headers, body: null }
  }
  if (outcome.body !== null) headers['Content-Type'] = 'application/json'
  return { status: outcome.status, headers, body: outcome.body }
}

const cacheControl = (view: View): string => view.cacheControl

const withQuery = (path: string, query: string): string => (query === '' ? path : `${path}?${query}`)

/** The same query with the next cursor; everything else stays as it was sent. */
function nextPage(target: Target, query: string, cursor: string): string {
  const kept = query.split('&').filter((part) => part !== '' && !/^cursor=/.test(part))
  return `${pathOf(target)}?${[...kept, `cursor=${cursor}`].join('&')}`
}
