import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nounkit } from '../support/child.ts'
import { type OwnPostgres, startPostgres } from '../support/own-postgres.ts'
import { newKey, type Reply, type ServerProcess, startServer } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import { figure } from './figures.ts'
import { workerPids } from './worker-pids.ts'

let postgres: OwnPostgres
let server: ServerProcess
let key: string

beforeAll(async () => {
  postgres = await startPostgres()
  server = await startServer(postgres.url)
  key = await newKey(postgres.url)
})
afterAll(() => postgres?.stop())

const create = (name: string): Promise<Reply> =>
  server.call('POST', '/v2/customers', {
    key,
    idempotencyKey: name,
    body: { name, email: `${name}@away.example` },
  })
const probe = async (path: string) => (await fetch(server.url + path)).status

test('while PostgreSQL is down, calls and /readyz are 503, with Retry-After; when it is back, so is the service', async () => {
  expect((await create('before')).status).toBe(201)
  expect(await probe('/readyz')).toBe(200)

  await postgres.halt('immediate')
  for (const reply of [await create('during'), await server.call('GET', '/v2/orders', { key })]) {
    expect(reply.status).toBe(503)
    expect(reply.headers['retry-after']).toBe('1')
    expect(JSON.parse(reply.text)).toMatchObject({ type: '/problems/store-unavailable' })
    expect(reply.text).not.toMatch(/ECONNREFUSED|PostgreSQL|127\.0\.0\.1|[Nn]othing was changed/)
  }
  await until(async () => (await probe('/readyz')) === 503, { what: 'readyz telling that the store is away' })
  expect(await probe('/livez')).toBe(200)

  const second = nounkit(['serve', 'examples/shop', '--port', '0'], { env: { DATABASE_URL: postgres.url } })
  expect(await second.ended).toEqual({ code: 1, signal: null })
  expect(second.stderr).toMatch(
    /^The database at 127\.0\.0\.1:\d+\/postgres cannot be used: .*Nothing listens there/,
  )
  expect(second.stderr).not.toMatch(/^\s+at /m)

  await postgres.start()
  await until(async () => (await probe('/readyz')) === 200, { what: 'readyz telling that the store is back' })
  expect((await create('during')).status).toBe(201)
  expect((await create('before')).headers['idempotent-replayed']).toBe('true')
})

test('a restart in the midst of writes answers each of them or says 503; retried with its key, each is there once', async () => {
  let over = false
  const replies = new Map<string, Reply>()
  const lane = async (name: number): Promise<void> => {
    for (let turn = 0; !over; turn++) {
      const reply = await create(`r${name}-${turn}`)
      replies.set(`r${name}-${turn}`, reply)
      if (reply.status === 503) await sleep(50)
    }
  }
  const lanes = Promise.all([1, 2, 3, 4].map(lane))
  try {
    for (let restarts = 1; restarts <= 3; restarts++) {
      const before = replies.size
      await until(() => replies.size > before + 20)
      await postgres.restart('fast')
      // Sooner than any time-out of a connection or a statement.
      await until(async () => (await create(`after-${restarts}`)).status === 201, { within: 60_000 })
    }
  } finally {
    over = true
    await lanes
  }
  expect([201, 503]).toEqual(
    expect.arrayContaining([...new Set([...replies.values()].map(({ status }) => status))]),
  )
  for (const [name, first] of replies) {
    const retried = await create(name)
    expect(retried.status, retried.text).toBe(201)
    if (first.status === 201) expect(retried.text).toBe(first.text)
  }
})

test('a worker that ends while the store is away is replaced once it is back, and the service never ends', async () => {
  const service = await startServer(postgres.url, { args: ['--workers', '2'], env: { NOUNKIT_LOG: 'info' } })
  const [doomed = 0] = await workerPids(service, 2)
  await postgres.halt('immediate')
  process.kill(doomed, 'SIGKILL')
  await service.child.line(/The database at .* cannot be used/)
  await service.child.line(/worker \d+ ended \(1\); another takes its place/)
  await postgres.start()
  await until(async () => (await figure(service, 'nounkit_processes')) === 2, { what: 'two workers again' })
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
})
