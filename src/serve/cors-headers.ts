import type { PlainRequest, PlainResponse } from '../call/exchange.ts'
import { corsRulesOf } from '../compile/service/cors.ts'
import type { CorsDeclaration } from '../declare/api.ts'

export interface Cors {
  /** The answer to a preflight request of an allowed origin; null for any other request. */
  preflight(request: PlainRequest): PlainResponse | null
  /** Adds the headers that let pages of an allowed origin read the answer. */
  allow(request: PlainRequest, response: PlainResponse): void
}

const defaultMaxAge = 600

/** Null when CORS is not declared: answers then have no CORS headers, and browsers keep other origins out. */
export const createCors = (declared: CorsDeclaration | undefined): Cors | null => {
  if (!declared) return null
  const rules = corsRulesOf(declared)
  const origins = new Set(rules.origins)
  const anyOrigin = origins.has('*')
  const methods = rules.methods.join(', ')
  const requestHeaders = rules.requestHeaders.join(', ')
  const responseHeaders = rules.responseHeaders.join(', ')
  const maxAge = String(declared.maxAgeSeconds ?? defaultMaxAge)

  const allowedOrigin = (request: PlainRequest): string | null => {
    const origin = request.headers.origin
    if (typeof origin !== 'string') return null
    if (anyOrigin) return '*'
    return origins.has(origin) ? origin : null
  }
  // An answer without CORS headers depends on the origin too, so it needs Vary as well.
  const addVary = (headers: { [name: string]: string }): void => {
    if (anyOrigin) return
    headers.Vary = headers.Vary === undefined ? 'Origin' : `${headers.Vary}, Origin`
  }

  return {
    preflight(request) {
      if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined)
        return null
      const origin = allowedOrigin(request)
      if (origin === null) return null
      const headers: { [name: string]: string } = {
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Allow-Methods': methods,
        'Access-Control-Allow-Headers': requestHeaders,
        'Access-Control-Max-Age': maxAge,
      }
      addVary(headers)
      return { status: 204, headers, body: null }
    },
    allow(request, response) {
      const { headers } = response
      // A preflight's answer has them already.
      if (headers['Access-Control-Allow-Origin'] !== undefined) return
      const origin = allowedOrigin(request)
      addVary(headers)
      if (origin === null) return
      headers['Access-Control-Allow-Origin'] = origin
      headers['Access-Control-Expose-Headers'] = responseHeaders
    },
  }
}
