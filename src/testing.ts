import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, systemClock } from './clock.ts'
import type { ApiDeclaration } from './declare/api.ts'
import { KeyRing } from './guard/key-ring.ts'
import { openService, type Service } from './serve/service.ts'
import { webFetch } from './serve/web-fetch.ts'
import type { WebhookSettings } from './webhooks/webhook-settings.ts'

export interface TestOptions {
  /** A throwaway SQLite file unless said. */
  readonly databaseUrl?: string
  readonly contracts?: ReadonlyMap<string, unknown>
  /** The service's time. */
  readonly clock?: Clock
  /** Requests per second, or `off`, the default here. */
  readonly rate?: string
  /** How webhooks are sent. */
  readonly webhooks?: Partial<WebhookSettings>
  /** Gets what the service would log as an error; nothing is logged unless said. */
  readonly warn?: (message: string, error: unknown) => void
}

export interface TestKey {
  readonly scopes?: readonly string[]
  readonly name?: string
  readonly kind?: 'external' | 'internal' | 'probe'
  readonly subject?: string | null
  readonly claims?: { readonly [name: string]: unknown }
}

/** An API under test: what is served in production (shell, limits, CORS, probes and all), without a socket. */
export interface TestApi {
  readonly service: Service
  /** `fetch('/v1/books', { … })`; without an Authorization header the call is anonymous. */
  fetch(path: string | Request, init?: RequestInit): Promise<Response>
  /** A new API key, with the scope `*` unless said. */
  key(account: string, options?: TestKey): Promise<string>
  close(): Promise<void>
}

/**
 * Serves a declaration on a throwaway store.
 *
 * @example
 * const api = await testApi(declaration)
 * const key = await api.key('acme')
 * const response = await api.fetch('/v1/books', { headers: { Authorization: `Bearer ${key}` } })
 */
export async function testApi(declaration: ApiDeclaration, options: TestOptions = {}): Promise<TestApi> {
  const folder = options.databaseUrl ? null : await mkdtemp(join(tmpdir(), 'nounkit-test-'))
  const { databaseUrl = `sqlite:${join(folder ?? '', 'test.db')}`, rate = 'off', ...rest } = options
  const service = await openService({ declaration, databaseUrl, rate, beatMs: null, ...rest })
  const fetch = webFetch(service, options.warn ?? (() => {}))
  const keys = new KeyRing(service.store, options.clock ?? systemClock)
  let requests = 0
  let names = 0
  return {
    service,
    fetch: (path, init) => {
      const request = path instanceof Request ? path : new Request(new URL(path, 'http://localhost'), init)
      return fetch(request, `test-${++requests}`)
    },
    async key(account, wanted = {}) {
      return (await keys.create({ name: `test-${++names}`, ...wanted, account })).secret
    },
    async close() {
      fetch.close()
      await service.close()
      if (folder) await rm(folder, { recursive: true, force: true })
    },
  }
}
