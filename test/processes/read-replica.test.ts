import { beforeAll, expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { systemClock } from '../../src/clock.ts'
import { OperatorRing } from '../../src/console/operators/operator-ring.ts'
import { openService } from '../../src/serve/service.ts'
import type { Store } from '../../src/store/store.ts'
import { whenOver } from '../support/clean-up.ts'
import { emptyDatabase } from '../support/databases.ts'
import { OperatorBrowser } from '../support/operator-browser.ts'
import { type OwnPostgres, startPostgres, startStandby } from '../support/own-postgres.ts'
import { dataOf, newKey, type Reply, type ServerProcess, startServer } from '../support/server-process.ts'
import { openForTest } from '../support/stores.ts'
import { until } from '../support/until.ts'

let standby: OwnPostgres
let replay: Store
let primaryStore: Store
let one: ServerProcess
let two: ServerProcess
let strict: ServerProcess

beforeAll(async () => {
  const primary = await startPostgres()
  whenOver(() => primary.stop())
  standby = await startStandby(primary)
  whenOver(() => standby.stop())
  replay = await openForTest(`${standby.url}?pool=1`)
  await (await openService({ declaration: shop, databaseUrl: primary.url })).close()
  primaryStore = await openForTest(primary.url)
  const key = await newKey(primary.url)
  const start = (lagMs: number): Promise<ServerProcess> =>
    startServer(primary.url, {
      key,
      env: { NOUNKIT_READ_URL: standby.url, NOUNKIT_READ_LAG: String(lagMs) },
    })
  const patient = 600_000
  ;[one, two, strict] = await Promise.all([start(patient), start(patient), start(300)])
})

const pause = () => replay.all('SELECT pg_wal_replay_pause()::text', [])
const resume = () => replay.all('SELECT pg_wal_replay_resume()::text', [])

let made = 0
async function create(server: ServerProcess): Promise<{ readonly path: string; readonly reply: Reply }> {
  const body = { name: 'Someone', email: `someone-${++made}@replica.example` }
  const reply = await server.call('POST', '/v2/customers', { body })
  expect(reply.status, reply.text).toBe(201)
  return { path: `/v2/customers/${dataOf(reply).id}`, reply }
}

const statusOf = async (server: ServerProcess, path: string, headers = {}): Promise<number> =>
  (await server.call('GET', path, { headers })).status

test('statements that a standby answers are counted by its name', async () => {
  const { path } = await create(one)
  const standbyOf = new URL(standby.url).host
  const counted = async () => {
    const { text } = await one.call('GET', '/metrics')
    const line = new RegExp(`^nounkit_store_node_statements_total\\{node="${standbyOf}"\\} (\\d+)$`, 'm')
    return Number(line.exec(text)?.[1] ?? 0)
  }
  const before = await counted()
  await until(
    async () => {
      expect(await statusOf(two, path)).toBeLessThan(500)
      expect(await statusOf(one, path)).toBe(200)
      return (await counted()) > before
    },
    { what: 'statements of the standby' },
  )
})

test('the console shows how far the standby is behind, and that it is not asked where that is too far', async () => {
  const operator = async ({ url }: ServerProcess, name: string) => {
    const browser = new OperatorBrowser({
      fetch: (path, init) => fetch(new URL(String(path), url), { redirect: 'manual', ...init }),
    })
    await browser.useLink(await new OperatorRing(primaryStore, systemClock).create(name))
    return browser
  }
  const health = async (browser: OperatorBrowser) =>
    /Replica <b>.*?<\/li>/s.exec((await browser.get('/console/today?of=this')).text)?.[0] ?? ''
  const [near, far] = [await operator(one, 'ada'), await operator(strict, 'grace')]
  const { host } = new URL(standby.url)
  expect(await health(near)).toContain(`Replica <b>${host}</b>`)
  expect(await health(near)).toMatch(/ behind/)
  await pause()
  await until(async () => (await health(far)).includes('too far to be asked'))
  expect(await health(near)).not.toContain('too far to be asked')
  await resume()
})

test('an account reads what it has written: in one process by itself, in another with Store-Position', async () => {
  await pause()
  const { path, reply } = await create(one)
  const position = String(reply.headers['store-position'])
  expect(position).toMatch(/^\d+$/)
  // Without the header the other process asks the standby, which does not have the row yet.
  await until(async () => (await statusOf(two, path)) === 404, { what: 'the standby answering' })
  expect(await statusOf(two, path, { 'store-position': position })).toBe(200)
  expect(await statusOf(two, path, { 'store-position': 'nonsense' })).toBe(200)
  expect(await statusOf(one, path)).toBe(200)
  const patched = await one.call('PATCH', path, {
    body: { name: 'Other' },
    headers: { 'content-type': 'application/merge-patch+json', 'if-match': '*' },
  })
  expect(Number(patched.headers['store-position'])).toBeGreaterThan(Number(position))
  expect(dataOf(await one.call('GET', path)).name).toBe('Other')
  await resume()
  await until(async () => (await statusOf(two, path)) === 200, { what: 'the standby having the row' })
})

test('a standby that is further behind than allowed is not asked', async () => {
  await pause()
  const { path } = await create(one)
  await until(async () => (await statusOf(two, path)) === 404)
  await until(async () => (await statusOf(strict, path)) === 200, { what: 'the standby being left out' })
  await resume()
})

test('a standby that is away is not asked, and one that is back is', async () => {
  const { path } = await create(one)
  await until(async () => (await statusOf(two, path)) === 200)
  await standby.halt('immediate')
  for (const server of [one, two, strict]) expect(await statusOf(server, path)).toBe(200)
  await standby.start()
  await until(() => pause())
  const later = await create(one)
  await until(async () => (await statusOf(two, later.path)) === 404, {
    what: 'the standby being asked again',
  })
  await resume()
})

test('a store that has no standbys is told before a port opens', async () => {
  const databaseUrl = await emptyDatabase('sqlite')
  const opening = openService({ declaration: shop, databaseUrl, readUrl: standby.url })
  await expect(opening).rejects.toThrow(/NOUNKIT_READ_URL names standbys of a PostgreSQL/)
})
