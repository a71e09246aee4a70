import shop from '../../examples/shop/api.ts'
import type { ApiDeclaration } from '../../src/declare/api.ts'
import { createAccessLog } from '../../src/serve/access-log.ts'
import { type Listening, type ListenOptions, listen } from '../../src/serve/listen.ts'
import { createLog } from '../../src/serve/logs.ts'
import type { Handle } from '../../src/serve/shell.ts'
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
  readonly listen?: ListenSettings
  /** For tests where several share a store: names of keys are unique there. */
  readonly keyName?: string
}

/** `handle` stands in for the engine's. */
type ListenSettings = Partial<ListenOptions> & { readonly handle?: Handle }

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
  { handle, ...overrides }: ListenSettings = {},
): Promise<Listening> {
  const log = createLog({ destination: { write: (line: string) => void logged.push(line) } })
  const { engine } = service
  return listen({
    service: handle ? { ...service, engine: { ...engine, handle } } : service,
    log: { logger: log.logger, accessLog: createAccessLog(log) },
    port: 0,
    host: '127.0.0.1',
    ...overrides,
  })
}
