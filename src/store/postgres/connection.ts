import { Socket } from 'node:net'
import type { Value } from '../store.ts'
import type { Driver, DriverClient, DriverConfig } from './driver.ts'
import type { Done } from './driver-statement.ts'
import { coded } from './errors.ts'
import type { PostgresSettings } from './postgres-settings.ts'

/** A connection that has been made. Once lost it stays lost. Statements are pipelined: the server answers them in order. */
export interface Connection {
  run(statement: Sent, done: Done): void
  /** When all that is on its way has been answered, or is late. */
  end(graceMs: number): Promise<void>
  /** At once: whatever is on its way fails. */
  cut(): void
}

export interface Sent {
  readonly text: string
  readonly values?: readonly Value[]
  readonly name?: string | undefined
}

export interface ConnectionHooks {
  readonly onLost?: (connection: Connection) => void
  /** Without the time limits that requests have. */
  readonly patient?: boolean
}

export async function connect(
  driver: Driver,
  settings: PostgresSettings,
  hooks: ConnectionHooks = {},
): Promise<Connection> {
  const { ssl } = settings
  if (ssl !== 'prefer') return attempt(driver, settings, hooks, ssl === 'require' ? unverified : ssl)
  try {
    return await attempt(driver, settings, hooks, unverified)
  } catch (error) {
    if ((error as { code?: string }).code !== 'CONNECTION_WITHOUT_TLS') throw error
    return attempt(driver, settings, hooks, false)
  }
}

const unverified = { rejectUnauthorized: false }

async function attempt(
  driver: Driver,
  settings: PostgresSettings,
  hooks: ConnectionHooks,
  ssl: DriverConfig['ssl'],
): Promise<Connection> {
  const socket = new Socket()
  const client = new driver.Client({
    connectionString: settings.url,
    ssl,
    connectionTimeoutMillis: settings.connectMs,
    pipeline: true,
    // What lies between would forget a connection that is silent for long, and say so to nobody.
    keepAlive: true,
    keepAliveInitialDelayMillis: 60_000,
    stream: () => socket,
  })
  const { user, database } = client.getStartupConf()
  const parameters = { user, database, ...sessionParameters(settings, hooks.patient ?? false) }
  client.getStartupConf = () => parameters as { [name: string]: string }
  guardReading(client)
  const connection = wrap(client, socket, driver)
  // Without a listener the driver's error would end the process. It gives the connection up, but does not always close it.
  client.on('error', () => {
    socket.destroy()
    hooks.onLost?.(connection)
  })
  client.on('end', () => hooks.onLost?.(connection))
  try {
    await client.connect()
    return connection
  } catch (error) {
    socket.destroy()
    throw error instanceof Error ? coded(error, 'CONNECTION_FAILED') : error
  }
}

const nothing: readonly Value[] = []

const wrap = (client: DriverClient, socket: Socket, { Statement }: Driver): Connection => ({
  run({ text, values = nothing, name }, done) {
    client.query(new Statement(text, values, name, done))
  },
  async end(graceMs) {
    const timer = setTimeout(() => socket.destroy(), graceMs)
    await client.end()
    clearTimeout(timer)
  },
  cut: () => void socket.destroy(),
})

/** The driver throws at a message that it does not know, such as another way to log in; nobody above would catch it. */
function guardReading({ connection }: DriverClient): void {
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

/**
 * Those of the URL that are not ours or the driver's go to the server, and win. PgBouncer refuses connections that ask for
 * parameters it does not follow; time zone and name are among those it does.
 */
function sessionParameters(settings: PostgresSettings, patient: boolean): { [name: string]: string } {
  const always = { application_name: 'nounkit', TimeZone: 'UTC', ...settings.parameters }
  if (settings.pgbouncer) return always
  if (patient) return { statement_timeout: '0', idle_in_transaction_session_timeout: '0', ...always }
  return {
    statement_timeout: String(settings.statementMs),
    lock_timeout: String(settings.lockMs),
    idle_in_transaction_session_timeout: '60000',
    // Statements are short and many: compiling one to machine code costs more than running it.
    jit: 'off',
    // Rows are looked for by key. The server's own value is for disks that turn, and has it read small tables through instead.
    random_page_cost: '1.1',
    ...always,
  }
}
