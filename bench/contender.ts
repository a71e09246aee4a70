import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

/** A server under test: a process of its own. */
export interface Contender {
  readonly name: string
  readonly port: number
  /** `/v2`, or `/v1` for the old version on the same process. */
  readonly prefix: string
  readonly key: string
  readonly process: ChildProcess
}

export async function startContender(
  name: string,
  script: string,
  database: string,
  key: string,
  more = '',
): Promise<Contender> {
  const port = await freePort()
  const path = new URL(`contenders/${script}`, import.meta.url).pathname
  const args = ['--conditions=nounkit-source', path, database, String(port), more]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
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
 * CPU milliseconds a process has used, and its own memory in MB: without pages of files, of the program itself or of a
 * database that is mapped, which are the system's to take back. Linux only; zero elsewhere.
 */
export function usageOf(pid: number | undefined): { readonly cpuMs: number; readonly memoryMb: number } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // Fields 14 and 15 of stat are user and system time in ticks of 10 ms.
    const ticks = Number(fields[11]) + Number(fields[12])
    const memory = /RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0'
    return { cpuMs: ticks * 10, memoryMb: Number(memory) / 1024 }
  } catch {
    return { cpuMs: 0, memoryMb: 0 }
  }
}
