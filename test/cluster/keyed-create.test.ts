import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { beforeAll, expect, test } from 'vitest'
import { dataOf, type Reply, type ServerProcess, startServer } from '../support/server-process.ts'
import { accountPerWorker, type Cluster, keyOf, median, startCluster } from './cluster.ts'

let cluster: Cluster
let servers: readonly ServerProcess[]

beforeAll(async () => {
  cluster = await startCluster()
  const key = await keyOf(cluster.coordinator.url, 'acme')
  // One process speaks with the coordinator, one with a worker, which has the metadata too.
  const urls = [cluster.coordinator.url, cluster.workers[0]?.url ?? '']
  servers = await Promise.all(urls.map((url) => startServer(url, { key })))
})

const create = (server: ServerProcess, name: string): Promise<Reply> =>
  server.call('POST', '/v2/customers', {
    idempotencyKey: name,
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
const lanes = 32

interface Account {
  readonly account: string
  readonly key: string
}

/** So many lanes call `once` for their accounts, in turn: how often a second it was done. */
async function rateOf(
  accounts: readonly Account[],
  once: (account: Account, name: string) => Promise<boolean>,
): Promise<number> {
  const end = performance.now() + turnMs
  let done = 0
  const lane = async (number: number): Promise<void> => {
    const account = accounts[number % accounts.length] as Account
    for (let at = 0; performance.now() < end; at++)
      if (await once(account, `rate-${end}-${number}-${at}`)) done++
  }
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)))
  return (done * 1_000) / turnMs
}

/** What a program without Nounkit would do for a keyed create: an Idempotency-Key, a row and an event, over as many connections. */
async function rateByHand(accounts: readonly Account[]): Promise<number> {
  const sql = postgres(cluster.coordinator.url, { max: 10, onnotice: () => {} })
  const rate = await rateOf(accounts, async ({ account }, name) => {
    const now = new Date()
    await sql.begin(async (tx) => {
      await tx`INSERT INTO nounkit_idempotency (account_id, key, fingerprint, fingerprint_version, status, completed_at, expires_at)
        VALUES (${account}, ${name}, '', 1, 201, 1, 9999999999999)`
      await tx`INSERT INTO customers (account_id, id, name, email, version, created_at, updated_at)
        VALUES (${account}, ${randomUUID()}, ${name}, ${`${name}@hand.example`}, 1, ${now}, ${now})`
      await tx`INSERT INTO nounkit_event_inbox (account_id, kind, resource, row_id, version, created_at, id_end, data)
        VALUES (${account}, 'created', 'customers', ${name}, 'v2', 1, '8000-000000000000', '{}')`
    })
    return true
  })
  await sql.end({ timeout: 5 })
  return rate
}

async function rateOfCreates(accounts: readonly Account[], withKey: boolean): Promise<number> {
  const [server] = servers as [ServerProcess]
  return rateOf(accounts, async ({ key }, name) => {
    const body = { name, email: `${name}@key.example` }
    const reply = await server.call('POST', '/v2/customers', {
      key,
      ...(withKey && { idempotencyKey: name }),
      body,
    })
    return reply.status === 201
  })
}

// All accounts of one node may hold its share of the connections only, so that a node that falls silent leaves the others to the rest.
test.for(['of one account', 'of accounts on all nodes'])(
  'how many keyed creates a second there are for each transaction of the same three inserts by hand, %s',
  { timeout: 240_000 },
  async (whose, { task }) => {
    const names = whose === 'of one account' ? ['alone'] : await accountPerWorker(cluster)
    const accounts = await Promise.all(
      names.map(async (account) => ({ account, key: await keyOf(cluster.coordinator.url, account) })),
    )
    const [plain, keyed, byHand]: [number[], number[], number[]] = [[], [], []]
    // The load of the machine changes, so that turns are compared. The first ones have the code compiled.
    for (let turn = 0; turn < 6; turn++) {
      plain.push(await rateOfCreates(accounts, false))
      keyed.push(await rateOfCreates(accounts, true))
      byHand.push(await rateByHand(accounts))
    }
    const ratios = keyed.map((one, at) => one / (byHand[at] ?? 0)).slice(1)
    task.meta.figure = `in the middle of five turns ${median(plain).toFixed(0)} plain, ${median(keyed).toFixed(0)} keyed creates a second, ${median(byHand).toFixed(0)} by hand without HTTP; keyed : by hand ${median(ratios).toFixed(2)} (${ratios.map((one) => one.toFixed(2)).join(', ')}); all nodes and the load on one machine`
    expect(median(ratios)).toBeGreaterThan(0)
  },
)
