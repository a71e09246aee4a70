import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from '../test/support/free-port.ts'
import { type Prepared, program, shop } from './data.ts'
import { onProcessor } from './processors.ts'

/** A server under test: a process of its own, with the data it serves. */
export interface Contender {
  readonly name: string
  readonly port: number
  readonly pid: number
  /** `/v2`, or `/v1` for the older version on the same process. */
  readonly prefix: '/v2' | '/v1'
  readonly key: string
  stop(): Promise<void>
}

interface Start extends Prepared {
  readonly name: string
  /** The processor it is pinned to, if any. */
  readonly processor: number | null
  /** The folder of the declaration; the shop's unless said. */
  readonly api?: string
  readonly settings?: { readonly [name: string]: string }
  /** The path of Bun, for one that runs there and not in Node. */
  readonly bun?: string
}

/** `nounkit serve` with its default settings. The rate limit is off, since one client sends all requests. */
export const startNounkit = (start: Start, workers = 1): Promise<Contender> => {
  const flags = workers > 1 ? ['--workers', String(workers)] : []
  const { api = shop, url, settings, bun } = start
  const runtime = bun ? [bun, '--conditions=nounkit-source'] : []
  return startProcess(start, (port) => [...runtime, program, 'serve', api, '--port', `${port}`, ...flags], {
    DATABASE_URL: url,
    NOUNKIT_RATE: 'off',
    ...settings,
  })
}

/** `floor` or `fastify`, by its name, of which the first word counts. */
export const startByHand = (start: Start): Promise<Contender> => {
  const database = start.url.replace(/^sqlite:/, '')
  const path = new URL(`contenders/${start.name.split(' ', 1)[0]}.ts`, import.meta.url).pathname
  return startProcess(start, (port) => [start.bun ?? process.execPath, path, database, String(port)], {})
}

async function startProcess(
  { name, key, processor }: Start,
  command: (port: number) => readonly string[],
  settings: { readonly [name: string]: string },
): Promise<Contender> {
  const port = await freePort()
  const [program = '', ...args] = onProcessor(processor, command(port))
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...plainEnvironment(), ...settings },
  })
  await ready(child, name)
  const tell = (code: number | null, signal: string | null) =>
    console.error(`${name} ended with ${signal ?? code} while it was measured`)
  child.once('exit', tell)
  const stopQuietly = () => stop(child.off('exit', tell))
  return { name, port, pid: child.pid ?? 0, prefix: '/v2', key, stop: stopQuietly }
}

/** A setting of Nounkit in the harness's own environment would not be a default one. */
const plainEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(NOUNKIT_|PG|NODE_ENV$)/.test(name)))

/** The access log is read and discarded while the process runs. */
const ready = (child: ChildProcess, name: string): Promise<void> =>
  new Promise((resolve, reject) => {
    let said = ''
    const read = (chunk: Buffer) => {
      said += chunk
      if (!said.includes('ready')) return
      child.stdout?.off('data', read).resume()
      resolve()
    }
    child.stdout?.on('data', read)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code} before it was ready`)))
  })

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
