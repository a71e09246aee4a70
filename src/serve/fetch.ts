import type { Maybe } from '../maybe.ts'
import { problem } from '../problems.ts'
import type { PlainRequest, PlainResponse } from '../request/exchange.ts'

const bodiless = new Set([204, 304])

/** A Web Request through the same way as one from a socket. */
export async function fetchThrough(
  handle: (request: PlainRequest) => Maybe<PlainResponse>,
  request: Request,
  id: string,
): Promise<Response> {
  const url = new URL(request.url)
  const response = await handle({
    method: request.method,
    path: url.pathname,
    query: url.search.slice(1),
    headers: Object.fromEntries(request.headers),
    address: '127.0.0.1',
    id,
    origin: url.origin,
    async readBody(limit) {
      const bytes = new Uint8Array(await request.arrayBuffer())
      if (bytes.length > limit) throw tooLarge(limit)
      return bytes
    },
  })
  const body = request.method === 'HEAD' || bodiless.has(response.status) ? null : response.body
  return new Response(body as string | Uint8Array<ArrayBuffer> | null, {
    status: response.status,
    headers: response.headers,
  })
}

const tooLarge = (limit: number): Error =>
  problem('body-too-large', { detail: `The body exceeds ${limit} bytes.`, members: { limit } })
