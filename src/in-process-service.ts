import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { Client } from './client/nounkit-client.ts'
import { systemClock } from './clock.ts'
import type { Contract } from './compile/contract-format.ts'
import { refuseBrokenPromises } from './contract/broken-promises.ts'
import { type FrozenContracts, readContracts } from './contract/contract-files.ts'
import type { ApiDeclaration } from './declare/api.ts'
import type { ActingAs } from './declare/job.ts'
import { demandIssuers } from './guard/address-settings.ts'
import { publishedVersions } from './migrate/record/published.ts'
import { createAccessLog } from './serve/access-log.ts'
import { clientAs } from './serve/client-as.ts'
import { type Listening, listen } from './serve/listen.ts'
import { createLog, warnTo } from './serve/logs.ts'
import { mount } from './serve/mounted.ts'
import { ownedPaths } from './serve/owned-paths.ts'
import { readPrefix } from './serve/prefix.ts'
import { runJobs } from './serve/run-jobs.ts'
import { openService } from './serve/service.ts'
import { openTracing } from './serve/tracing.ts'
import { addressesIn, environmentOf, inOwnWords, type ServiceSettings } from './server-settings.ts'
import { SettingMistake } from './setting-mistake.ts'
import { readWebhookSettings } from './webhooks/webhook-settings.ts'

export interface ListenSettings {
  /** 3000 unless said; 0 for any free one. */
  readonly port?: number
  /** 127.0.0.1 unless said. */
  readonly host?: string
  /** Serves /livez, /readyz and /metrics on a port of their own. */
  readonly opsPort?: number
}

/** An API that is served within this process. */
export interface InProcessService<Api = unknown> {
  /** Answers a request; `address` is the client's, or that of the proxy in front. */
  fetch(request: Request, from?: { readonly address?: string | undefined }): Promise<Response>
  /** The same for node:http and what builds on it. */
  readonly handler: (incoming: IncomingMessage, outgoing: ServerResponse) => void
  /** The client, in the same process, as this caller. Rules and validation hold. */
  as(caller: ActingAs): Client<Api>
  /** Whether a URL or a path is the service's. */
  owns(url: URL | string): boolean
  /** Serves on a port of its own, as `nounkit serve` does. */
  listen(settings?: ListenSettings): Promise<{ readonly url: string }>
  /** Ends streams, finishes requests and stops housekeeping. May be called twice. */
  close(): Promise<void>
}

/**
 * Opens the store of an API, and serves it within this process.
 *
 * @example
 * const shop = await openService(api, { database: 'sqlite:shop.db' })
 * const response = await shop.fetch(new Request('http://localhost/v1/orders'))
 */
export async function openInProcess<Api extends ApiDeclaration>(
  declaration: Api,
  settings: ServiceSettings,
): Promise<InProcessService<Api>> {
  try {
    return await open(declaration, settings)
  } catch (error) {
    if (error instanceof SettingMistake) throw new SettingMistake(inOwnWords(error.message), { cause: error })
    throw error
  }
}

async function open<Api extends ApiDeclaration>(
  declaration: Api,
  settings: ServiceSettings,
): Promise<InProcessService<Api>> {
  const env = environmentOf(settings)
  const prefix = readPrefix(settings.prefix)
  const log = createLog({ level: settings.log ?? 'warn' })
  const frozen = await contractsOf(settings.contracts)
  const addresses = addressesIn(settings)
  const folder = pathOf(settings.folder)
  const parts = await openService({
    declaration,
    databaseUrl: settings.database,
    env,
    prefix,
    addresses,
    readUrl: settings.readUrl,
    clock: settings.clock ?? systemClock,
    contracts: frozen.contracts,
    published: publishedVersions(declaration, frozen.contracts),
    gate(model) {
      if (settings.contracts !== undefined) refuseBrokenPromises(model, frozen)
      demandIssuers(declaration, addresses)
    },
    rate: env.NOUNKIT_RATE,
    redisUrl: settings.redisUrl,
    console: settings.console === 'off' ? 'nowhere' : 'beside the API',
    webhooks: readWebhookSettings(env),
    warn: warnTo(log),
    ...(folder === undefined ? {} : { folder }),
  })
  const { logger } = log
  const accessLog = createAccessLog(log)
  const tracing = await openTracing()
  const mounted = mount(parts, { logger, accessLog, tracing })
  const isOwn = ownedPaths(parts.model)
  if (settings.jobs !== 'off') runJobs(parts, logger)
  const listening = new Set<Listening>()
  let closing: Promise<void> | null = null
  return {
    fetch: (request, { address = '' } = {}) => mounted.fetch(request, { address }),
    handler: mounted.handler,
    as: (caller) => clientAs(parts.model, mounted.fetch, caller) as Client<Api>,
    owns: (url) => isOwn(pathIn(url)),
    async listen({ port = 3000, host = '127.0.0.1', opsPort } = {}) {
      if (closing) throw new Error('The service was closed.')
      const served = await listen({
        service: parts,
        log: { logger, accessLog },
        port,
        host,
        opsPort,
        ownsProcess: false,
      })
      listening.add(served)
      return { url: served.url + prefix }
    },
    close() {
      closing ??= (async () => {
        const ports = [...listening].map((one) => one.stop())
        parts.engine.streams.stop()
        await Promise.all([mounted.drain(), parts.jobs.stop(), ...ports])
        mounted.close()
        await parts.close()
      })()
      return closing
    },
  }
}

const pathIn = (url: URL | string): string => {
  if (typeof url !== 'string') return url.pathname
  if (url.startsWith('/')) return url.split(/[?#]/, 1)[0] ?? ''
  return URL.canParse(url) ? new URL(url).pathname : ''
}

const pathOf = (place: URL | string | undefined): string | undefined =>
  place instanceof URL ? fileURLToPath(place) : place

async function contractsOf(given: ServiceSettings['contracts']): Promise<FrozenContracts> {
  if (given === undefined) return { contracts: new Map(), refusals: [] }
  if (typeof given === 'string' || given instanceof URL) return readContracts(pathOf(given) ?? '')
  const intact = Object.entries(given).map(([version, contract]) => [version, contract as Contract] as const)
  return { contracts: new Map(intact), refusals: [] }
}
