import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Contender } from './contender.ts'
import type { Workload } from './workloads.ts'

const run = promisify(execFile)

export interface LoadResult {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly requests: number
}

export interface Sample {
  readonly ids: readonly string[]
  readonly customer: string
  /** A cursor of each prefix that leads to row 90,000. */
  readonly cursors: { readonly [prefix: string]: string }
}

const connections = 32

/** A turn of load from a process of its own: keep-alive, 32 connections, random ids. */
export async function load(
  contender: Contender,
  workload: Workload,
  sample: Sample,
  seconds: number,
): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'nounkit-load-'))
  try {
    const request = describe(contender, workload, sample)
    return hasWrk() ? await byWrk(request, folder, seconds) : await byAutocannon(request, folder, seconds)
  } catch (error) {
    throw new Error(`${contender.name}, ${workload.name}: ${error instanceof Error ? error.message : error}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
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
  readonly freshKeys: boolean
}

function describe({ key, prefix, port }: Contender, workload: Workload, sample: Sample): LoadRequest {
  const old = prefix === '/v1'
  const path = prefix + workload.path.replace('{cursor}', sample.cursors[prefix] ?? '')
  const order = { [old ? 'client_id' : 'customer_id']: sample.customer, ...(old ? {} : { currency: 'EUR' }) }
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
    freshKeys: workload.headers === 'fresh-key',
  }
}

async function byWrk(request: LoadRequest, folder: string, seconds: number): Promise<LoadResult> {
  const script = join(folder, 'load.lua')
  writeFileSync(script, lua(request))
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', script, request.url]
  const { stdout } = await run('wrk', args)
  const failed = /Non-2xx or 3xx responses: (\d+)|Socket errors: .*/.exec(stdout)
  if (failed) throw new Error(failed[0])
  const milliseconds = (pattern: RegExp): number => {
    const [, value = '0', unit = 'ms'] = pattern.exec(stdout) ?? []
    return Number(value) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? 1)
  }
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1] ?? 0),
    p50Ms: milliseconds(/50%\s+([\d.]+)(us|ms|s)/),
    p99Ms: milliseconds(/99%\s+([\d.]+)(us|ms|s)/),
    requests: Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0),
  }
}

/** JSON strings are Lua strings too, as far as these go. */
function lua({ method, path, headers, body, ids, freshKeys }: LoadRequest): string {
  const fixed = Object.entries(headers).map(
    ([name, value]) => `[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
  )
  const fresh = freshKeys ? [`["Idempotency-Key"] = "${process.pid}-${Date.now()}-" .. count`] : []
  const sent =
    body === null ? 'nil' : `(string.gsub(${JSON.stringify(body)}, "{random}", math.random(1, 1000000)))`
  return `local ids = {${ids.map((id) => `"${id}"`).join(',')}}
local count = 0
math.randomseed(os.time())
function request()
  count = count + 1
  local path = string.gsub("${path}", "{id}", ids[math.random(#ids)])
  return wrk.format("${method}", path, {${[...fixed, ...fresh].join(', ')}}, ${sent})
end
`
}

async function byAutocannon(request: LoadRequest, folder: string, seconds: number): Promise<LoadResult> {
  const file = join(folder, 'load.json')
  writeFileSync(file, JSON.stringify({ ...request, seconds, connections }))
  const script = new URL('autocannon-load.ts', import.meta.url).pathname
  const { stdout } = await run(process.execPath, [script, file])
  const { failed, ...result } = JSON.parse(stdout) as LoadResult & { failed: number }
  if (failed > 0) throw new Error(`${failed} calls failed`)
  return result
}
