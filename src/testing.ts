import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, client } from './client/nounkit-client.ts'
import { type Clock, systemClock } from './clock.ts'
import type { ApiDeclaration } from './declare/api.ts'
import type { AddressSettings } from './guard/address-settings.ts'
import { KeyRing } from './guard/key-ring.ts'
import type { RanJob } from './jobs/run-due.ts'
import type { RunnerSettings } from './jobs/runner.ts'
import { webFetch } from './serve/mounted.ts'
import { runDueJobs, runJobs } from './serve/run-jobs.ts'
import { openService, type Service } from './serve/service.ts'
import type { ShellLogger } from './serve/shell.ts'
import type { WebhookSettings } from './webhooks/webhook-settings.ts'

export interface TestOptions {
  /** A throwaway SQLite file unless said. */
  readonly databaseUrl?: string
  /** Frozen contracts by version name, as parsed JSON: `{ v1: JSON.parse(text) }`. */
  readonly contracts?: { readonly [version: string]: unknown } | ReadonlyMap<string, unknown>
  /** The service's time. */
  readonly clock?: Clock
  /** Requests per second, or `off`, the default here. */
  readonly rate?: string
  /** Issuers, audiences and CORS origins, as in the settings of a deployment: `{ tokenIssuer: 'http://127.0.0.1:4000' }`. */
  readonly addresses?: AddressSettings
  /** How webhooks are sent. */
  readonly webhooks?: Partial<WebhookSettings>
  /** `on`: jobs run by themselves, as in a served API. */
  readonly jobs?: 'on' | 'off'
  /** How jobs are run by themselves. */
  readonly jobSettings?: Partial<RunnerSettings>
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
export interface TestApi<Api = ApiDeclaration> {
  readonly service: Service
  /** `fetch('/v1/books', { … })`; without an Authorization header the call is anonymous. */
  fetch(path: string | Request, init?: RequestInit): Promise<Response>
  /** A new API key, with the scope `*` unless said. */
  key(account: string, options?: TestKey): Promise<string>
  /** The same where the API has `accounts: 'one'`. */
  key(options?: TestKey): Promise<string>
  /** A typed client of the newest version, with a new API key: `const acme = await api.client('acme')`. */
  client(account: string, options?: TestKey): Promise<Client<Api>>
  /** The same where the API has `accounts: 'one'`. */
  client(options?: TestKey): Promise<Client<Api>>
  /**
   * Runs the jobs that are due by the clock of the test, one after the other, and resolves with what ran when none is left. In a test no job
   * runs by itself, unless `jobs: 'on'` is said.
   */
  runJobs(): Promise<readonly RanJob[]>
  close(): Promise<void>
}

/**
 * Serves a declaration on a throwaway store.
 *
 * @example
 * const api = await testApi(declaration)
 * const acme = await api.client('acme')
 * const book = await acme.books.create({ title: 'Emma' })
 */
export async function testApi<Api extends ApiDeclaration>(
  declaration: Api,
  options: TestOptions = {},
): Promise<TestApi<Api>> {
  const folder = options.databaseUrl ? null : await mkdtemp(join(tmpdir(), 'nounkit-test-'))
  const {
    databaseUrl = `sqlite:${join(folder ?? '', 'test.db')}`,
    rate = 'off',
    contracts = {},
    jobs = 'off',
    jobSettings = {},
    ...rest
  } = options
  const frozen = contracts instanceof Map ? contracts : new Map(Object.entries(contracts))
  const service = await openService({
    declaration,
    databaseUrl,
    rate,
    beatMs: null,
    contracts: frozen,
    jobs: jobSettings,
    ...rest,
  })
  const { warn = () => {} } = options
  const fetch = webFetch(service, warn)
  const logger: ShellLogger = { error: ({ err }, message) => warn(message, err), info() {} }
  if (jobs === 'on') runJobs(service, logger)
  const keys = new KeyRing(service.store, options.clock ?? systemClock)
  let requests = 0
  let names = 0
  const send = (path: string | Request, init?: RequestInit): Promise<Response> => {
    const request = path instanceof Request ? path : new Request(new URL(path, 'http://localhost'), init)
    return fetch(request, `test-${++requests}`)
  }
  const key = async (first?: string | TestKey, second: TestKey = {}): Promise<string> => {
    const { soleAccount } = service.model
    const [account, wanted] = typeof first === 'string' ? [first, second] : [soleAccount, first ?? second]
    if (account === null) throw new Error("Name the account of the key: api.key('acme')")
    if (soleAccount !== null && account !== soleAccount)
      throw new Error("The API has accounts: 'one': api.key() names none")
    return (await keys.create({ name: `test-${++names}`, ...wanted, account })).secret
  }
  return {
    service,
    fetch: send,
    key,
    async client(first?: string | TestKey, second?: TestKey) {
      const version = service.model.head.name as never
      return client<Api>({ url: 'http://localhost', key: await key(first, second), version, fetch: send })
    },
    runJobs: () => runDueJobs(service, logger),
    async close() {
      fetch.close()
      await service.close()
      if (folder) await rm(folder, { recursive: true, force: true })
    },
  }
}
