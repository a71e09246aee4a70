import type { View } from '../compile/model.ts'
import type { PlainRequest, PlainResponse } from '../request/exchange.ts'
import type { Target } from '../request/route.ts'
import { notModified } from '../run/preconditions.ts'
import { pathOf } from '../run/read.ts'
import type { Outcome } from '../run/run.ts'
import { linkTarget } from './link-target.ts'

/** A success as an HTTP response. HEAD is cut to its headers by the adapter. */
export function documentResponse(outcome: Outcome, target: Target, request: PlainRequest): PlainResponse {
  const headers: { [name: string]: string } = { Vary: 'Authorization, Accept-Encoding' }
  headers['Cache-Control'] = outcome.replayed ? 'no-store' : cacheControl(target.view)
  if (outcome.etag) headers.ETag = outcome.etag
  if (outcome.location) headers.Location = outcome.location
  if (outcome.replayed) headers['Idempotent-Replayed'] = 'true'
  if (outcome.reread) headers['Idempotent-Replayed-Body'] = 'current'
  if (outcome.next) {
    const next = `${pathOf(target)}?${withParameter(request.query, 'cursor', outcome.next)}`
    headers.Link = `${linkTarget(next)}; rel="next"`
  }
  const canonical = contentLocation(outcome, target, request.query)
  if (canonical) headers['Content-Location'] = canonical
  const reading = request.method === 'GET' || request.method === 'HEAD'
  if (reading && notModified(request.headers['if-none-match'] as string | undefined, outcome.etag)) {
    return { status: 304, headers, body: null }
  }
  if (outcome.body !== null) headers['Content-Type'] = 'application/json'
  return { status: outcome.status, headers, body: outcome.body }
}

const cacheControl = (view: View): string => view.cacheControl

/** The canonical URL, where it may be another than the one that was called. */
function contentLocation(outcome: Outcome, target: Target, query: string): string | null {
  if (outcome.include) return `${pathOf(target)}?${withParameter(query, 'include', outcome.include)}`
  if (!target.unversioned) return null
  return query === '' ? pathOf(target) : `${pathOf(target)}?${query}`
}

/** The query with one parameter set anew; everything else stays as it was sent. */
function withParameter(query: string, name: string, value: string): string {
  const kept = query.split('&').filter((part) => part !== '' && !isNamed(part, name))
  return [...kept, `${name}=${value}`].join('&')
}

/** The query has been read, so it decodes. */
const isNamed = (part: string, name: string): boolean =>
  decodeURIComponent(part.split('=', 1)[0] ?? '') === name
