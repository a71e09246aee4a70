import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { StoreRefused } from '../store.ts'
import { type StatementClass, statementClass } from './driver-statement.ts'

/** What is used of the driver `pg`. */
export interface Driver {
  readonly Client: new (config: DriverConfig) => DriverClient
  readonly Statement: StatementClass
}

export interface DriverConfig {
  readonly connectionString: string
  readonly ssl: false | { readonly rejectUnauthorized: boolean; readonly ca?: string }
  readonly connectionTimeoutMillis: number
  readonly pipeline: boolean
  readonly keepAlive: boolean
  readonly keepAliveInitialDelayMillis: number
  readonly stream: () => Socket
}

export interface DriverClient {
  connect(): Promise<unknown>
  query(statement: InstanceType<StatementClass>): void
  end(): Promise<void>
  on(event: 'error' | 'end', listener: () => void): void
  /** What is said to the server when a connection is made. */
  getStartupConf(): { readonly [name: string]: string }
  /** Begins to read from a stream, which under TLS is another than the socket. */
  readonly connection: { attachListeners(stream: Duplex): void }
}

/** An optional peer: whoever stores in SQLite does not install it. */
export async function loadDriver(): Promise<Driver> {
  try {
    const { default: pg } = await import('pg')
    const Client = pg.Client as unknown as Driver['Client']
    const Query = pg.Query as unknown as Parameters<typeof statementClass>[0]
    if (!isKnown(Client.prototype, ['getStartupConf']) || !isKnown(Query.prototype, ['submit', 'prepare']))
      throw new StoreRefused('This version of "pg" is not one that is known here. Run: npm install pg@8.23')
    return { Client, Statement: statementClass(Query) }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')
      throw new StoreRefused(
        'A postgres:// database needs the package "pg", which is not installed. Run: npm install pg',
        error,
      )
    throw error
  }
}

/** Not all that is used of it is said to stay as it is. */
const isKnown = (prototype: object, methods: readonly string[]): boolean =>
  methods.every((name) => typeof Reflect.get(prototype, name) === 'function')
