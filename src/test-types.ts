import type { Client } from './client/nounkit-client.ts'
import type { Clock } from './clock.ts'
import type { ApiDeclaration } from './declare/api.ts'
import type { AddressSettings } from './declare/deployment.ts'

// What users of `nounkit/testing` see.

/** How an API is served for tests. */
export interface TestSettings {
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
  /** `on`: jobs run by themselves, as in a served API. */
  readonly jobs?: 'on' | 'off'
  /** Gets what the service would log as an error; nothing is logged unless said. */
  readonly warn?: (message: string, error: unknown) => void
}

/** The API key of a test. */
export interface TestKey {
  readonly scopes?: readonly string[]
  readonly name?: string
  readonly kind?: 'external' | 'internal' | 'probe'
  readonly subject?: string | null
  readonly claims?: { readonly [name: string]: unknown }
}

/** A job that a test ran. */
export interface TestRun {
  readonly name: string
  /** Empty for work at regular times. */
  readonly account: string
  readonly id: string
  readonly attempt: number
  /** Null where it went well. */
  readonly error: string | null
}

/** An API under test: what is served in production (shell, limits, CORS, probes and all), without a socket. */
export interface ApiUnderTest<Api = ApiDeclaration> {
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
  runJobs(): Promise<readonly TestRun[]>
  close(): Promise<void>
}
