import { hash } from 'node:crypto'
import pino from 'pino'

/** What floor, Fastify and Nounkit all do: authentication by an API key, an access log, the headers of an answer. */
export const [database = '', port = '0'] = process.argv.slice(2)

/** Written in batches, off the request's path, to a pipe that the harness reads. */
const log = pino(
  { base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime },
  pino.destination({ dest: 1, sync: false, minLength: 16_383, periodicFlush: 200 }),
)

export interface Caller {
  readonly account: string
  readonly consumer: string
}

export interface AccessLine extends Caller {
  readonly id: string
  readonly method: string
  readonly route: string
  readonly status: number
  readonly startedAt: number
}

export const logAccess = ({ id, method, route, status, startedAt, account, consumer }: AccessLine): void =>
  log.info(
    { id, method, route, version: 'v2', status, ms: performance.now() - startedAt, account, consumer },
    'request',
  )

type Maybe<Value> = Value | Promise<Value>

/** A key is cached for a second before the database is asked again, as in Nounkit. */
const freshMs = 1_000

export function createAuthentication(find: (hash: string) => Maybe<Caller | undefined>) {
  const known = new Map<string, { readonly caller: Caller; readonly checkedAt: number }>()
  return async (authorization: string | undefined): Promise<Caller | undefined> => {
    const digest = hash('sha256', authorization?.slice('Bearer '.length) ?? '', 'hex')
    const entry = known.get(digest)
    const now = performance.now()
    if (entry && now - entry.checkedAt < freshMs) return entry.caller
    const caller = await find(digest)
    if (caller) known.set(digest, { caller, checkedAt: now })
    return caller
  }
}

let requests = 0
const processName = Math.random().toString(36).slice(2, 12)
export const nextRequestId = (): string => `${processName}-${++requests}`

/** The headers that every answer of Nounkit has. */
export const headersOf = (requestId: string) => ({
  Vary: 'Authorization, Accept-Encoding',
  'Cache-Control': 'private, no-cache',
  'Content-Type': 'application/json',
  'X-Request-Id': requestId,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
})

export const keepAliveMs = 65_000

export const findCaller = 'SELECT account_id, id FROM nounkit_api_keys WHERE revoked_at IS NULL AND hash ='

/** Keyed creates store the fingerprint of the request and the answer, in a table of their own. */
export const createKeyTable =
  'CREATE TABLE IF NOT EXISTS bench_keys (account_id text NOT NULL, key text NOT NULL, fingerprint text NOT NULL, answer text NOT NULL, PRIMARY KEY (account_id, key))'

const eventColumns =
  'account_id text NOT NULL, kind text NOT NULL, resource text NOT NULL, row_id text NOT NULL, version text NOT NULL, created_at bigint NOT NULL, data text NOT NULL'

/**
 * The shop has events, so a create writes one, in the same transaction. Each table has as many indexes as Nounkit's on that database,
 * where an event on PostgreSQL first goes to a table with one.
 */
export const createEventTable = {
  SQLite: `CREATE TABLE IF NOT EXISTS bench_events (position integer PRIMARY KEY, id text NOT NULL, ${eventColumns});
    CREATE INDEX IF NOT EXISTS bench_events_of_account ON bench_events (account_id, position);
    CREATE INDEX IF NOT EXISTS bench_events_of_row ON bench_events (account_id, row_id, position)`,
  PostgreSQL: `CREATE TABLE IF NOT EXISTS bench_events (position bigint GENERATED ALWAYS AS IDENTITY, id uuid NOT NULL, ${eventColumns}, PRIMARY KEY (account_id, position))`,
}

export const eventNames = '(id, account_id, kind, resource, row_id, version, created_at, data)'

export const fingerprintOf = (body: string): string => hash('sha256', body, 'hex')
