import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import { type Cluster, keyOf, kill, startCluster, workerOf } from './cluster.ts'

interface Caller {
  readonly account: string
  readonly key: string
  /** Whether the rows of the account are on the worker that is killed. */
  readonly isCutOff: boolean
}

let cluster: Cluster
let server: ServerProcess
let callers: readonly Caller[]

const clients = 32
const accounts = 36
const lateMs = 1_000

beforeAll(async () => {
  cluster = await startCluster()
  const { url } = cluster.coordinator
  callers = await Promise.all(
    Array.from({ length: accounts }, async (_, at) => {
      const account = `caller-${at}`
      return {
        account,
        key: await keyOf(url, account),
        isCutOff: (await workerOf(cluster, account)) === 0,
      }
    }),
  )
  server = await startServer(url)
})

interface Asked extends Caller {
  readonly ms: number
  readonly status: number
}

/** So many clients at once create and read rows of all accounts in turn, also of those that are cut off. */
async function askAll(forMs: number): Promise<readonly Asked[]> {
  const end = performance.now() + forMs
  const asked: Asked[] = []
  let turn = 0
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const at = turn++
      const caller = callers[at % callers.length] as Caller
      const begunAt = performance.now()
      const { status } =
        at % 2 === 0
          ? await server.call('GET', '/v2/customers?limit=1', { key: caller.key })
          : await server.call('POST', '/v2/customers', {
              key: caller.key,
              idempotencyKey: `refused-${at}-${begunAt}`,
              body: { name: 'Ada', email: `${at}-${begunAt}@refused.example` },
            })
      asked.push({ ...caller, status, ms: performance.now() - begunAt })
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return asked
}

const sessions = async (): Promise<number> => {
  const [row] = await cluster.sql`SELECT sessions FROM pg_stat_database WHERE datname = current_database()`
  return Number(row?.sessions)
}

test('a worker that refuses connections costs its own accounts only, with 32 clients that call all accounts', async ({
  task,
}) => {
  const before = await askAll(5_000)
  expect(new Set(before.map(({ status }) => status))).toEqual(new Set([200, 201]))
  await kill(cluster.workers[0] as (typeof cluster.workers)[0])
  const begun = await sessions()
  const meanwhile = await askAll(10_000)
  // The server counts a session some time after it began.
  await sleep(1_500)
  const more = (await sessions()) - begun
  const others = meanwhile.filter(({ isCutOff }) => !isCutOff)
  const refused = new Set(others.filter(({ status }) => status >= 300).map(({ account }) => account))
  const late = (all: readonly Asked[]) =>
    new Set(all.filter(({ ms }) => ms > lateMs).map((one) => one.account))
  const healthy = callers.filter(({ isCutOff }) => !isCutOff).length
  task.meta.figure = `of ${healthy} other accounts ${refused.size} refused, ${late(others).size} slower than 1 s (before: ${late(before).size}); ${others.length} answers for them in 10 s, ${more} new sessions`
  expect([...refused]).toEqual([])
  expect(more).toBeLessThan(200)
  expect(new Set(meanwhile.filter(({ isCutOff }) => isCutOff).map(({ status }) => status))).toContain(503)

  await cluster.workers[0]?.start()
  await until(async () => (await askAll(500)).every(({ status }) => status < 300), {
    what: 'the accounts of the worker',
  })
})
