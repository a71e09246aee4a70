import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { onProcessor } from './processors.ts'

/** A server under test: a process of its own. */
export interface Contender {
  readonly name: string
  readonly port: number
  /** `/v2`, or `/v1` for the old version on the same process. */
  readonly prefix: string
  readonly key: string
  readonly process: ChildProcess
}

/** What a contender is started with. */
export interface Entry {
  readonly name: string
  readonly script: string
  readonly database: string
  readonly key: string
  /** One more word for the script. */
  readonly more?: string
  /** The processor it is kept to, if any. */
  readonly processor: number | null
}

export async function startContender(entry: Entry): Promise<Contender> {
  const { name, script, database, key, more = '' } = entry
  const port = await freePort()
  const path = new URL(`contenders/${script}`, import.meta.url).pathname
  const args = ['--conditions=nounkit-source', path, database, String(port), more]
  const [program = '', ...words] = onProcessor(entry.processor, [process.execPath, ...args])
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  // `ready`, and a key where the contender made one itself.
  const said = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => String(chunk).includes('ready') && resolve(String(chunk)))
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code} before it was ready`)))
  })
  const ownKey = /ready (nk_\w+)/.exec(said)?.[1]
  return { name, port, prefix: ownKey ? '/v1' : '/v2', key: ownKey ?? key, process: child }
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

/**
 * CPU time a process has used, in microseconds, and its own memory in MB: without pages of files, of the program itself or of a
 * database that is mapped, which are the system's to take back. Linux only; zero elsewhere.
 */
export function usageOf(pid: number | undefined): { readonly cpuMicros: number; readonly memoryMb: number } {
  try {
    const memory = /RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0'
    return { cpuMicros: nanosecondsRun(pid) / 1_000, memoryMb: Number(memory) / 1024 }
  } catch {
    return { cpuMicros: 0, memoryMb: 0 }
  }
}

const nanosecondsRun = (pid: number | undefined): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((sum, one) => sum + one, 0)
