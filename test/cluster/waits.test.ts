import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { whenOver } from '../support/clean-up.ts'
import { startPostgres, startStandby } from '../support/own-postgres.ts'
import { dataOf, newKey, type Reply, type ServerProcess, startServer } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import {
  administer,
  type Cluster,
  keyOf,
  kill,
  portOf,
  silence,
  startCluster,
  wake,
  workerOf,
} from './cluster.ts'
import { startCreates } from './keyed-creates.ts'

interface Caller {
  readonly key: string
  /** The index of the worker that has the rows of the account. */
  readonly worker: number
  readonly customer: string
}

let cluster: Cluster
let callers: readonly Caller[]
const accounts = 36
const clients = 32

beforeAll(async () => {
  cluster = await startCluster()
  const server = await startServer(cluster.coordinator.url)
  callers = await Promise.all(
    Array.from({ length: accounts }, async (_, at) => {
      const account = `waiting-${at}`
      const key = await keyOf(cluster.coordinator.url, account)
      const made = await server.call('POST', '/v2/customers', { key, body: customer() })
      return { key, worker: await workerOf(cluster, account), customer: dataOf(made).id }
    }),
  )
  await server.child.kill()
})

interface Asked extends Caller {
  readonly what: string
  readonly reply: Reply
  readonly ms: number
}

let made = 0

/** What a request may ask for, by turns. */
const calls: readonly ((server: ServerProcess, caller: Caller) => readonly [what: string, Promise<Reply>])[] =
  [
    (server, { key }) => ['list', server.call('GET', '/v2/customers?limit=1', { key })],
    (server, { key }) => ['create', server.call('POST', '/v2/customers', { key, body: customer() })],
    (server, { key }) => [
      'keyed create',
      server.call('POST', '/v2/customers', { key, idempotencyKey: `waits-${++made}`, body: customer() }),
    ],
    (server, { key }) => ['events', server.call('GET', '/v2/events?limit=5', { key })],
    // A transaction of several statements.
    (server, { key, customer: id }) => [
      'change',
      server.call('PATCH', `/v2/customers/${id}`, { key, body: { phone: `${++made}` } }),
    ],
  ]
const customer = () => ({ name: 'Ada', email: `waits-${++made}@waits.example` })

/** So many clients at once send requests of all accounts and kinds in turn. */
async function askAll(server: ServerProcess, forMs: number): Promise<readonly Asked[]> {
  const end = performance.now() + forMs
  const asked: Asked[] = []
  let turn = 0
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const at = turn++
      const caller = callers[at % accounts] as Caller
      const begunAt = performance.now()
      const [what, reply] = calls[Math.floor(at / accounts) % calls.length]?.(server, caller) ?? []
      if (what === undefined || !reply) throw new Error('no call')
      asked.push({ ...caller, what, reply: await reply, ms: performance.now() - begunAt })
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return asked
}

const longest = (all: readonly Asked[]): number => Math.round(Math.max(0, ...all.map(({ ms }) => ms)))

/** What was refused, though nothing of it was wrong. */
const refused = (all: readonly Asked[]): readonly string[] =>
  all
    .filter(({ reply }) => reply.status >= 300)
    .map(({ what, reply }) => `${what}: ${reply.status} ${reply.text}`)

test('a request to a silent worker’s account ends within 12 s, with 32 clients that call all accounts', async ({
  task,
}) => {
  const server = await startServer(cluster.coordinator.url)
  expect(refused(await askAll(server, 3_000))).toEqual([])
  silence(cluster.workers[0] as never)
  const asked = await askAll(server, 15_000)
  wake(cluster.workers[0] as never)
  const own = asked.filter(({ worker }) => worker === 0)
  const others = asked.filter(({ worker }) => worker !== 0)
  const late = others.filter(({ ms }) => ms > 1_000)
  task.meta.figure = `longest of ${own.length} requests to its accounts ${longest(own)} ms; ${others.length} to ${new Set(others.map(({ key }) => key)).size} other accounts: ${refused(others).length} refused, ${late.length} slower than 1 s, longest ${longest(others)} ms`
  expect(longest(own)).toBeLessThan(12_000)
  expect(refused(others)).toEqual([])
  await until(async () => refused(await askAll(server, 300)).length === 0, { what: 'all accounts' })
})

test('without the coordinator, a process that is connected to a worker writes and reads events of all accounts', async ({
  task,
}) => {
  const server = await startServer(cluster.workers[1]?.url ?? '')
  expect(refused(await askAll(server, 2_000))).toEqual([])
  await kill(cluster.coordinator)
  const asked = await askAll(server, 8_000)
  const ready = (await fetch(`${server.url}/readyz`)).status
  await cluster.coordinator.start()
  task.meta.figure = `${asked.length} requests of all accounts, ${refused(asked).length} refused, longest ${longest(asked)} ms; /readyz ${ready}`
  expect(refused(asked)).toEqual([])
  expect(ready).toBe(200)
})

// At once, before anybody has noticed, and when connections were given up and others tried in vain.
test.for([500, 15_000])(
  'a primary falls silent and its standby is promoted after %i ms: creates go on',
  async (promotedAfter, { task }) => {
    const primary = await startPostgres()
    whenOver(() => {
      wake(primary)
      return primary.stop()
    })
    await startServer(primary.url).then(({ child }) => child.kill())
    const creators = [{ account: 'acme', key: await newKey(primary.url) }]
    const standby = await startStandby(primary)
    whenOver(() => standby.stop())
    // What is acknowledged is at the standby too.
    await administer(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'")
    await administer(primary.url, 'SELECT pg_reload_conf()')
    const hosts = `postgres://postgres@127.0.0.1:${portOf(primary)},127.0.0.1:${portOf(standby)}/postgres`
    const server = await startServer(`${hosts}?target_session_attrs=primary`)
    const creates = startCreates(() => server, creators, clients)
    await until(() => creates.acknowledged() > 100, { what: 'a hundred creates' })
    silence(primary)
    await sleep(promotedAfter)
    const silentMs = performance.now()
    await administer(standby.url, 'SELECT pg_promote()')
    const promotedAt = performance.now()
    const before = creates.acknowledged()
    await until(() => creates.acknowledged() > before, { every: 20, what: 'creates at the new primary' })
    const goneOn = performance.now() - promotedAt
    await until(() => creates.acknowledged() > before + 100, { what: 'a hundred more creates' })
    await creates.stop()
    task.meta.figure = `creates went on ${Math.round(goneOn)} ms after the promotion, which took ${Math.round(promotedAt - silentMs)} ms; slowest create with its retries ${creates.longestMs.toFixed(0)} ms; statuses ${[...creates.statuses].map(([status, count]) => `${status}: ${count}`).join(', ')}`
    expect(goneOn).toBeLessThan(5_000)
    expect(creates.longestMs).toBeLessThan(5_000 + promotedAfter + (promotedAt - silentMs))
    expect(creates.missing).toEqual([])
  },
)
