import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { dataOf, type ServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import type { Cluster } from './cluster.ts'

/** An account that creates customers, with a key for it. */
export interface Creator {
  readonly account: string
  readonly key: string
}

/** Clients of several accounts that create rows with Idempotency-Keys, and send each one again until it is acknowledged. */
export interface KeyedCreates {
  /** How many were acknowledged, of one account or of all. */
  acknowledged(account?: string): number
  /** How often each status was answered; 0 for a broken connection. */
  readonly statuses: ReadonlyMap<number, number>
  /** The longest time from the first attempt to the acknowledgement, in milliseconds. */
  readonly longestMs: number
  /** Rows that could not be read right after they were acknowledged: there must be none. */
  readonly missing: readonly string[]
  /** Resolves when every create that was begun is acknowledged. */
  stop(): Promise<void>
}

/** `server` gives the process that the next attempt is sent to. */
export function startCreates(
  server: () => ServerProcess,
  creators: readonly Creator[],
  lanesEach = 2,
): KeyedCreates {
  const run = { over: false, longestMs: 0 }
  const statuses = new Map<number, number>()
  const counts = new Map<string, number>()
  const missing: string[] = []
  const attempt = async ({ key }: Creator, name: string) => {
    const body = { name, email: `${name}@cluster.example` }
    const reply = await server()
      .call('POST', '/v2/customers', { key, idempotencyKey: name, body })
      .catch(() => null)
    const status = reply?.status ?? 0
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    return reply
  }
  const lane = async (creator: Creator, number: number): Promise<void> => {
    for (let at = 0; !run.over; at++) {
      const begunAt = performance.now()
      const name = `${creator.account}-${number}-${at}`
      let reply = await attempt(creator, name)
      while (reply?.status !== 201) {
        await sleep(50)
        reply = await attempt(creator, name)
      }
      run.longestMs = Math.max(run.longestMs, performance.now() - begunAt)
      counts.set(creator.account, (counts.get(creator.account) ?? 0) + 1)
      const { id } = dataOf(reply)
      const read = await server()
        .call('GET', `/v2/customers/${id}`, { key: creator.key })
        .catch(() => null)
      if (read?.status === 404) missing.push(name)
    }
  }
  const lanes = creators.flatMap((creator) =>
    Array.from({ length: lanesEach }, (_, number) => lane(creator, number)),
  )
  const all = Promise.all(lanes)
  return {
    acknowledged: (account) =>
      account === undefined
        ? [...counts.values()].reduce((sum, count) => sum + count, 0)
        : (counts.get(account) ?? 0),
    statuses,
    get longestMs() {
      return run.longestMs
    },
    missing,
    async stop() {
      run.over = true
      await all
    },
  }
}

/** Waits until each account has had this many more creates acknowledged. */
export async function creating(
  creates: KeyedCreates,
  creators: readonly Creator[],
  more: number,
): Promise<void> {
  const before = creators.map(({ account }) => creates.acknowledged(account))
  await until(
    () => creators.every(({ account }, at) => creates.acknowledged(account) >= (before[at] ?? 0) + more),
    { within: 120_000, what: `${more} more creates of each account` },
  )
}

/** Nothing acknowledged is lost, nothing is there twice, and clients saw only what a retry cures. */
export async function expectExactlyOnce(
  { sql }: Cluster,
  creates: KeyedCreates,
  creators: readonly Creator[],
): Promise<void> {
  for (const { account } of creators) {
    const [row] = await sql`
      SELECT count(*)::int AS "rows" FROM customers
      WHERE account_id = ${account} AND email LIKE '%@cluster.example'`
    expect(row?.rows, account).toBe(creates.acknowledged(account))
  }
  expect(creates.missing).toEqual([])
  const allowed = [0, 201, 409, 503]
  expect([...creates.statuses.keys()].filter((status) => !allowed.includes(status))).toEqual([])
}
