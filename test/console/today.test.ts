import { expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { explainStatement } from '../../src/console/today/explain-statement.ts'
import type { Figures } from '../../src/console/today/figures.ts'
import { durationBounds } from '../../src/console/today/figures.ts'
import { mergedFigures } from '../../src/console/today/merged-figures.ts'
import { quantile } from '../../src/console/today/quantiles.ts'
import { type TestApi, testApi } from '../../src/testing.ts'
import { dayMs, hourMs } from '../../src/times.ts'
import { whenOver } from '../support/clean-up.ts'
import { OperatorBrowser } from '../support/operator-browser.ts'
import { describeStores } from '../support/stores.ts'

const begin = Date.parse('2026-07-01T12:00:05Z')

describeStores('today in the console', (store) => {
  const twoProcesses = async ({ operator = 'ada' }: { readonly operator?: string | null } = {}) => {
    let now = begin
    const clock = { now: () => now }
    const databaseUrl = await store.url()
    const open = async (): Promise<TestApi> => {
      const served = await testApi(shop, { databaseUrl, clock })
      whenOver(() => served.close())
      return served
    }
    const [one, two] = [await open(), await open()]
    const ada =
      operator === null ? new OperatorBrowser(one) : await OperatorBrowser.signedIn(one, operator, clock)
    const wait = (ms: number): void => {
      now += ms
    }
    return { one, two, ada, wait, now: () => now }
  }
  const call = async (served: TestApi, key: string, path: string) => {
    const answer = await served.fetch(path, { headers: { authorization: `Bearer ${key}` } })
    return answer.headers.get('x-request-id') ?? ''
  }

  test('a process shows what it has counted, and what others have left in the store', async () => {
    const { one, two, ada, wait } = await twoProcesses()
    const key = await one.key('acme')
    for (let n = 0; n < 3; n++) await call(one, key, '/v2/customers')
    const alone = await ada.get('/console/today')
    expect(alone.text).toContain('nothing was heard of another one')
    await call(two, key, '/v2/customers')
    const missing = await call(two, key, '/v2/orders/nowhere')
    await two.service.figures.beat()
    wait(10_000)
    await one.service.figures.beat()
    const both = await ada.get('/console/today')
    expect(both.text).toContain('All processes')
    // Four lists of customers and one order that is not there; sign-in and pages of the console are requests too.
    expect(both.text).toMatch(/GET \/v2\/customers<\/code><\/td><td class="figure">4<\/td>/)
    expect(both.text).toMatch(
      /GET \/v2\/orders\/\{id\}<\/code><\/td><td class="figure">1<\/td><td class="figure">1<\/td>/,
    )
    const own = await ada.get('/console/today?of=this')
    expect(own.text).toMatch(/GET \/v2\/customers<\/code><\/td><td class="figure">3<\/td>/)
    expect(own.text).not.toContain('GET /v2/orders/{id}')
    for (const word of ['Requests a second', 'Time of a request', 'Transactions in a commit', 'Replays'])
      expect(own.text).toContain(word)
    expect(own.text).toMatch(/The store answered in [\d.]+ ms/)
    // What another process has refused is found by its id here.
    const found = await ada.get(`/console/requests?id=${missing}`)
    expect(found.text).toMatch(/GET \/v2\/orders\/\{id\}<\/code><\/td><td>404<\/td>/)
    expect(found.text).toMatch(/process \d+ on /)
    expect((await ada.get('/console/requests?status=failed')).text).toContain(missing)
    expect((await ada.get('/console/requests?account=globex&status=failed')).text).not.toContain(missing)
  })

  test('a process at rest writes nothing, and one that ends takes its row along', async () => {
    const { one, two, wait, now } = await twoProcesses({ operator: null })
    const key = await one.key('acme')
    const rows = () => one.service.figures.others()
    await call(two, key, '/v2/customers')
    await two.service.figures.beat()
    // Nobody can see it yet.
    expect(await rows()).toEqual([])
    await OperatorBrowser.signedIn(one, 'ada', { now })
    wait(60_000)
    await two.service.figures.beat()
    const [left] = await rows()
    expect(left?.at).toBe(now())
    wait(30 * 60_000)
    await two.service.figures.beat()
    expect((await rows()).map(({ at }) => at)).toEqual([left?.at])
    wait(31 * 60_000)
    expect(await rows()).toEqual([])
    await call(two, key, '/v2/customers')
    await two.service.figures.beat()
    expect((await rows()).map(({ at }) => at)).toEqual([now()])
    await two.service.figures.stop()
    expect(await rows()).toEqual([])
    // One that was killed leaves its row: the next one that has something to say deletes it after an hour.
    await call(one, key, '/v2/customers')
    await one.service.figures.beat()
    wait(hourMs)
    const count = 'SELECT count(*) FROM "nounkit_process_figures"'
    expect(await one.service.store.all(count, [], '')).toEqual([[1]])
    await call(two, key, '/v2/customers')
    await two.service.figures.beat()
    expect(await one.service.store.all(count, [], '')).toEqual([[1]])
  })

  test('a day begins at midnight', async () => {
    const { one, wait } = await twoProcesses()
    const key = await one.key('acme')
    await call(one, key, '/v2/customers')
    await one.service.figures.beat()
    wait(dayMs / 2)
    expect(one.service.figures.own().routes).toEqual([])
    await call(one, key, '/v2/customers')
    const [route] = one.service.figures.own().routes
    expect([route?.route, route?.buckets.reduce((sum, count) => sum + count, 0)]).toEqual(['/customers', 1])
  })

  test('the plan of a statement is shown, and the statement is not run', async () => {
    const { one, two, ada } = await twoProcesses()
    const secret = await one.key('acme')
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'Grace', email: 'grace@example.com' })
    await two.fetch('/v2/customers', {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': 'once-only-1' },
      body,
    })
    await two.service.figures.beat()
    const rowsIn = async (table: string) =>
      one.service.store.all(`SELECT count(*) FROM "${table}" WHERE "account_id" = 'acme'`, [], 'acme')
    const before = await rowsIn('nounkit_idempotency')
    const page = await ada.get('/console/today')
    const links = [...page.text.matchAll(/href="(\/console\/today\/plan\?[^"]+)"/g)].map(([, url = '']) =>
      url.replaceAll('&amp;', '&'),
    )
    expect(links.length).toBeGreaterThan(4)
    const plans = await Promise.all(links.map((url) => ada.get(url)))
    for (const plan of plans) expect([plan.status, plan.text.includes('gave no plan')]).toEqual([200, false])
    // Among them one that writes.
    expect(plans.some(({ text }) => /<code>[^<]*(Insert|INSERT)/i.test(text))).toBe(true)
    expect(await rowsIn('nounkit_idempotency')).toEqual(before)
    expect((await ada.get('/console/today/plan?statement=DELETE')).status).toBe(404)
    // What somebody has written into the table of the other processes' figures is still not run.
    for (const text of [
      'DELETE FROM "nounkit_idempotency"',
      'SELECT 1; COMMIT; DELETE FROM "nounkit_idempotency"; COMMIT; BEGIN',
      'SELECT 1) ; DROP TABLE "nounkit_idempotency" --',
    ])
      await explainStatement(one.service.store, text)
    expect(await rowsIn('nounkit_idempotency')).toEqual(before)
  })
})

test('the time of a share of the requests lies between the bounds of its bucket', () => {
  const buckets = durationBounds.map(() => 0).concat(0)
  expect(quantile(buckets, 0.5)).toBe(null)
  buckets[0] = 50
  buckets[3] = 50
  expect(quantile(buckets, 0.5)).toBe(1)
  expect(quantile(buckets, 0.75)).toBeCloseTo(7.5)
  expect(quantile(buckets, 0.99)).toBeGreaterThan(9)
  buckets[13] = 1_000
  // Beyond the last bound, nothing more is known.
  expect(quantile(buckets, 0.99)).toBe(10_000)
})

test('processes with no points in common add up to one row of sixty', () => {
  const now = begin
  const own = { since: 5, at: now, now: {}, points: [], routes: [], limited: [], statements: [] }
  const merged = mergedFigures([own as unknown as Figures], now)
  expect(merged.points.length).toBe(60)
  expect(merged.points.at(-1)?.at).toBe(Date.parse('2026-07-01T11:59:50Z'))
})
