import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { usageOf } from '../usage.ts'
import type { Rate } from './measure.ts'
import { accounts, createOrder, type Served } from './served.ts'
import { openStream } from './stream.ts'

/** Its rate is that of changes. */
export interface Followed extends Rate {
  /** From the time that stands in an event, which is before its commit, to its arrival at a client. */
  readonly p99Ms: number
  readonly moreMemoryMb: number
}

const changesPerSecond = 300
const mostOpen = 100
const mostWaitMs = 10_000

/** Streams of all accounts are open while orders are created at a steady rate, account by account. */
export async function followStreams(served: Served, count: number, ms: number): Promise<Followed> {
  const { pid, port } = served.with
  const latencies: number[] = []
  // The first changes have the code compiled.
  await createSteadily(served, Math.min(ms, 2_000))
  const { memoryMb } = usageOf(pid)
  const streams: Socket[] = []
  for (let at = 0; at < count; at++)
    streams.push(
      await openStream(port, served.keys[at % accounts] ?? '', ({ createdAt }) =>
        latencies.push(Date.now() - createdAt),
      ),
    )
  try {
    const { cpuMicros } = usageOf(pid)
    const { made, seconds } = await createSteadily(served, ms)
    const after = usageOf(pid)
    // Creates go round the accounts, and so do streams.
    const expected = Array.from(
      { length: count },
      (_, at) => Math.floor((made - (at % accounts) - 1) / accounts) + 1,
    )
    const all = expected.reduce((sum, one) => sum + one, 0)
    const deadline = performance.now() + mostWaitMs
    while (latencies.length < all && performance.now() < deadline) await sleep(20)
    latencies.sort((a, b) => a - b)
    return {
      perSecond: made / seconds,
      cpuMicros: (after.cpuMicros - cpuMicros) / made,
      p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
      moreMemoryMb: after.memoryMb - memoryMb,
    }
  } finally {
    for (const stream of streams) stream.destroy()
  }
}

/** Sends creates at a steady rate, as long as the server keeps up with it. */
async function createSteadily(
  { with: contender, keys }: Served,
  ms: number,
): Promise<{ readonly made: number; readonly seconds: number }> {
  const startedAt = performance.now()
  const open = new Set<Promise<unknown>>()
  let made = 0
  for (let passed = 0; passed < ms; passed = performance.now() - startedAt) {
    while (made < (passed * changesPerSecond) / 1_000 && open.size < mostOpen) {
      const create = createOrder({ ...contender, key: keys[made++ % accounts] ?? '' })
      open.add(create)
      void create.finally(() => open.delete(create))
    }
    await sleep(5)
  }
  await Promise.all(open)
  return { made, seconds: (performance.now() - startedAt) / 1_000 }
}
