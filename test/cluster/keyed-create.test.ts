import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { beforeAll, expect, test } from 'vitest'
import { dataOf, type Reply, type ServerProcess, startServer } from '../support/server-process.ts'
import { type Cluster, keyOf, startCluster } from './cluster.ts'

let cluster: Cluster
let servers: readonly ServerProcess[]

beforeAll(async () => {
  cluster = await startCluster()
  const key = await keyOf(cluster.coordinator.url, 'acme')
  // One process speaks with the coordinator, one with a worker, which has the metadata too.
  const urls = [cluster.coordinator.url, cluster.workers[0]?.url ?? '']
  servers = await Promise.all(urls.map((url) => startServer(url, { key })))
})

const create = (server: ServerProcess, name: string, withKey = true): Promise<Reply> =>
  server.call('POST', '/v2/customers', {
    ...(withKey && { idempotencyKey: name }),
    body: { name, email: `${name}@key.example` },
  })

test('fifty creates with one key at once, over two processes, are one row and one answer', async () => {
  const replies = await Promise.all(
    Array.from({ length: 50 }, async (_, at) => {
      for (;;) {
        const reply = await create(servers[at % 2] as ServerProcess, 'once')
        if (reply.status !== 409) return reply
        await sleep(20)
      }
    }),
  )
  expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(replies[0]?.status).toBe(201)
  const [row] =
    await cluster.sql`SELECT count(*)::int AS "rows" FROM customers WHERE email = 'once@key.example'`
  expect(row?.rows).toBe(1)
})

test('a keyed create is no two-phase commit, and its row is there for every process once it is answered', async ({
  task,
}) => {
  const records = async (): Promise<number> => {
    const [row] = await cluster.sql`SELECT count(*)::int AS "count" FROM pg_dist_transaction`
    return row?.count ?? 0
  }
  // A commit in two phases leaves a record, which the clean-up that is stopped here would delete.
  await cluster.sql`ALTER SYSTEM SET citus.recover_2pc_interval = -1`
  await cluster.sql`SELECT pg_reload_conf()`
  await sleep(200)
  const [one, other] = servers as [ServerProcess, ServerProcess]
  const before = await records()
  for (let at = 0; at < 50; at++) {
    const reply = await create(one, `row-${at}`)
    expect(reply.status, reply.text).toBe(201)
    expect((await other.call('GET', `/v2/customers/${dataOf(reply).id}`)).status).toBe(200)
  }
  const made = (await records()) - before
  task.meta.figure = `${made} records of two-phase commits after 50 keyed creates`
  expect(made).toBeLessThan(50)
})

const turnMs = 3_000

/** What a program without Nounkit would do for a keyed create: an Idempotency-Key, a row and an event, over as many connections. */
async function rateByHand(url: string): Promise<number> {
  const sql = postgres(url, { max: 10, onnotice: () => {} })
  const end = performance.now() + turnMs
  let done = 0
  const lane = async (number: number): Promise<void> => {
    for (let at = 0; performance.now() < end; at++) {
      const name = `hand-${end}-${number}-${at}`
      const now = new Date()
      await sql.begin(async (tx) => {
        await tx`INSERT INTO nounkit_idempotency (account_id, key, fingerprint, fingerprint_version, status, completed_at, expires_at)
          VALUES ('acme', ${name}, '', 1, 201, 1, 9999999999999)`
        await tx`INSERT INTO customers (account_id, id, name, email, version, created_at, updated_at)
          VALUES ('acme', ${randomUUID()}, ${name}, ${`${name}@hand.example`}, 1, ${now}, ${now})`
        await tx`INSERT INTO nounkit_event_inbox (account_id, kind, resource, row_id, version, created_at, id_end, data)
          VALUES ('acme', 'created', 'customers', ${name}, 'v2', 1, '8000-000000000000', '{}')`
      })
      done++
    }
  }
  await Promise.all(Array.from({ length: 32 }, (_, number) => lane(number)))
  await sql.end({ timeout: 5 })
  return (done * 1_000) / turnMs
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

test('how many keyed creates a second there are for each transaction of the same three inserts by hand', async ({
  task,
}) => {
  const rate = async (withKey: boolean): Promise<number> => {
    const end = performance.now() + turnMs
    let done = 0
    const lane = async (number: number): Promise<void> => {
      for (let at = 0; performance.now() < end; at++) {
        const reply = await create(servers[0] as ServerProcess, `rate-${end}-${number}-${at}`, withKey)
        if (reply.status === 201) done++
      }
    }
    await Promise.all(Array.from({ length: 32 }, (_, number) => lane(number)))
    return (done * 1_000) / turnMs
  }
  const [plain, keyed, byHand]: [number[], number[], number[]] = [[], [], []]
  // The load of the machine changes, so that turns are compared. The first ones have the code compiled.
  for (let turn = 0; turn < 6; turn++) {
    plain.push(await rate(false))
    keyed.push(await rate(true))
    byHand.push(await rateByHand(cluster.coordinator.url))
  }
  const ratios = keyed.map((one, at) => one / (byHand[at] ?? 0)).slice(1)
  task.meta.figure = `in the middle of five turns ${median(plain).toFixed(0)} plain, ${median(keyed).toFixed(0)} keyed creates a second, ${median(byHand).toFixed(0)} by hand without HTTP; keyed : by hand ${median(ratios).toFixed(2)} (${ratios.map((one) => one.toFixed(2)).join(', ')}); all nodes and the load on one machine`
  expect(median(ratios)).toBeGreaterThan(0)
})
