import type { Call } from '../call/call.ts'
import type { PlainRequest } from '../call/exchange.ts'
import type { Target } from '../call/target.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import { demandScope } from '../guard/scopes.ts'
import { problem } from '../problems.ts'
import { readJsonObject } from '../request/json-body.ts'
import { fingerprintOf, type KeyedRequest, keyInRequest, readKey } from '../write/idempotency.ts'
import type { Engine } from './engine.ts'
import { refuseUnacceptable } from './route-checks.ts'

/** A body may take half a minute to arrive. After this long, the caller is authenticated again. */
const slowMs = 500

/** The body as a JSON object. Checked in this order: its size, its media type, the Accept header, its syntax. */
export async function readBody(engine: Engine, request: PlainRequest, target: Target): Promise<JsonObject> {
  const askedAt = performance.now()
  const bytes = await request.readBody(target.view.limits.bodyBytes)
  if (performance.now() - askedAt > slowMs) await refuseRevoked(engine, request, target)
  refuseMediaType(request)
  refuseUnacceptable(request)
  return readJsonObject(bytes, engine.model.limits.jsonDepth)
}

/** A key that was revoked, or lost its scope, while the body arrived must not write any more. */
async function refuseRevoked(engine: Engine, request: PlainRequest, target: Target): Promise<void> {
  demandScope(target.view, request.method, await engine.authenticator.authenticate(request))
}

function refuseMediaType(request: PlainRequest): void {
  refuseCoding(request)
  const type = String(request.headers['content-type'] ?? '')
  if (type === 'application/json') return
  const [name = '', ...parameters] = type
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const patching = request.method === 'PATCH'
  const known = name === 'application/json' || (patching && name === 'application/merge-patch+json')
  const readable = parameters.every((parameter) => parameter === '' || /^charset="?utf-8"?$/.test(parameter))
  if (known && readable) return
  const accepted = patching ? 'application/json, application/merge-patch+json' : 'application/json'
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

/** The Idempotency-Key of a create, which the resource requires, allows or ignores. */
export function readKeyed(request: PlainRequest, call: Call, body: JsonObject): KeyedRequest | null {
  const { target, caller } = call
  const { mode } = target.view.idempotency
  if (mode === 'off') return null
  const sent = readKey(request.headers['idempotency-key'])
  if (sent !== null)
    return { key: keyInRequest(sent, caller.subject), fingerprint: fingerprintOf(call, body) }
  if (mode === 'optional') return null
  throw problem('idempotency-key-missing', {
    detail: `Creating ${target.view.name} needs an Idempotency-Key header.`,
    errors: [{ header: 'Idempotency-Key', detail: 'is required', code: 'required' }],
  })
}
