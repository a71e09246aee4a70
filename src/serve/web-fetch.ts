import { type Problem, problem } from '../problems.ts'
import type { LiveBody } from '../request/exchange.ts'
import { createCors } from './cors-headers.ts'
import { createMetrics } from './metrics.ts'
import { Admission } from './overload.ts'
import { createProbes } from './probes.ts'
import { metricsText } from './prometheus-text.ts'
import { urlFault } from './request-fault.ts'
import type { Service } from './service.ts'
import { type ArrivedRequest, emptyNote, Shell } from './shell.ts'

export interface WebFetch {
  (request: Request, id: string): Promise<Response>
  close(): void
}

/**
 * Answers Web `Request`s through the same shell and engine as a served API. Only the parts that need a connection are missing:
 * timeouts, pipelining and the parsing of bytes.
 */
export function webFetch(service: Service, warn: (message: string, error: unknown) => void): WebFetch {
  const { model, store, engine, webhooks } = service
  // A test computes in the same process: that its event loop is late says nothing about the requests.
  const admission = new Admission(model.limits.requestsInFlight, { ownsProcess: false })
  const events = engine.eventCounters
  const metrics = createMetrics({ store: store.counters, admission, events, webhooks })
  const shell = new Shell({
    handle: engine.handle,
    signal: engine.signal,
    admission,
    metrics,
    logger: { error: ({ err }, message) => warn(message, err), info() {} },
    accessLog: null,
    cors: createCors(model.declaration.cors),
    tracing: null,
    probes: createProbes({ store, metrics: () => metricsText([metrics.snapshot()]) }),
  })
  const answer = async (request: Request, id: string): Promise<Response> => {
    const arrived = arrivedRequest(request, id)
    const fault = faultOf(arrived, model.limits.headerBytes)
    const response = fault ? shell.refuse(arrived, fault) : await shell.answer(arrived)
    const isBodiless = request.method === 'HEAD' || bodiless.has(response.status)
    if (isBodiless) response.live?.end()
    const body = isBodiless ? null : response.live ? readable(response.live) : response.body
    return new Response(body as ReadableStream | string | Uint8Array<ArrayBuffer> | null, {
      status: response.status,
      headers: response.headers,
    })
  }
  return Object.assign(answer, { close: () => admission.close() })
}

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

function arrivedRequest(request: Request, id: string): ArrivedRequest {
  const url = new URL(request.url)
  return {
    method: request.method,
    path: url.pathname,
    query: url.search.slice(1),
    headers: Object.fromEntries(request.headers),
    address: '127.0.0.1',
    id,
    origin: url.origin,
    note: emptyNote(),
    async readBody(limit) {
      const bytes = new Uint8Array(await request.arrayBuffer())
      if (bytes.length > limit)
        throw problem('body-too-large', {
          detail: `The body may have at most ${limit} bytes.`,
          members: { limit },
        })
      return bytes
    },
  }
}

/** Without a socket, the limit on the request line and headers is checked here; on a socket, node:http checks it. */
function faultOf({ path, query, headers }: ArrivedRequest, headerBytes: number): Problem | null {
  const url = query === '' ? path : `${path}?${query}`
  const bytes = Object.entries(headers).reduce(
    (sum, header) => sum + header.join(': ').length + 2,
    url.length,
  )
  return (
    urlFault(url, headerBytes) ??
    (bytes > headerBytes
      ? problem('headers-too-large', { detail: 'The request line and headers are larger than the limit.' })
      : null)
  )
}
