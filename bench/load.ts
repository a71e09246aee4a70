import { execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Contender } from './contender.ts'
import { onProcessor, processors } from './processors.ts'
import type { Workload } from './workloads.ts'

export interface Sample {
  readonly ids: readonly string[]
  readonly customers: readonly string[]
  /** A cursor of each prefix that leads past nine tenths of the rows. */
  readonly cursors: { readonly [prefix: string]: string }
}

/** A contender at a workload. */
export interface Lane {
  readonly contender: Contender
  readonly workload: Workload
  readonly sample: Sample
}

export const connections = 32
/** Load from a process of its own: keep-alive, 32 connections, random ids. It stands still until it is let go on. */
export interface Load {
  goOn(): void
  standStill(): void
  /** Once its time is over, it ends as soon as it goes on, and says how many requests there were. */
  end(): Promise<number>
}

export async function startLoad(lane: Lane, seconds: number): Promise<Load> {
  const { child, outcome } = run(lane, seconds)
  if (hasWrk()) child.kill('SIGSTOP')
  // The other one takes a while to load, and then stops itself.
  else await once(child.stdout, 'data')
  return {
    goOn: () => void child.kill('SIGCONT'),
    standStill: () => void child.kill('SIGSTOP'),
    async end() {
      child.kill('SIGCONT')
      return (await outcome).requests
    },
  }
}

export interface Latency {
  readonly p50Ms: number
  readonly p99Ms: number
}

/** How long requests take when nothing interrupts. */
export async function measureLatency(lane: Lane, seconds: number): Promise<Latency> {
  const { child, outcome } = run(lane, seconds)
  if (!hasWrk()) {
    await once(child.stdout, 'data')
    // It says so just before it stops.
    await setTimeout(100)
    child.kill('SIGCONT')
  }
  const { p50Ms, p99Ms } = await outcome
  return { p50Ms, p99Ms }
}

interface Outcome extends Latency {
  readonly requests: number
}

function run(lane: Lane, seconds: number) {
  const { contender, workload, sample } = lane
  const folder = mkdtempSync(join(tmpdir(), 'nounkit-load-'))
  const request = describe(contender, workload, sample)
  const command = hasWrk() ? wrk(request, folder, seconds) : autocannon(request, folder, seconds)
  const [program = '', ...args] = onProcessor(processors.load, command)
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  const outcome = once(child, 'close').then((): Outcome => {
    rmSync(folder, { recursive: true })
    const failed = /Non-2xx or 3xx responses: (\d+)|Socket errors: .*/.exec(said)
    const requests = Number(/(\d+) requests in/.exec(said)?.[1] ?? 0)
    if (failed || requests === 0)
      throw new Error(`${contender.name}, ${workload.name}: ${failed?.[0] ?? `no requests: ${said}`}`)
    return { requests, p50Ms: percentile(said, 50), p99Ms: percentile(said, 99) }
  })
  return { child, outcome }
}

function percentile(said: string, share: number): number {
  const [, value = '0', unit = 'ms'] = new RegExp(`${share}%\\s+([\\d.]+)(us|ms|s)`).exec(said) ?? []
  return Number(value) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? 1)
}

let wrkFound: boolean | null = null
function hasWrk(): boolean {
  if (wrkFound !== null) return wrkFound
  try {
    execFileSync('sh', ['-c', 'command -v wrk'])
    wrkFound = true
  } catch {
    wrkFound = false
  }
  return wrkFound
}

interface LoadRequest {
  readonly url: string
  readonly method: Workload['method']
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string | null
  readonly ids: readonly string[]
  readonly customers: readonly string[]
  readonly freshKeys: 'random' | 'ordered' | null
}

function describe({ key, prefix, port }: Contender, workload: Workload, sample: Sample): LoadRequest {
  const old = prefix === '/v1'
  const path = prefix + workload.path.replace('{cursor}', sample.cursors[prefix] ?? '')
  // A replay is of the very same request.
  const customers = workload.headers === 'known-key' ? sample.customers.slice(0, 1) : sample.customers
  const order = { [old ? 'client_id' : 'customer_id']: '{customer}', ...(old ? {} : { currency: 'EUR' }) }
  const bodies = { order: { ...order, note: 'from the benchmark' }, note: { note: 'changed at {random}' } }
  const headers: { [name: string]: string } = { Authorization: `Bearer ${key}` }
  if (workload.body) headers['Content-Type'] = 'application/json'
  if (workload.headers === 'etag') headers['If-None-Match'] = '"1"'
  if (workload.headers === 'known-key') headers['Idempotency-Key'] = `known-${prefix.slice(1)}`
  return {
    url: `http://127.0.0.1:${port}`,
    method: workload.method,
    path: old ? path.replaceAll('customer', 'client') : path,
    headers,
    body: workload.body ? JSON.stringify(bodies[workload.body]) : null,
    ids: sample.ids,
    customers,
    freshKeys: freshKeysOf(workload),
  }
}

function freshKeysOf({ headers }: Workload): LoadRequest['freshKeys'] {
  if (headers === 'random-key') return 'random'
  return headers === 'ordered-key' ? 'ordered' : null
}

function wrk(request: LoadRequest, folder: string, seconds: number): string[] {
  const script = join(folder, 'load.lua')
  writeFileSync(script, lua(request))
  // Those who stand still are not late.
  const patience = ['--timeout', '30s']
  return [
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    ...patience,
    '-s',
    script,
    request.url,
  ]
}

/** JSON strings are Lua strings too, as far as these go. */
function lua({ method, path, headers, body, ids, customers, freshKeys }: LoadRequest): string {
  const fixed = Object.entries(headers).map(
    ([name, value]) => `[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
  )
  const fresh = freshKeys ? [`["Idempotency-Key"] = ${freshKeys}Key()`] : []
  const drawn = '{random = math.random(1, 1000000), customer = customers[math.random(#customers)]}'
  const sent = body === null ? 'nil' : `(string.gsub(${JSON.stringify(body)}, "{(%a+)}", ${drawn}))`
  return `local ids = ${luaList(ids)}
local customers = ${luaList(customers)}
math.randomseed(${randomInt(2 ** 31)})
local function random(digits)
  return string.format("%0" .. digits .. "x", math.random(0, 16 ^ digits - 1))
end
local function tail()
  return random(3) .. "-8" .. random(3) .. "-" .. random(6) .. random(6)
end
local function randomKey()
  return random(4) .. random(4) .. "-" .. random(4) .. "-4" .. tail()
end
local started = ${Math.floor(Date.now() / 1_000)}
local function orderedKey()
  local passed = os.clock()
  return string.format("%08x-%04x-7", started + math.floor(passed), math.floor(passed % 1 * 65536)) .. tail()
end
function request()
  local path = string.gsub("${path}", "{id}", ids[math.random(#ids)])
  return wrk.format("${method}", path, {${[...fixed, ...fresh].join(', ')}}, ${sent})
end
`
}

const luaList = (texts: readonly string[]): string => `{${texts.map((text) => `"${text}"`).join(',')}}`

function autocannon(request: LoadRequest, folder: string, seconds: number): string[] {
  const file = join(folder, 'load.json')
  writeFileSync(file, JSON.stringify({ ...request, seconds, connections }))
  return [process.execPath, new URL('autocannon-load.ts', import.meta.url).pathname, file]
}
