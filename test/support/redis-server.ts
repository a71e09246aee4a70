import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from './free-port.ts'
import { systemProgram } from './system-program.ts'
import { until } from './until.ts'
import { watch } from './watchdog.ts'

export type RedisServer = {
  readonly url: string
  readonly pid: number
  /** Ends the server; what it held is lost. */
  halt(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/** A Redis of one's own on a free loopback port, in memory only. */
export async function startRedis(): Promise<RedisServer> {
  const binary = systemProgram('redis-server', 'redis-server')
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'nounkit-redis-'))
  const pidFile = join(folder, 'redis.pid')
  const unwatch = watch(pidFile, folder)
  const url = `redis://127.0.0.1:${port}`
  const launch = () => launchRedis(binary, { port, folder, pidFile, url })
  let server = await launch()
  const halt = () => end(server)
  return {
    url,
    get pid() {
      return server.pid ?? 0
    },
    halt,
    async start() {
      if (hasEnded(server)) server = await launch()
    },
    async stop() {
      await halt()
      unwatch()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Place = { port: number; folder: string; pidFile: string; url: string }

async function launchRedis(binary: string, { port, folder, pidFile, url }: Place): Promise<ChildProcess> {
  const inMemory = ['--save', '', '--appendonly', 'no']
  const where = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--pidfile', pidFile]
  const server = spawn(binary, [...where, ...inMemory], {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  })
  const ready = async () => hasEnded(server) || (await answers(url))
  await until(ready, { what: 'Redis answering' })
  if (hasEnded(server))
    throw new Error(`redis-server ended with code ${server.exitCode} before it was ready on port ${port}`)
  return server
}

async function answers(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.ping()) === 'PONG'
  } finally {
    client.disconnect()
  }
}

function hasEnded(server: ChildProcess): boolean {
  return server.exitCode !== null || server.signalCode !== null
}

async function end(server: ChildProcess): Promise<void> {
  if (hasEnded(server)) return
  const ended = once(server, 'exit')
  server.kill('SIGKILL')
  await ended
}
