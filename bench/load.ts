import { execFile } from 'node:child_process'
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

export const connections = 32

/** A turn of load from wrk, in a process of its own: keep-alive, 32 connections, random ids. */
export async function load(
  contender: Contender,
  workload: Workload,
  sample: Sample,
  seconds: number,
): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'nounkit-load-'))
  try {
    const script = join(folder, 'load.lua')
    writeFileSync(script, lua(contender, workload, sample))
    const args = [
      '-t1',
      `-c${connections}`,
      `-d${seconds}s`,
      '--latency',
      '-s',
      script,
      `http://127.0.0.1:${contender.port}`,
    ]
    const { stdout } = await run('wrk', args)
    return read(stdout, contender, workload)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function lua({ key, prefix }: Contender, workload: Workload, sample: Sample): string {
  const path = prefix + workload.path.replace('{cursor}', sample.cursors[prefix] ?? '')
  const old = prefix === '/v1'
  const shown = old ? path.replaceAll('customer', 'client') : path
  const field = old ? 'client_id' : 'customer_id'
  const currency = old ? '' : ',\\"currency\\":\\"EUR\\"'
  const bodies = {
    order: `"{\\"${field}\\":\\"${sample.customer}\\"${currency},\\"note\\":\\"from the benchmark\\"}"`,
    note: `"{\\"note\\":\\"" .. math.random(1, 1000000) .. "\\"}"`,
  }
  const headers = [`["Authorization"] = "Bearer ${key}"`]
  if (workload.body) headers.push('["Content-Type"] = "application/json"')
  if (workload.headers === 'etag') headers.push('["If-None-Match"] = "\\"1\\""')
  if (workload.headers === 'fresh-key')
    headers.push(`["Idempotency-Key"] = "${process.pid}-${Date.now()}-" .. count`)
  if (workload.headers === 'known-key')
    headers.push(`["Idempotency-Key"] = "known-${prefix.slice(1)}-" .. math.random(1, 100)`)
  return `local ids = {${sample.ids.map((id) => `"${id}"`).join(',')}}
local count = 0
math.randomseed(os.time())
function request()
  count = count + 1
  local path = string.gsub("${shown.replaceAll('%', '%%')}", "{id}", ids[math.random(#ids)])
  return wrk.format("${workload.method}", path, {${headers.join(', ')}}, ${workload.body ? bodies[workload.body] : 'nil'})
end
`
}

function read(text: string, contender: Contender, workload: Workload): LoadResult {
  const failed = /Non-2xx or 3xx responses: (\d+)|Socket errors: .*/.exec(text)
  if (failed) throw new Error(`${contender.name}, ${workload.name}: ${failed[0]}`)
  const milliseconds = (pattern: RegExp): number => {
    const [, value = '0', unit = 'ms'] = pattern.exec(text) ?? []
    return Number(value) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? 1)
  }
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1] ?? 0),
    p50Ms: milliseconds(/50%\s+([\d.]+)(us|ms|s)/),
    p99Ms: milliseconds(/99%\s+([\d.]+)(us|ms|s)/),
    requests: Number(/(\d+) requests in/.exec(text)?.[1] ?? 0),
  }
}
