import { Socket } from 'node:net'
import { minuteMs } from '../../times.ts'
import type { Value } from '../store.ts'
import { afterListening } from './after-listening.ts'
import { type Driver, type DriverClient, type DriverConfig, survivingUnknownMessages } from './driver.ts'
import type { Done } from './driver-statement.ts'
import { coded, silentCode } from './errors.ts'
import type { Host, Hosts } from './hosts.ts'
import type { PostgresSettings } from './postgres-settings.ts'

/** An open connection. Once lost it stays lost. Statements are pipelined: the server answers them in order. */
export interface Connection {
  /** The host that it leads to. */
  readonly host: string
  run(statement: SentStatement, done: Done): void
  /** Closes the connection once every statement in flight is answered, or after `graceMs`. */
  end(graceMs: number): Promise<void>
  /** Closes the connection at once: statements in flight fail. */
  cut(): void
}

export interface SentStatement {
  readonly text: string
  readonly values?: readonly Value[]
  readonly name?: string | undefined
}

export interface ConnectionOptions {
  readonly onLost?: (connection: Connection) => void
  /** Without the time limits that requests have. */
  readonly patient?: boolean
  /** The name of a host that is not tried. */
  readonly without?: string
}

/** What connections of one store have in common. */
export interface Server {
  readonly driver: Driver
  readonly settings: PostgresSettings
  readonly hosts: Hosts
}

/** Connects to the first host that answers and is what the URL asks for. */
export async function connect(server: Server, options: ConnectionOptions = {}): Promise<Connection> {
  const { hosts } = server
  const failures: unknown[] = []
  const standbys: Host[] = []
  for (const host of hosts.inOrder()) {
    if (host.name === options.without) continue
    hosts.trying(host)
    let connection: Connection | undefined
    try {
      connection = await connectTo(server, host, options)
      if (await isWanted(connection, server)) {
        hosts.worked(host)
        return connection
      }
      standbys.push(host)
      connection.cut()
    } catch (error) {
      connection?.cut()
      hosts.failed(host)
      failures.push(error)
    }
  }
  throw standbys[0] ? noPrimary(standbys) : failures[0]
}

async function isWanted(connection: Connection, { hosts, settings }: Server): Promise<boolean> {
  if (hosts.target === 'any') return true
  // A host may fall silent after the login, and nothing else ends a statement of a connection that no client has yet.
  const lift = afterListening(settings.connectMs, () => connection.cut())
  const { rows } = await run(connection, { text: 'SELECT NOT pg_is_in_recovery()' }).finally(lift)
  return rows[0]?.[0] === 1
}

const noPrimary = (standbys: readonly Host[]): Error =>
  Object.assign(new Error(`${standbys.map(({ name }) => name).join(' and ')} answered, but not as primary`), {
    code: 'CONNECTION_WRONG_SERVER',
  })

async function connectTo(server: Server, host: Host, options: ConnectionOptions): Promise<Connection> {
  const { ssl } = server.settings
  if (ssl !== 'prefer') return attempt(server, host, options, ssl === 'require' ? unverified : ssl)
  try {
    return await attempt(server, host, options, unverified)
  } catch (error) {
    if ((error as { code?: string }).code !== 'CONNECTION_WITHOUT_TLS') throw error
    return attempt(server, host, options, false)
  }
}

const unverified = { rejectUnauthorized: false }

async function attempt(
  { driver, settings }: Server,
  host: Host,
  { onLost, patient = false }: ConnectionOptions,
  ssl: DriverConfig['ssl'],
): Promise<Connection> {
  const socket = new Socket()
  const client = new driver.Client({
    connectionString: host.url,
    ssl,
    pipeline: true,
    // Firewalls drop a connection that is silent for long, without telling either end.
    keepAlive: true,
    keepAliveInitialDelayMillis: minuteMs,
    stream: () => socket,
    ...sessionSettings(settings, patient),
  })
  survivingUnknownMessages(client)
  const connection = wrap(client, socket, driver, host)
  // Without a listener the driver's error would end the process. The driver does not always close the socket.
  client.on('error', () => {
    socket.destroy()
    onLost?.(connection)
  })
  client.on('end', () => onLost?.(connection))
  const late = Promise.withResolvers<never>()
  const lift = afterListening(settings.connectMs, () => late.reject(new Error('timeout expired')))
  try {
    const opened = async (): Promise<unknown> => {
      await client.connect()
      return settings.pgbouncer && run(connection, { text: `SET TIME ZONE 'UTC'` })
    }
    await Promise.race([opened(), late.promise])
    return connection
  } catch (error) {
    socket.destroy()
    throw error instanceof Error ? coded(error, 'CONNECTION_FAILED') : error
  } finally {
    lift()
  }
}

const noValues: readonly Value[] = []

const wrap = (client: DriverClient, socket: Socket, { Statement }: Driver, host: Host): Connection => ({
  host: host.name,
  run({ text, values = noValues, name }, done) {
    client.query(new Statement(text, values, name, done))
  },
  async end(graceMs) {
    const timer = setTimeout(() => socket.destroy(), graceMs)
    await client.end()
    clearTimeout(timer)
  },
  cut: () => void socket.destroy(Object.assign(new Error('the server is silent'), { code: silentCode })),
})

/** Runs one statement, or several without values. */
export const run = (connection: Connection, sent: SentStatement): Promise<Parameters<Done>[1]> =>
  new Promise((resolve, reject) => {
    connection.run(sent, (error, answer) => {
      if (error) reject(error)
      else resolve(answer)
    })
  })

/**
 * What the session is opened with. Parameters of the URL win over ours. PgBouncer refuses a connection that asks for parameters
 * it does not track, and before 1.20 for `options` at all, so that behind it only the name is sent.
 */
function sessionSettings(
  { parameters, pgbouncer, ...settings }: PostgresSettings,
  patient: boolean,
): Pick<DriverConfig, 'application_name' | 'options'> {
  const { application_name = 'nounkit', options, ...own } = parameters
  const limits = patient
    ? { statement_timeout: 0, idle_in_transaction_session_timeout: 0 }
    : {
        statement_timeout: settings.statementMs,
        lock_timeout: settings.lockMs,
        idle_in_transaction_session_timeout: minuteMs,
        // Statements are short and many: compiling one to machine code costs more than running it.
        jit: 'off',
        // Rows are found by index. The server's default assumes spinning disks and makes it scan small tables instead.
        random_page_cost: 1.1,
      }
  const session = pgbouncer ? own : { TimeZone: 'UTC', ...limits, ...own }
  const words = Object.entries(session).map(([name, value]) => `-c ${escaped(`${name}=${value}`)}`)
  return { application_name, options: [...words, ...(options ? [options] : [])].join(' ') }
}

/** The server splits `options` at spaces that no backslash precedes. */
const escaped = (word: string): string => word.replaceAll(/[\s\\]/g, (character) => `\\${character}`)
