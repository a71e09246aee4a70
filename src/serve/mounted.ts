import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { problem } from '../problems.ts'
import type { AccessLog } from './access-log.ts'
import { createCors } from './cors-headers.ts'
import { createMetrics } from './metrics.ts'
import { answerNode } from './node-handler.ts'
import { Admission } from './overload.ts'
import { createProbes } from './probes.ts'
import { metricsText } from './prometheus-text.ts'
import { createProxies } from './proxies.ts'
import { createRequestIds } from './request-id.ts'
import type { Service } from './service.ts'
import { Shell, type ShellLogger } from './shell.ts'
import type { Tracing } from './tracing.ts'
import { answerWeb, type Sent, type WebFetchParts } from './web-fetch.ts'

/** A service within somebody else's server, or within no server at all. */
export interface Mounted {
  /** An id is made unless the caller says one. */
  fetch(request: Request, sent: Omit<Sent, 'id'> & { readonly id?: string }): Promise<Response>
  handler(incoming: IncomingMessage, outgoing: ServerResponse): void
  /** Answers new requests with 503, and resolves when those that were in flight are answered, or after ten seconds. */
  drain(): Promise<void>
  close(): void
}

export interface MountOptions {
  readonly logger: ShellLogger
  readonly accessLog?: AccessLog | null
  readonly tracing?: Tracing | null
}

const drainMs = 10_000

export function mount(service: Service, { logger, accessLog = null, tracing = null }: MountOptions): Mounted {
  const { model, store, storeCounters, engine, webhooks } = service
  const jobs = model.jobs.size > 0 ? service.jobs : null
  const { prefix, declaration, limits } = model
  // The process has other work, so a late event loop does not mean too many requests.
  const admission = new Admission(limits.requestsInFlight, { ownsProcess: false })
  const events = engine.eventCounters
  const metrics = createMetrics({ store: storeCounters, admission, events, webhooks, jobs })
  service.figures.attach(metrics.counted)
  const probes = createProbes({ store, metrics: () => metricsText([metrics.snapshot()]) })
  const running = new Set<Promise<unknown>>()
  let draining = false
  const shell = new Shell({
    handle: (request) => {
      if (draining) throw stopping()
      const answered = engine.handle(request)
      if (!(answered instanceof Promise)) return answered
      running.add(answered)
      const done = (): void => void running.delete(answered)
      answered.then(done, done)
      return answered
    },
    signal: engine.signal,
    recent: service.recentRequests,
    prefix,
    admission,
    metrics,
    logger,
    accessLog,
    cors: createCors(declaration.cors),
    tracing,
    probes,
  })
  const proxies = createProxies(declaration.proxies)
  const parts: WebFetchParts = { shell, admission, proxies, prefix, headerBytes: limits.headerBytes }
  const makeId = createRequestIds()
  return {
    fetch: (request, sent) => answerWeb(parts, request, { id: makeId(), ...sent }),
    handler: (incoming, outgoing) => answerNode(parts, incoming, outgoing, makeId),
    async drain() {
      draining = true
      probes.drain()
      await Promise.race([Promise.allSettled(running), sleep(drainMs, undefined, { ref: false })])
    },
    close: () => admission.close(),
  }
}

const stopping = (): Error =>
  problem('shutting-down', {
    detail: 'The service was closed in this process. Retry.',
    headers: { 'Retry-After': '1' },
  })

export interface WebFetch {
  (request: Request, id: string): Promise<Response>
  close(): void
}

/** The service for tests: requests come from this machine. */
export function webFetch(service: Service, warn: (message: string, error: unknown) => void): WebFetch {
  const mounted = mount(service, { logger: { error: ({ err }, message) => warn(message, err), info() {} } })
  return Object.assign(
    (request: Request, id: string) => mounted.fetch(request, { id, address: '127.0.0.1' }),
    { close: () => mounted.close() },
  )
}
