import type { PlainRequest } from '../call/exchange.ts'
import { bodyMediaTypes } from '../compile/service/media-types.ts'
import { problem } from '../problems.ts'

/** A body is JSON, in UTF-8 and without a coding. */
export function refuseMediaType(request: PlainRequest): void {
  refuseCoding(request)
  const type = String(request.headers['content-type'] ?? '')
  if (type === 'application/json') return
  const [name = '', ...parameters] = type
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const patching = request.method === 'PATCH'
  const types = bodyMediaTypes[patching ? 'PATCH' : 'POST']
  const readable = parameters.every((parameter) => parameter === '' || /^charset="?utf-8"?$/.test(parameter))
  if (types.includes(name) && readable) return
  const accepted = types.join(', ')
  throw problem('unsupported-media-type', {
    detail:
      type === '' ? `Content-Type is missing; send ${accepted}.` : `Send ${accepted}, encoded as UTF-8.`,
    headers: { Accept: accepted, ...(patching ? { 'Accept-Patch': accepted } : {}) },
  })
}

/** RFC 9110 §8.4: a compressed body must not be read as if it were plain. */
function refuseCoding(request: PlainRequest): void {
  const coding = String(request.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (coding === 'identity') return
  throw problem('unsupported-media-type', {
    detail: 'Send the body as it is, without Content-Encoding.',
    headers: { 'Accept-Encoding': 'identity' },
  })
}
