import type { Socket } from 'node:net'
import { StoreError, StoreRefused, type Value } from '../store.ts'

/** What is used of the driver `pg`. */
export interface Driver {
  readonly Client: new (config: DriverConfig) => DriverClient
}

export interface DriverConfig {
  readonly connectionString: string
  readonly ssl: false | { readonly rejectUnauthorized: boolean; readonly ca?: string }
  readonly connectionTimeoutMillis: number
  readonly pipeline: boolean
  readonly types: { getTypeParser(oid: number): (text: string) => unknown }
  readonly stream: () => Socket
}

export interface DriverClient {
  connect(): Promise<unknown>
  query(statement: DriverStatement): void
  end(): Promise<void>
  on(event: 'error' | 'end', listener: () => void): void
  /** What is said to the server when a connection is made. */
  getStartupConf(): { readonly [name: string]: string }
}

export interface DriverStatement {
  readonly text: string
  readonly values?: readonly Value[] | undefined
  /** Prepared under this name, once per connection. */
  readonly name?: string | undefined
  readonly rowMode: 'array'
  readonly callback: (error: Error | null, result: DriverResult | readonly DriverResult[]) => void
}

export interface DriverResult {
  /** The first word of the tag: `COMMIT`. */
  readonly command: string
  readonly rows: readonly (readonly Value[])[]
}

/** An optional peer: whoever stores in SQLite does not install it. */
export async function loadDriver(): Promise<Driver> {
  try {
    const { default: driver } = await import('pg')
    return driver as unknown as Driver
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')
      throw new StoreRefused(
        'A postgres:// database needs the package "pg", which is not installed. Run: npm install pg',
        error,
      )
    throw error
  }
}

const asText = (text: string): string => text

function wholeNumber(text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number)) return number
  throw new StoreError('out-of-range', `PostgreSQL: ${text} is past 2^53`)
}

const parsers: { readonly [oid: number]: (text: string) => unknown } = {
  // Booleans travel as 0 and 1 on every store.
  16: (text) => (text === 't' ? 1 : 0),
  20: wholeNumber,
  21: Number,
  23: Number,
  26: Number,
  700: Number,
  701: Number,
}

/** Numbers and booleans as values, all else as the text that the server wrote. */
export const types: DriverConfig['types'] = { getTypeParser: (oid) => parsers[oid] ?? asText }

/** The driver's own errors have no code; those of the server and the system do. */
export function coded(error: Error): Error {
  if ('code' in error && error.code !== undefined) return error
  const code = ownErrors.find(([message]) => message.test(error.message))?.[1]
  return code ? Object.assign(error, { code }) : error
}

const ownErrors: readonly (readonly [message: RegExp, code: string])[] = [
  [/^timeout expired$/, 'CONNECT_TIMEOUT'],
  [/^SASL:/, 'SASL_FAILED'],
  [/^(Connection terminated|Client (has encountered|was closed))/, 'CONNECTION_CLOSED'],
  [/^The server does not support SSL connections$/, 'CONNECTION_WITHOUT_TLS'],
  [/^There was an error establishing an SSL connection$/, 'CONNECTION_CLOSED'],
]
