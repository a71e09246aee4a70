import type postgres from 'postgres'
import { StoreError, StoreRefused } from '../store.ts'
import type { PostgresSettings } from './settings.ts'

export type Sql = postgres.Sql
type Options = postgres.Options<Record<string, postgres.PostgresType>>
export type Driver = (url: string, options: Options) => Sql

/** An optional peer: whoever stores in SQLite does not install it. */
export async function loadDriver(): Promise<Driver> {
  try {
    const { default: driver } = await import('postgres')
    return driver as Driver
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')
      throw new StoreRefused(
        'A postgres:// database needs the package "postgres", which is not installed. Run: npm install postgres',
        error,
      )
    throw error
  }
}

const asText = (value: unknown): string => String(value)

/** Values travel as text both ways; the driver's own types would quote JSON twice and take 1 for false. */
const types = {
  json: { to: 114, from: [114, 3802], serialize: asText, parse: asText },
  date: { to: 1184, from: [1082, 1114, 1184], serialize: asText, parse: asText },
  boolean: { to: 16, from: [16], serialize: asText, parse: (text: string) => (text === 't' ? 1 : 0) },
  bigint: { to: 20, from: [20], serialize: asText, parse: wholeNumber },
} as unknown as Record<string, postgres.PostgresType>

function wholeNumber(text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number)) return number
  throw new StoreError('out-of-range', `PostgreSQL: ${text} is past 2^53`)
}

export interface ClientHooks {
  readonly onclose: () => void
  /** Without the time limits that requests have. */
  readonly patient?: boolean
}

/** One connection: a pool of the driver's own slows down with every query under steady load. */
export function newClient(driver: Driver, settings: PostgresSettings, hooks: ClientHooks): Sql {
  return driver(settings.url, {
    max: 1,
    ssl: settings.ssl as NonNullable<Options['ssl']>,
    prepare: !settings.pgbouncer,
    fetch_types: false,
    connect_timeout: settings.connectMs / 1_000,
    // The driver would end a connection in the middle of a transaction: idle and old ones are ended by the pool.
    idle_timeout: 0,
    max_lifetime: null,
    backoff: () => 0,
    types,
    connection: sessionParameters(settings, hooks.patient ?? false),
    onclose: hooks.onclose,
    onnotice: () => {},
  } as Options)
}

/** PgBouncer refuses connections that ask for parameters it does not follow; time zone and name are among those it does. */
function sessionParameters(settings: PostgresSettings, patient: boolean): Record<string, string | number> {
  const always = { application_name: 'nounkit', TimeZone: 'UTC' }
  if (settings.pgbouncer) return always
  if (patient) return { ...always, statement_timeout: '0', idle_in_transaction_session_timeout: '0' }
  return {
    ...always,
    statement_timeout: String(settings.statementMs),
    lock_timeout: String(settings.lockMs),
    idle_in_transaction_session_timeout: '60000',
    // Statements are short and many: compiling one to machine code costs more than running it.
    jit: 'off',
  }
}
