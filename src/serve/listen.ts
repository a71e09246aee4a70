import type { Model } from '../compile/model.ts'
import type { Store } from '../store/store.ts'
import type { WebhookFigures } from '../webhooks/webhooks.ts'
import { createAccessLog } from './access-log.ts'
import { createCors } from './cors-headers.ts'
import type { Log } from './logs.ts'
import { createMetrics, type EventCounters } from './metrics.ts'
import { NodeServer, type StopOptions, type Timeouts } from './node-server.ts'
import { Admission } from './overload.ts'
import { createProbes, type Probes } from './probes.ts'
import { metricsText } from './prometheus-text.ts'
import { createProxies } from './proxies.ts'
import { type Handle, Shell, type ShellParts, type Signal } from './shell.ts'
import { openTracing } from './tracing.ts'
import { shareMetrics } from './worker-metrics.ts'

export interface ListenOptions {
  readonly model: Model
  readonly store: Store
  /** The service's, for the metrics. */
  readonly webhooks: WebhookFigures | null
  /** The engine's. */
  readonly handle: Handle
  /** The engine's. */
  readonly signal: Signal
  /** The engine's. */
  readonly eventCounters: EventCounters | null
  readonly log: Log
  readonly port: number
  readonly host: string
  /** Serves /livez, /readyz and /metrics on this port instead of the API's. */
  readonly opsPort?: number | undefined
  readonly timeouts?: Partial<Timeouts>
}

export interface Listening {
  readonly url: string
  readonly port: number
  readonly opsUrl: string | null
  /** Finishes requests in flight, then closes both ports. The caller closes the store. */
  stop(options?: StopOptions): Promise<void>
}

/** Serves the engine, within its shell, on a port. */
export const listen = async (options: ListenOptions): Promise<Listening> => {
  const { model, store, handle, signal, eventCounters, webhooks, log, port, host, opsPort } = options
  const admission = new Admission(model.limits.requestsInFlight)
  const metrics = createMetrics({ store: store.counters, admission, events: eventCounters, webhooks })
  const snapshots = shareMetrics(metrics.snapshot)
  const probes = createProbes({ store, metrics: async () => metricsText(await snapshots()) })
  const parts = { handle, signal, admission, metrics, logger: log.logger, accessLog: createAccessLog(log) }
  const { cors, proxies } = model.declaration
  const main = nodeServer(
    options,
    {
      ...parts,
      cors: createCors(cors),
      tracing: await openTracing(),
      probes: opsPort === undefined ? probes : null,
    },
    proxies,
  )
  const side = opsPort === undefined ? null : probesServer(options, { ...parts, accessLog: null }, probes)
  const address = await main.listen(port, host)
  const sideAddress =
    side &&
    (await side.listen(opsPort ?? 0, host).catch(async (error: unknown) => {
      await main.stop()
      throw error
    }))
  return {
    url: urlOf(host, address.port),
    port: address.port,
    opsUrl: sideAddress && urlOf(host, sideAddress.port),
    async stop(stopOptions) {
      probes.drain()
      await main.stop(stopOptions)
      await side?.stop()
      admission.close()
    },
  }
}

const nodeServer = (
  { model, timeouts }: ListenOptions,
  parts: ShellParts,
  proxies: readonly string[] | undefined,
): NodeServer =>
  new NodeServer({
    shell: new Shell(parts),
    proxies: createProxies(proxies),
    admission: parts.admission,
    headerBytes: model.limits.headerBytes,
    ...(timeouts && { timeouts }),
  })

/** The separate port of the probes, where every other path is 404. */
const probesServer = (
  options: ListenOptions,
  parts: Omit<ShellParts, 'handle' | 'signal' | 'probes' | 'cors' | 'tracing'>,
  probes: Probes,
): NodeServer => {
  const handle: Handle = () => ({ status: 404, headers: { 'Cache-Control': 'no-store' }, body: null })
  return nodeServer(options, { ...parts, handle, signal: null, probes, cors: null, tracing: null }, undefined)
}

const urlOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`
