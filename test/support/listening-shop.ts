import shop from '../../examples/shop/api.ts'
import type { ApiDeclaration } from '../../src/declare/api.ts'
import { createAccessLog } from '../../src/serve/access-log.ts'
import { type Listening, type ListenOptions, listen } from '../../src/serve/listen.ts'
import { createLog } from '../../src/serve/logs.ts'
import { type TestApi, type TestOptions, testApi } from '../../src/testing.ts'

export type ListeningShop = {
  readonly api: TestApi
  readonly server: Listening
  readonly port: number
  /** A key of acme, which may also write products. */
  readonly key: string
  readonly logged: string[]
  close(): Promise<void>
}

export type ShopSettings = TestOptions & {
  readonly declare?: (shop: ApiDeclaration) => ApiDeclaration
  readonly listen?: Partial<ListenOptions>
  /** For tests where several share a store: names of keys are unique there. */
  readonly keyName?: string
}

/** The demo on a real port, with the shell that production has. */
export async function listeningShop(settings: ShopSettings = {}): Promise<ListeningShop> {
  const { declare = (same) => same, listen: overrides = {}, keyName, ...options } = settings
  const api = await testApi(declare(shop), options)
  const logged: string[] = []
  const server = await listenFor(api, logged, overrides)
  return {
    api,
    server,
    port: server.port,
    key: await api.key('acme', {
      ...(keyName !== undefined && { name: keyName }),
      scopes: ['*', 'products:write'],
    }),
    logged,
    async close() {
      await server.stop({ graceMs: 100 })
      await api.close()
    },
  }
}

/** An API under test, on a real port. */
export async function listenFor(
  { service }: TestApi,
  logged: string[],
  overrides: Partial<ListenOptions> = {},
): Promise<Listening> {
  const log = createLog({ destination: { write: (line: string) => void logged.push(line) } })
  const { model, store, storeCounters, engine, webhooks, jobs, recentRequests, figures } = service
  return listen({
    model,
    store,
    handle: engine.handle,
    signal: engine.signal,
    storeCounters,
    eventCounters: engine.eventCounters,
    webhooks,
    jobs,
    recentRequests,
    figures,
    log: { logger: log.logger, accessLog: createAccessLog(log) },
    port: 0,
    host: '127.0.0.1',
    ...overrides,
  })
}
