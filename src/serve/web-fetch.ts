import type { Caller } from '../call/caller.ts'
import type { LiveBody, PlainResponse } from '../call/exchange.ts'
import { type Problem, problem } from '../problems.ts'
import { holderOfRequest } from './fair-limit.ts'
import type { Admission } from './overload.ts'
import { notBelow, withoutPrefix } from './prefix.ts'
import type { Forwarded, Proxies } from './proxies.ts'
import { longUrl } from './request-fault.ts'
import { isRequestId } from './request-id.ts'
import { type ArrivedRequest, emptyNote, type Shell } from './shell.ts'
import { readWebBody } from './web-body.ts'

export interface WebFetchParts {
  readonly shell: Shell
  readonly admission: Admission
  readonly proxies: Proxies | null
  readonly prefix: string
  /** The limit on the request line and headers together. */
  readonly headerBytes: number
}

export interface Sent {
  readonly id: string
  /** The client, or the proxy that passed its request on. */
  readonly address: string
  /** Who calls, where code of this process says it. */
  readonly caller?: Caller
}

/**
 * Answers Web `Request`s through the same shell and engine as a served API. Only the parts that need a connection are missing:
 * timeouts of connections, pipelining and the parsing of bytes.
 */
export async function answerWeb(parts: WebFetchParts, request: Request, sent: Sent): Promise<Response> {
  const { shell, prefix, headerBytes } = parts
  const url = new URL(request.url)
  const path = withoutPrefix(url.pathname, prefix)
  const arrived = arrivedRequest(parts, request, url, path ?? url.pathname, sent)
  const fault = faultOf(arrived, url, headerBytes) ?? (path === null ? notBelow(prefix) : null)
  const response = fault ? shell.refuse(arrived, fault) : await shell.answer(arrived)
  const isBodiless = request.method === 'HEAD' || bodiless.has(response.status)
  if (isBodiless) response.live?.end()
  const body = isBodiless ? null : response.live ? readable(response.live) : response.body
  return new Response(body as ReadableStream | string | Uint8Array<ArrayBuffer> | null, {
    status: response.status,
    headers: headersOf(response),
  })
}

const headersOf = ({ headers, body, bytes, status }: PlainResponse): { readonly [name: string]: string } =>
  body === null || bodiless.has(status)
    ? headers
    : { ...headers, 'Content-Length': String(bytes ?? Buffer.byteLength(body)) }

const readable = (live: LiveBody): ReadableStream =>
  new ReadableStream({
    async pull(controller) {
      const text = await live.next()
      if (text === null) controller.close()
      else controller.enqueue(Buffer.from(text))
    },
    cancel: () => live.end(),
  })

const bodiless = new Set([204, 304])

function arrivedRequest(
  { admission, proxies }: WebFetchParts,
  request: Request,
  url: URL,
  path: string,
  { id, address, caller }: Sent,
): ArrivedRequest {
  const headers = Object.fromEntries(request.headers)
  const forwarded: Forwarded | null = proxies?.trusts(address) ? proxies.read(headers, address) : null
  const givenId = forwarded ? headers['x-request-id'] : undefined
  const arrived: ArrivedRequest = {
    method: request.method,
    path,
    query: url.search.slice(1),
    headers,
    address: forwarded?.address ?? address,
    id: isRequestId(givenId) ? givenId : id,
    origin: originOf(url, forwarded),
    note: emptyNote(),
    ...(caller && { caller }),
    readBody: (limit) =>
      readWebBody(request, { limit, admission, holder: holderOfRequest(arrived), asks: arrived }),
  }
  return arrived
}

const originOf = (url: URL, forwarded: Forwarded | null): string =>
  `${forwarded?.proto ?? url.protocol.slice(0, -1)}://${forwarded?.host ?? url.host}`

/** Without a socket, the limit on the request line and headers is checked here; on a socket, node:http checks it. */
function faultOf(
  { headers }: ArrivedRequest,
  { pathname, search }: URL,
  headerBytes: number,
): Problem | null {
  const url = pathname + search
  const bytes = Object.entries(headers).reduce(
    (sum, header) => sum + header.join(': ').length + 2,
    url.length,
  )
  return (
    longUrl(url, headerBytes) ??
    (bytes > headerBytes
      ? problem('headers-too-large', { detail: 'The request line and headers are larger than the limit.' })
      : null)
  )
}
