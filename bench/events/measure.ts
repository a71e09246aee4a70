import type { Sample } from '../draw.ts'
import { type Measured, startLoad } from '../load.ts'
import type { Store } from '../stores.ts'
import { takeTurns } from '../turns.ts'
import { type Workload, workloads } from '../workloads.ts'
import { deliverWebhooks } from './deliver-webhooks.ts'
import { followStreams } from './follow-streams.ts'
import { measurePromptness } from './promptness.ts'
import { readByCursor } from './read-by-cursor.ts'
import { customerId, type Served, serveOrders } from './served.ts'

export interface EventsOptions {
  readonly rounds: number
  readonly turnMs: number
  /** Events that are read by cursor. Deliveries are a fifth of them, streams a hundredth. */
  readonly events: number
  say(line: string): void
}

/** A figure of events, and what is aimed at. */
export interface EventsRow {
  readonly what: string
  readonly measured: number
  /** CPU time of the server for one create, event or delivery. */
  readonly cpuMicros: number | null
  readonly aim: number
  readonly atMost: boolean
  readonly met: boolean
}

/** What was done so often in a second, and the CPU time of the server for one. */
export interface Rate {
  readonly perSecond: number
  readonly cpuMicros: number
}

const atLeast = (what: string, measured: number, aim: number, cpuMicros: number | null): EventsRow => ({
  what,
  measured,
  cpuMicros,
  aim,
  atMost: false,
  met: measured >= aim,
})
const atMost = (what: string, measured: number, aim: number): EventsRow => ({
  what,
  measured,
  cpuMicros: null,
  aim,
  atMost: true,
  met: measured <= aim,
})

export async function measureEvents(store: Store, options: EventsOptions): Promise<readonly EventsRow[]> {
  const { rounds, turnMs, events, say } = options
  const served = await serveOrders(store)
  try {
    const create = await createRatio(served, rounds, turnMs)
    say('  create with events and without')
    const streams = Math.ceil(events / 100)
    const followed = await followStreams(served, streams, rounds * turnMs)
    say('  streams')
    const read = await readByCursor(served, events)
    say('  events by cursor')
    const delivered = await deliverWebhooks(served, Math.ceil(events / 5))
    say('  deliveries')
    return [
      atLeast('create with events : without', create.median, 0.75, null),
      atLeast('create with events : without, by least CPU time', create.byLeastCpu, 0.75, null),
      atLeast(`events a second, read by cursor`, read.perSecond, 20_000, read.cpuMicros),
      atLeast('deliveries a second', delivered.perSecond, 2_000, delivered.cpuMicros),
      // 300 are sent; the last answers come a little later.
      atLeast(
        `changes a second while ${streams} streams are open`,
        followed.perSecond,
        295,
        followed.cpuMicros,
      ),
      atMost('p99 in ms until an event arrives', followed.p99Ms, 250),
      atMost('more memory in MB', followed.moreMemoryMb, 150),
    ]
  } finally {
    await served.close()
  }
}

/** How soon events arrive at streams. SQLite does not tell one process of the commits of another. */
export async function measureStreams(store: Store, say: EventsOptions['say']): Promise<readonly EventsRow[]> {
  const served = await serveOrders(store)
  try {
    const all = await measurePromptness(served, say)
    return all.flatMap(({ perSecond, accounts, refused, withinP99Ms, acrossP99Ms }) => {
      // Where creates are refused, what is left is not what was to be measured.
      const ofAll = (p99Ms: number): number => (refused > 0 ? Number.POSITIVE_INFINITY : p99Ms)
      const which = `${accounts} ${accounts === 1 ? 'account' : 'accounts'}, ${perSecond} a second`
      return [
        atMost(`p99 in ms from the answer to the event, ${which}`, ofAll(withinP99Ms), 50),
        atMost(`… at another process`, ofAll(acrossP99Ms), store === 'SQLite' ? 1_000 : 250),
      ]
    })
  } finally {
    await served.close()
  }
}

interface Ratio {
  /** Of the ratios, each of two turns that ran next to each other. */
  readonly median: number
  /** Of the best turn of each side, which other work on the host disturbs least. */
  readonly byLeastCpu: number
}

async function createRatio(served: Served, rounds: number, turnMs: number): Promise<Ratio> {
  const workload = workloads.find(({ name }) => name === 'create') as Workload
  const none = { cursor: '', etag: '' }
  const sample: Sample = { ids: [], ownIds: [], customers: [customerId], of: { '/v2': none, '/v1': none } }
  const load = startLoad(sample)
  try {
    const lanes = [served.with, served.without].map((contender) => ({ contender, workload }))
    const results = await takeTurns(load, lanes, rounds, turnMs)
    const [told = [], quiet = []] = results.map(({ turns }) => turns)
    const ratios = told.map(({ perSecond }, at) => perSecond / (quiet[at]?.perSecond ?? Number.NaN))
    const least = (turns: readonly Measured[]) => Math.min(...turns.map(({ cpuMicros }) => cpuMicros))
    return {
      median: ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? Number.NaN,
      byLeastCpu: least(quiet) / least(told),
    }
  } finally {
    await load.stop()
  }
}
