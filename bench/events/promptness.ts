import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender } from '../contender.ts'
import { createOrder, type Served } from './served.ts'
import { openStream } from './stream.ts'

/** How long after the answer to a create its event arrives, at a stream of the process that wrote it and at one of another process. */
export interface Promptness {
  readonly perSecond: number
  readonly accounts: number
  readonly withinP99Ms: number
  readonly acrossP99Ms: number
  /** Creates that were not answered with the new order. */
  readonly refused: number
}

const usualRates = [1, 30, 300]
const accountCounts = [1, 100]
/** A 99th percentile of fewer is their largest. */
const fewest = 20
const mostMs = 10_000
const lateMs = 10_000

/** One process creates orders at each of several rates, for one account and for many in turn. */
export async function measurePromptness(
  served: Pick<Served, 'with' | 'keys' | 'startSecond'>,
  say: (line: string) => void,
  rates = usualRates,
): Promise<readonly Promptness[]> {
  const processes = [served.with, await served.startSecond()] as const
  // The first changes have the code compiled.
  await followAtRate(served.keys, processes, Math.max(...rates))
  const measured: Promptness[] = []
  for (const accounts of accountCounts)
    for (const perSecond of rates) {
      const followed = await followAtRate(served.keys.slice(0, accounts), processes, perSecond)
      measured.push({ perSecond, accounts, ...followed })
      say(`  streams of ${accounts} accounts, ${perSecond} changes a second`)
    }
  return measured
}

/** Every account has a stream at both processes, and the first process creates. */
async function followAtRate(
  keys: readonly string[],
  [first, second]: readonly [Contender, Contender],
  perSecond: number,
): Promise<Omit<Promptness, 'perSecond' | 'accounts'>> {
  const [answeredAt, within, across] = [newTimes(), newTimes(), newTimes()]
  const follow = ({ port }: Contender, times: Times) =>
    keys.map((key) => openStream(port, key, ({ resourceId }) => times.set(resourceId, performance.now())))
  const streams = await Promise.all([...follow(first, within), ...follow(second, across)])
  try {
    const count = Math.max(fewest, (perSecond * mostMs) / 1_000)
    const refused = await createSteadily(first, keys, { perSecond, count }, answeredAt)
    const isMissing = (id: string): boolean => !within.has(id) || !across.has(id)
    const deadline = performance.now() + lateMs
    while ([...answeredAt.keys()].some(isMissing) && performance.now() < deadline) await sleep(20)
    return { withinP99Ms: p99Of(answeredAt, within), acrossP99Ms: p99Of(answeredAt, across), refused }
  } finally {
    for (const stream of streams) stream.destroy()
  }
}

type Times = Map<string, number>
const newTimes = (): Times => new Map()

/** Resolves with how many were refused. */
async function createSteadily(
  contender: Contender,
  keys: readonly string[],
  { perSecond, count }: { readonly perSecond: number; readonly count: number },
  answeredAt: Times,
): Promise<number> {
  const startedAt = performance.now()
  let refused = 0
  const open: Promise<void>[] = []
  for (let made = 0; made < count; made++) {
    await sleep(Math.max(0, startedAt + (made * 1_000) / perSecond - performance.now()))
    const key = keys[made % keys.length] ?? ''
    const created = createOrder({ ...contender, key }).then(
      (id) => void answeredAt.set(id, performance.now()),
      () => void refused++,
    )
    open.push(created)
  }
  await Promise.all(open)
  return refused
}

/** An event that has not arrived makes it infinite. One that arrives before the answer counts as 0. */
function p99Of(answeredAt: Times, arrivedAt: Times): number {
  const waits = [...answeredAt].map(([id, at]) =>
    Math.max(0, (arrivedAt.get(id) ?? Number.POSITIVE_INFINITY) - at),
  )
  return waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? Number.NaN
}
