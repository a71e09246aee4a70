import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { StoreRefused } from '../store.ts'
import { type StatementClass, statementClass } from './driver-statement.ts'

/** The parts of the driver `pg` that are used. */
export interface Driver {
  readonly Client: new (config: DriverConfig) => DriverClient
  readonly Statement: StatementClass
}

export interface DriverConfig {
  readonly connectionString: string
  readonly ssl: false | { readonly rejectUnauthorized: boolean; readonly ca?: string }
  readonly pipeline: boolean
  readonly keepAlive: boolean
  readonly keepAliveInitialDelayMillis: number
  readonly application_name: string
  /** Parameters of the session, as words of a command line: `-c jit=off`. */
  readonly options: string
  readonly stream: () => Socket
}

export interface DriverClient {
  connect(): Promise<unknown>
  query(statement: InstanceType<StatementClass>): void
  end(): Promise<void>
  on(event: 'error' | 'end', listener: () => void): void
  readonly connection: DriverConnection
}

/** Not documented by the driver. */
interface DriverConnection {
  /** Begins to read from a stream, which under TLS is not the socket. */
  attachListeners(stream: Duplex): void
}

/** What `import('pg')` has of the driver. */
interface DriverModule {
  readonly Client: unknown
  readonly Connection: Class
  readonly Query: Class
}

interface Class {
  readonly prototype: object
}

/** `pg` is an optional peer dependency: a service on SQLite does not install it. */
export async function loadDriver(): Promise<Driver> {
  try {
    return driverOf((await import('pg')).default)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')
      throw new StoreRefused(
        'A postgres:// database needs the package "pg", which is not installed. Run: npm install pg',
        error,
      )
    throw error
  }
}

/** Refuses a version of `pg` without a method that is called or overridden here: its statements would never be answered. */
export function driverOf({ Client, Connection, Query }: DriverModule): Driver {
  const Statement = statementClass(Query as Parameters<typeof statementClass>[0])
  const overridden = Object.getOwnPropertyNames(Statement.prototype)
  if (!has(Connection, ['attachListeners']) || !has(Query, ['submit', 'prepare', ...overridden]))
    throw new StoreRefused('This version of "pg" is not one that is known here. Run: npm install pg@8.23')
  return { Client: Client as Driver['Client'], Statement }
}

const has = ({ prototype }: Class, methods: readonly string[]): boolean =>
  methods.every((name) => typeof Reflect.get(prototype, name) === 'function')

/**
 * The driver throws inside a socket's event when the server sends a message it does not know, such as a way to log in. Nothing
 * could catch that, and the process would end. Here it closes the connection instead. This is for safety, not for speed: the
 * driver has no public way to do it under TLS. A version of the driver without the method is refused by `driverOf`.
 */
export function survivingUnknownMessages({ connection }: DriverClient): void {
  const attach = connection.attachListeners
  connection.attachListeners = (stream) => {
    const before = new Set(stream.listeners('data'))
    attach.call(connection, stream)
    for (const listener of stream.listeners('data').filter((one) => !before.has(one))) {
      stream.off('data', listener as (chunk: unknown) => void)
      stream.on('data', (chunk) => {
        try {
          listener.call(stream, chunk)
        } catch (error) {
          stream.destroy(error as Error)
        }
      })
    }
  }
}
