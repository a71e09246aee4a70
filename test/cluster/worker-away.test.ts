import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { nounkit } from '../support/child.ts'
import type { OwnPostgres } from '../support/own-postgres.ts'
import { type Reply, type ServerProcess, startServer } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import {
  accountPerWorker,
  type Cluster,
  keyOf,
  kill,
  median,
  silence,
  startCluster,
  wake,
} from './cluster.ts'
import { type Creator, creating, expectExactlyOnce, startCreates } from './keyed-creates.ts'

let cluster: Cluster
let creators: readonly Creator[]

/** Each test leaves all workers running. */
beforeAll(async () => {
  cluster = await startCluster()
  const { url } = cluster.coordinator
  creators = []
  for (const account of await accountPerWorker(cluster))
    creators = [...creators, { account, key: await keyOf(url, account) }]
})

/** The accounts of the workers that stay, by the worker's index. */
const others = (): readonly number[] => cluster.workers.map((_, at) => at).slice(1)
const worker = (at: number): OwnPostgres => cluster.workers[at] as OwnPostgres
const list = (server: ServerProcess, at: number): Promise<Reply> =>
  server.call('GET', '/v2/customers?limit=1', { key: creators[at]?.key ?? '' })

/** Milliseconds of each answer of reads of the other accounts, until `over`; every answer must be 200. */
async function reads(server: ServerProcess, over: () => boolean): Promise<readonly number[]> {
  const times: number[] = []
  for (let turn = 0; !over(); turn++) {
    const at = others()[turn % others().length] ?? 1
    const startedAt = performance.now()
    const reply = await list(server, at)
    times.push(performance.now() - startedAt)
    expect(reply.status, reply.text).toBe(200)
    await sleep(10)
  }
  return times.sort((a, b) => a - b)
}
const p99 = (times: readonly number[]): number => times[Math.floor(times.length * 0.99)] ?? 0
const within = (ms: number) => {
  const end = performance.now() + ms
  return () => performance.now() > end
}

/** Reads of the other accounts while a worker is silent and gets two requests a second, which are 503 each. */
async function readsWhileSilent(server: ServerProcess): Promise<readonly number[]> {
  silence(worker(0))
  const over = within(6_000)
  const refused: Promise<Reply>[] = []
  const [times] = await Promise.all([
    reads(server, over),
    (async () => {
      while (!over()) {
        refused.push(list(server, 0))
        await sleep(500)
      }
    })(),
  ])
  const replies = await Promise.all(refused)
  wake(worker(0))
  for (const reply of replies) {
    expect(reply.status, reply.text).toBe(503)
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  }
  await until(async () => (await list(server, 0)).status === 200, { what: 'the accounts of the worker' })
  return times
}

test('a silent worker stops its own accounts only, which get 503 with Retry-After; they are back when it is', async ({
  task,
}) => {
  const server = await startServer(cluster.coordinator.url)
  for (const at of [0, ...others()]) expect((await list(server, at)).status).toBe(200)
  const [normal, silent]: [number[], number[]] = [[], []]
  let longest = 0
  // The load of the machine changes, so that turns are compared.
  for (let turn = 0; turn < 3; turn++) {
    normal.push(p99(await reads(server, within(4_000))))
    const times = await readsWhileSilent(server)
    silent.push(p99(times))
    longest = Math.max(longest, times.at(-1) ?? 0)
  }
  const shown = (times: readonly number[]) => times.map((ms) => ms.toFixed(0)).join(', ')
  task.meta.figure = `p99 of the other accounts ${median(normal).toFixed(0)} ms before (${shown(normal)}), ${median(silent).toFixed(0)} ms meanwhile (${shown(silent)}), longest ${longest.toFixed(0)} ms`
  // Far below the 10 s of a stuck statement, and above what a busy machine takes.
  expect(longest).toBeLessThan(3_000)
}, 240_000)

