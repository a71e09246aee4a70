import { corsRulesOf } from '../compile/cors.ts'
import type { CorsDeclaration } from '../declare/api.ts'
import type { PlainRequest, PlainResponse } from '../request/exchange.ts'

export interface Cors {
  /** The answer to a browser's question before a call, or null when this is none, or none of an allowed origin. */
  preflight(request: PlainRequest): PlainResponse | null
  /** Lets the page of an allowed origin read the answer. */
  allow(request: PlainRequest, response: PlainResponse): void
}

const defaultMaxAge = 600

/** Null when not declared: then no header says anything, and browsers keep other sites out. */
export const createCors = (declared: CorsDeclaration | undefined): Cors | null => {
  if (!declared) return null
  const rules = corsRulesOf(declared)
  const origins = new Set(rules.origins)
  const everyone = origins.has('*')
  const methods = rules.methods.join(', ')
  const requestHeaders = rules.requestHeaders.join(', ')
  const readableHeaders = rules.responseHeaders.join(', ')
  const maxAge = String(declared.maxAgeSeconds ?? defaultMaxAge)

  const allowed = (request: PlainRequest): string | null => {
    const origin = request.headers.origin
    if (typeof origin !== 'string') return null
    if (everyone) return '*'
    return origins.has(origin) ? origin : null
  }
  // Even an answer without the header differs by origin, so caches must keep them apart.
  const vary = (headers: { [name: string]: string }): void => {
    if (everyone) return
    const known = headers.Vary
    headers.Vary = known === undefined ? 'Origin' : `${known}, Origin`
  }

  return {
    preflight(request) {
      if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined)
        return null
      const origin = allowed(request)
      if (origin === null) return null
      const headers: { [name: string]: string } = {
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Allow-Methods': methods,
        'Access-Control-Allow-Headers': requestHeaders,
        'Access-Control-Max-Age': maxAge,
      }
      vary(headers)
      return { status: 204, headers, body: null }
    },
    allow(request, response) {
      const origin = allowed(request)
      const { headers } = response
      if (headers['Access-Control-Allow-Origin'] !== undefined) return
      vary(headers)
      if (origin === null) return
      headers['Access-Control-Allow-Origin'] = origin
      headers['Access-Control-Expose-Headers'] = readableHeaders
    },
  }
}
