import { setTimeout } from 'node:timers/promises'
import { drawFor, type Sample } from './draw.ts'
import type { Measured, Task } from './load.ts'
import { connectTo } from './raw-client.ts'
import { usageOf } from './usage.ts'
import { type Request, type Workload, workloads } from './workloads.ts'

/**
 * The load: a process of its own that keeps so many connections busy, each with one request at a time. It reads answers by their
 * Content-Length and nothing else, so that it costs much less than the servers it measures.
 */
let sample: Sample

process.on('message', async (message: Sample | Task) => {
  if ('ids' in message) sample = message
  else process.send?.(await run(message).catch((error: Error) => ({ failed: error.message })))
})

async function run(task: Task): Promise<Measured> {
  const next = requestsOf(task)
  const clients = await Promise.all(Array.from({ length: task.connections }, () => connectTo(task.port)))
  const latencies: number[] = []
  const cpuBefore = usageOf(task.pid).cpuMicros
  const ownBefore = process.cpuUsage()
  const startedAt = performance.now()
  let running = true
  const loops = clients.map(async (client) => {
    while (running) latencies.push(await client.ask(next()))
  })
  await Promise.race([setTimeout(task.ms), ...loops])
  running = false
  await Promise.all(loops)
  const seconds = (performance.now() - startedAt) / 1_000
  const { cpuMicros, memoryMb } = usageOf(task.pid)
  const { user, system } = process.cpuUsage(ownBefore)
  for (const client of clients) client.close()
  latencies.sort((a, b) => a - b)
  return {
    perSecond: latencies.length / seconds,
    p50Ms: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
    cpuMicros: (cpuMicros - cpuBefore) / latencies.length,
    memoryMb,
    loadMicros: (user + system) / latencies.length,
  }
}

/** Returns the text of one request after another. */
function requestsOf({ workload: name, prefix, key, port }: Task): () => string {
  const { request } = workloads.find((one) => one.name === name) as Workload
  const draw = drawFor(sample, prefix)
  const fixed = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\n`
  return () => textOf(request(draw), prefix, fixed)
}

function textOf({ method, path, headers = {}, body }: Request, prefix: string, fixed: string): string {
  let head = `${method} ${prefix}${path} HTTP/1.1\r\n${fixed}`
  for (const header in headers) head += `${header}: ${headers[header]}\r\n`
  if (!body) return `${head}\r\n`
  const json = JSON.stringify(body)
  return `${head}Content-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`
}