test('with a silent worker, events of the other accounts are written and read', async ({ task }) => {
  const server = await startServer(cluster.coordinator.url)
  for (const at of [0, ...others()]) expect((await list(server, at)).status).toBe(200)
  silence(worker(0))
  const over = within(6_000)
  const times: number[] = []
  const call = async (at: number, method: string, path: string, body?: object) => {
    const begunAt = performance.now()
    const reply = await server.call(method, path, { key: creators[at]?.key ?? '', body })
    times.push(performance.now() - begunAt)
    expect(reply.status, reply.text).toBeLessThan(300)
    return reply
  }
  const refused: Promise<Reply>[] = []
  const reader = async (at: number, number: number): Promise<void> => {
    let cursor = ''
    for (let n = 0; !over(); n++) {
      await call(at, 'POST', '/v2/customers', customer(`${number}-${n}`))
      const { data, page } = JSON.parse((await call(at, 'GET', `/v2/events?limit=100${cursor}`)).text)
      expect(data.length).toBeGreaterThan(0)
      cursor = `&cursor=${page.next_cursor}`
    }
  }
  const customer = (name: string) => ({ name, email: `${name}-${performance.now()}@events.example` })
  await Promise.all([
    ...Array.from({ length: 6 }, (_, number) => reader(others()[number % others().length] ?? 1, number)),
    (async () => {
      while (!over()) {
        refused.push(server.call('GET', '/v2/events', { key: creators[0]?.key ?? '' }))
        await sleep(500)
      }
    })(),
  ])
  const replies = await Promise.all(refused)
  wake(worker(0))
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([503]))
  times.sort((a, b) => a - b)
  task.meta.figure = `${times.length} answers, all 2xx; p99 ${p99(times).toFixed(0)} ms, longest ${times.at(-1)?.toFixed(0)} ms`
  expect(times.at(-1)).toBeLessThan(3_000)
  await until(async () => (await list(server, 0)).status === 200, { what: 'the accounts of the worker' })
}, 120_000)

test('a killed worker loses nothing that was acknowledged, and its accounts are back when it is', async ({
  task,
}) => {
  const server = await startServer(cluster.coordinator.url)
  const creates = startCreates(() => server, creators)
  await creating(creates, creators, 10)
  await kill(worker(0))
  const living = creators.filter((_, at) => at > 0)
  await creating(creates, living, 20)
  await worker(0).start()
  await creating(creates, creators, 10)
  await creates.stop()
  task.meta.figure = `${creates.acknowledged()} creates acknowledged, statuses ${[...creates.statuses].map(([status, count]) => `${status}: ${count}`).join(', ')}`
  await expectExactlyOnce(cluster, creates, creators)
})

test('with a worker down, a process starts and serves the accounts of the others; those of the worker are back when it is', async ({
  task,
}) => {
  const { url } = cluster.coordinator
  // The first start of all writes the seed, and some of it is on every node.
  await startServer(url).then(({ child }) => child.kill())
  await kill(worker(0))
  const startedAt = performance.now()
  const server = await startServer(url)
  task.meta.figure = `started in ${Math.round(performance.now() - startedAt)} ms`
  for (const at of others()) expect((await list(server, at)).status).toBe(200)
  const refused = await list(server, 0)
  expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([503, true])

  await worker(0).start()
  await until(async () => (await list(server, 0)).status === 200, { what: 'the accounts of the worker' })
})

test('with a worker down, keys of the other accounts can be made, listed and revoked', async ({ task }) => {
  const { url } = cluster.coordinator
  const server = await startServer(url)
  await kill(worker(0))
  const keys = async (...args: string[]): Promise<string> => {
    const command = nounkit(['keys', ...args], { env: { DATABASE_URL: url } })
    expect(await command.ended, command.output).toEqual({ code: 0, signal: null })
    expect(command.stderr).toMatch(/did not answer/)
    return command.stdout
  }
  const named = (at: number) => ['--account', creators[at]?.account ?? '', '--name', 'meanwhile']
  const startedAt = performance.now()
  for (const at of others()) {
    const made = await keys('create', 'examples/shop', ...named(at))
    task.meta.figure ??= `made in ${Math.round(performance.now() - startedAt)} ms`
    const [key = ''] = /nk_\w+/.exec(made) ?? []
    const status = async () => (await server.call('GET', '/v2/customers?limit=1', { key })).status
    expect(await status()).toBe(200)
    expect(await keys('list', 'examples/shop')).toContain('meanwhile')
    await keys('revoke', 'examples/shop', ...named(at))
    await until(async () => (await status()) === 401, { what: 'the end of the key' })
  }
  await worker(0).start()
})
