import type { Socket } from 'node:net'
import { StoreRefused } from '../store.ts'
import { type StatementClass, statementClass } from './statement.ts'

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
  readonly stream: () => Socket
}

export interface DriverClient {
  connect(): Promise<unknown>
  query(statement: InstanceType<StatementClass>): void
  end(): Promise<void>
  on(event: 'error' | 'end', listener: () => void): void
  /** What is said to the server when a connection is made. */
  getStartupConf(): { readonly [name: string]: string }
}

/** An optional peer: whoever stores in SQLite does not install it. */
export async function loadDriver(): Promise<Driver> {
  try {
    const { default: pg } = await import('pg')
    return {
      Client: pg.Client as unknown as Driver['Client'],
      Statement: statementClass(pg.Query as unknown as Parameters<typeof statementClass>[0]),
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')
      throw new StoreRefused(
        'A postgres:// database needs the package "pg", which is not installed. Run: npm install pg',
        error,
      )
    throw error
  }
}
