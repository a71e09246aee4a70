import type { Socket } from 'node:net'
import type { AccessLog } from './access-log.ts'
import { createCors } from './cors-headers.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { NodeServer, type StopOptions, type Timeouts } from './node-server.ts'
import { Admission, type Bounds } from './overload.ts'
import { createProbes, type Probes } from './probes.ts'
import { metricsText } from './prometheus-text.ts'
import { createProxies } from './proxies.ts'
import type { Service } from './service.ts'
import { type Handle, Shell, type ShellLogger, type ShellParts } from './shell.ts'
import { openTracing } from './tracing.ts'
import { urlOf } from './url-of.ts'
import { shareMetrics } from './worker-metrics.ts'

export interface ServerOptions {
  readonly service: Service
  readonly log: ServerLog
  readonly timeouts?: Partial<Timeouts>
  /** Lower ones in tests. */
  readonly bounds?: Partial<Bounds>
  /** Whether the process does nothing else, so that a late event loop means too many requests; yes unless said. */
  readonly ownsProcess?: boolean
}

export interface ServerLog {
  readonly logger: ShellLogger
  /** Null where requests are not logged. */
  readonly accessLog: AccessLog | null
}

export interface ListenOptions extends ServerOptions {
  readonly port: number
  readonly host: string
  /** Serves /livez, /readyz and /metrics on this port instead of the API's. */
  readonly opsPort?: number | undefined
  /** The port of a console that is not beside the API; any free one unless said. */
  readonly consolePort?: number | undefined
}

export interface Listening {
  readonly url: string
  readonly port: number
  readonly opsUrl: string | null
  /** Null where the console has no port of its own. */
  readonly consoleUrl: string | null
  /** Finishes requests in flight, then closes both ports. The caller closes the store. */
  stop(options?: StopOptions): Promise<void>
}

/** Serves the engine, within its shell, on a port. */
export const listen = async (options: ListenOptions): Promise<Listening> => {
  const { port, host, opsPort, consolePort = 0, service } = options
  const parts = serverParts(options)
  const main = await apiServer(options, parts, opsPort === undefined)
  const address = await main.listen(port, host)
  const besides: NodeServer[] = []
  const stop = async (stopOptions?: StopOptions): Promise<void> => {
    parts.probes.drain()
    await main.stop(stopOptions)
    for (const server of besides) await server.stop()
    parts.admission.close()
  }
  const beside = async (server: NodeServer, wanted: number): Promise<string> => {
    const { port: own } = await server.listen(wanted, host).catch(async (error: unknown) => {
      await stop()
      throw error
    })
    besides.push(server)
    return urlOf(host, own)
  }
  return {
    url: urlOf(host, address.port),
    port: address.port,
    opsUrl: opsPort === undefined ? null : await beside(probesServer(options, parts), opsPort),
    consoleUrl: service.console
      ? await beside(consoleServer(options, parts, service.console), consolePort)
      : null,
    stop,
  }
}

export interface AdoptedConnections {
  /** Serves a connection from now on. */
  adopt(socket: Socket): void
  /** Finishes requests in flight, and closes the connections. The caller closes the store. */
  stop(options?: StopOptions): Promise<void>
}

/** Serves the engine, within its shell, on connections that another process has accepted. */
export const serveConnections = async (options: ServerOptions): Promise<AdoptedConnections> => {
  const parts = serverParts(options)
  const server = await apiServer(options, parts, true)
  return {
    adopt: (socket) => server.adopt(socket),
    async stop(stopOptions) {
      parts.probes.drain()
      await server.stop(stopOptions)
      parts.admission.close()
    },
  }
}

/** Serves probes and metrics of a process that answers no requests. */
export const serveProbes = async (
  service: Service,
  logger: ShellLogger,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<{ readonly url: string; stop(): Promise<void> }> => {
  const options = { service, log: { logger, accessLog: null } }
  const parts = serverParts(options)
  const server = probesServer(options, parts)
  const address = await server.listen(port, host)
  return {
    url: urlOf(host, address.port),
    async stop() {
      parts.probes.drain()
      await server.stop()
      parts.admission.close()
    },
  }
}

/** What the servers of one process share. */
interface ServerParts {
  readonly admission: Admission
  readonly metrics: Metrics
  readonly probes: Probes
}

const serverParts = ({ service, bounds, ownsProcess = true }: ServerOptions): ServerParts => {
  const { model, storeCounters, store, engine, webhooks, jobs } = service
  const admission = new Admission(model.limits.requestsInFlight, { ownsProcess, ...bounds })
  const metrics = createMetrics({
    store: storeCounters,
    admission,
    events: engine.eventCounters,
    webhooks,
    jobs: model.jobs.size > 0 ? jobs : null,
  })
  service.figures.attach(metrics.counted)
  const snapshots = shareMetrics(metrics.snapshot)
  const probes = createProbes({ store, metrics: async () => metricsText(await snapshots()) })
  return { admission, metrics, probes }
}

const apiServer = async (
  options: ServerOptions,
  { admission, metrics, probes }: ServerParts,
  servesProbes: boolean,
): Promise<NodeServer> => {
  const { service, log } = options
  const { model, engine, recentRequests } = service
  const { cors, proxies } = model.declaration
  const parts: ShellParts = {
    handle: engine.handle,
    signal: engine.signal,
    admission,
    metrics,
    ...log,
    prefix: model.prefix,
    cors: createCors(cors),
    tracing: await openTracing(),
    recent: recentRequests,
    probes: servesProbes ? probes : null,
  }
  return nodeServer(options, parts, proxies)
}

const nodeServer = (
  { service, timeouts, bounds }: ServerOptions,
  parts: ShellParts,
  proxies: readonly string[] | undefined,
): NodeServer =>
  new NodeServer({
    shell: new Shell(parts),
    proxies: createProxies(proxies),
    admission: parts.admission,
    prefix: parts.prefix,
    headerBytes: service.model.limits.headerBytes,
    maxConnections: bounds?.connections,
    ...(timeouts && { timeouts }),
  })

/** The separate port of the probes, where every other path is 404. */
const probesServer = (options: ServerOptions, parts: ServerParts): NodeServer => {
  const handle: Handle = () => ({ status: 404, headers: { 'Cache-Control': 'no-store' }, body: null })
  return nodeServer(options, sideShell(options, parts, handle), undefined)
}

/** The separate port of the console. It is behind the same proxies as the API. */
const consoleServer = (options: ServerOptions, parts: ServerParts, handle: Handle): NodeServer => {
  const { prefix, declaration } = options.service.model
  const shell = {
    ...sideShell(options, parts, handle),
    prefix,
    probes: null,
    accessLog: options.log.accessLog,
  }
  return nodeServer(options, shell, declaration.proxies)
}

const sideShell = ({ log }: ServerOptions, parts: ServerParts, handle: Handle): ShellParts => ({
  ...parts,
  prefix: '',
  handle,
  signal: null,
  logger: log.logger,
  accessLog: null,
  recent: null,
  cors: null,
  tracing: null,
})
