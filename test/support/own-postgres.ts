import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { freePort } from './free-port.ts'
import { postgresFolder, type ServerUser, serverUser } from './postgres-binaries.ts'
import { copyOrInitialise, initialise, ownFolder, serverEnvironment, superuser } from './postgres-data.ts'
import { until } from './until.ts'
import { watch } from './watchdog.ts'

/** fast: sessions are cut, data is flushed. immediate: as if the machine lost power, WAL is replayed. */
export type ShutdownMode = 'fast' | 'immediate'

export type OwnPostgres = {
  readonly url: string
  /** The folder with its data. */
  readonly data: string
  readonly pid: number
  /** Ends the server but keeps its data, until `start` or `stop`. */
  halt(mode?: ShutdownMode): Promise<void>
  start(): Promise<void>
  restart(mode?: ShutdownMode): Promise<void>
  /** Ends the server and removes its data. */
  stop(): Promise<void>
}

const signals = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const
const run = promisify(execFile)

export interface PostgresOptions {
  /** A folder with bin/initdb and bin/postgres, instead of PostgreSQL 18 from the development dependencies. */
  readonly installed?: string | undefined
  /** A program with its first arguments that runs the server and becomes it, such as `largestFile`. */
  readonly under?: readonly string[]
  /** Makes the folder that its data is in; by default one for temporary files. */
  readonly newFolder?: (prefix: string) => string
  /** More options of initdb. */
  readonly initdb?: readonly string[]
}

/** A PostgreSQL of one's own on a free loopback port, with its data in a temporary folder. */
export const startPostgres = (
  settings: Record<string, string> = {},
  { initdb = [], ...options }: PostgresOptions = {},
): Promise<OwnPostgres> =>
  startFrom(
    (binaries, data, user) =>
      options.installed || initdb.length > 0
        ? initialise(binaries, data, user, initdb)
        : copyOrInitialise(binaries, data, user),
    settings,
    options,
  )

/** A standby of it, which follows what the primary writes. The primary is halted while its data is copied. */
export async function startStandby(primary: OwnPostgres): Promise<OwnPostgres> {
  const { port } = new URL(primary.url)
  const copy = async (_: string, data: string, user: ServerUser): Promise<void> => {
    await primary.halt()
    await run('cp', ['-r', primary.data, data], user)
    await primary.start()
    writeFileSync(join(data, 'standby.signal'), '')
  }
  return startFrom(copy, { primary_conninfo: `host=127.0.0.1 port=${port} user=${superuser}` })
}

const temporary = (prefix: string): string => mkdtempSync(join(tmpdir(), prefix))

type MakeData = (binaries: string, data: string, user: ServerUser) => Promise<void>

async function startFrom(
  makeData: MakeData,
  settings: Record<string, string>,
  { installed, under = [], newFolder = temporary }: PostgresOptions = {},
): Promise<OwnPostgres> {
  const user = serverUser()
  const binaries = join(installed ?? postgresFolder(user), 'bin')
  const folder = ownFolder(newFolder, user)
  const data = join(folder, 'data')
  const unwatch = watch(join(data, 'postmaster.pid'), folder, 'QUIT')
  const cleanUp = () => {
    unwatch()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await makeData(binaries, data, user)
    const server = await startOnFreePort((port) =>
      launch([...under, join(binaries, 'postgres')], data, port, settings, user),
    )
    return controls(server, data, cleanUp)
  } catch (error) {
    cleanUp()
    throw error
  }
}

type Launched = { process: ChildProcess; port: number; relaunch(): Promise<ChildProcess> }

function controls(launched: Launched, data: string, cleanUp: () => void): OwnPostgres {
  let { process: server } = launched
  const running = () => server.exitCode === null && server.signalCode === null
  const halt = async (mode: ShutdownMode = 'fast') => {
    if (!running()) return
    const ended = once(server, 'exit')
    server.kill(signals[mode])
    await ended
  }
  const start = async () => {
    if (!running()) server = await launched.relaunch()
  }
  return {
    url: urlOf(launched.port),
    data,
    get pid() {
      return server.pid ?? 0
    },
    halt,
    start,
    async restart(mode) {
      await halt(mode)
      await start()
    },
    async stop() {
      await halt('immediate')
      cleanUp()
    },
  }
}

async function startOnFreePort(start: (port: number) => Promise<ChildProcess>): Promise<Launched> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    try {
      return { process: await start(port), port, relaunch: () => start(port) }
    } catch (error) {
      // Another program may have taken the port in between.
      if (attempt === 3 || !/could not bind|Address already in use/.test(String(error))) throw error
    }
  }
}

async function launch(
  command: readonly string[],
  data: string,
  port: number,
  settings: Record<string, string>,
  user: ServerUser,
): Promise<ChildProcess> {
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '300',
    shared_buffers: '32MB',
    max_wal_size: '256MB',
    timezone: 'UTC',
    ...settings,
  }
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const [program = '', ...args] = [...command, '-D', data, ...options]
  const server = spawn(program, args, {
    ...user,
    cwd: '/',
    env: serverEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
    // Ctrl-C in the terminal reaches the test runner, which then stops the server in order.
    detached: true,
  })
  let log = ''
  server.stderr?.on('data', (chunk) => {
    log = (log + chunk).slice(-8_000)
  })
  let gone: Error | undefined
  server.once('error', (error) => {
    gone = error
  })
  const answered = async () => {
    if (gone || server.exitCode !== null || server.signalCode !== null) return 'gone'
    return (await answers(port)) ? 'ready' : undefined
  }
  const state = await until(answered, { within: 60_000, what: 'PostgreSQL answering' })
  if (state === 'gone') throw new Error(`PostgreSQL did not start:\n${log}`, { cause: gone })
  return server
}

async function answers(port: number): Promise<boolean> {
  const sql = postgres(urlOf(port), { max: 1, connect_timeout: 5, onnotice: () => {} })
  try {
    await sql`select 1`
    return true
  } finally {
    await sql.end({ timeout: 1 })
  }
}

function urlOf(port: number): string {
  return `postgres://${superuser}@127.0.0.1:${port}/postgres`
}
