import { afterAll, beforeAll, expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import type { ApiDeclaration } from '../../src/declare/api.ts'
import { openRates, type Rates } from '../../src/guard/rate-settings.ts'
import { type RedisServer, startRedis } from '../support/redis-server.ts'

let redis: RedisServer
const opened: Rates[] = []
const warnings: string[] = []

beforeAll(async () => {
  redis = await startRedis()
})
afterAll(async () => {
  for (const rates of opened) await rates.close()
  await redis.stop()
})

/** A process of its own, as far as Redis can tell. */
const openProcess = async (
  rate: string,
  whenAway: 'open' | 'closed' = 'open',
  declare: Partial<ApiDeclaration> = {},
) => {
  const rates = await openRates({
    model: compileApi({ ...shop, rateStoreAway: whenAway, ...declare }),
    rate,
    redisUrl: redis.url,
    warn: (message) => void warnings.push(message),
  })
  opened.push(rates)
  return rates.limiter
}
const of = (account: string, subject: string | null = null) => ({ account, subject })
const outcome = (taken: unknown) =>
  Promise.resolve(taken).then(
    (signals) => (signals === null ? 'uncounted' : 'counted'),
    (error) => error.status,
  )

test('two processes count one account together', async () => {
  const [one, two] = [await openProcess('0.1'), await openProcess('0.1')]
  expect(await outcome(one.take(of('together'), '192.0.2.1', null))).toBe('counted')
  expect(await outcome(two.take(of('together'), '192.0.2.1', null))).toBe(429)
  expect(await outcome(one.take(of('together'), '192.0.2.1', null))).toBe(429)
  expect(await outcome(two.take(of('another'), '192.0.2.1', null))).toBe('counted')
})

test('names that accounts, addresses and services choose do not meet', async () => {
  const limiter = await openProcess('0.1')
  const names = [
    '192.0.2.1',
    'acme',
    '{acme}:notes',
    'acme}:*',
    'account:acme',
    'address:192.0.2.1',
    '}',
    '%7D',
  ]
  for (const account of names)
    expect([account, await outcome(limiter.take(of(account), '192.0.2.1', null))]).toEqual([
      account,
      'counted',
    ])
  expect(await outcome(limiter.take(null, '192.0.2.1', null))).toBe('counted')
  expect(await outcome(limiter.take(null, '192.0.2.1', null))).toBe(429)
  const another = await openProcess('0.1', 'open', { name: 'another' })
  expect(await outcome(another.take(of('acme'), '192.0.2.1', null))).toBe('counted')
})

test('the signals are those of memory', async () => {
  const limiter = await openProcess('50')
  expect(await limiter.take(of('signals'), '192.0.2.1', null)).toEqual({
    policy: '"account";q=50;w=1',
    state: '"account";r=99;t=1',
  })
})

test('each further row of a list takes a token, all or none', async () => {
  const declared = { rate: { perSecond: 0.01, burst: 10 }, limits: { bulkRows: 10 } }
  const limiter = await openProcess('', 'open', declared)
  const more = (rows: number) => outcome(limiter.takeMore(of('list'), '192.0.2.1', null, rows))
  expect([await more(6), await more(5), await more(4), await more(1)]).toEqual([
    'counted',
    429,
    'counted',
    429,
  ])
})

test('a subject takes half of what its account may, and one that is called like a bucket takes from no other', async () => {
  const declared = { rate: { perSecond: 0.01, burst: 8 }, limits: { bulkRows: 8 } }
  const processes = [await openProcess('', 'open', declared), await openProcess('', 'open', declared)]
  let calls = 0
  const take = async (subject: string | null) => {
    const limiter = processes[calls++ % 2]
    return outcome(limiter?.take(of('people', subject), '192.0.2.1', null))
  }
  const taken = []
  for (const subject of ['mia', 'mia', 'mia', 'mia', 'mia', '*', 'mia:*', '}', '%7D', null])
    taken.push(await take(subject))
  expect(taken).toEqual([...Array(4).fill('counted'), 429, ...Array(4).fill('counted'), 429])
  const limiter = await openProcess('50')
  expect(await limiter.take(of('signals', 'mia'), '192.0.2.1', null)).toMatchObject({
    policy: '"account";q=50;w=1, "subject";q=25;w=1',
  })
})

test('what was used comes back with time', async () => {
  const limiter = await openProcess('2')
  const empty = async () => {
    while ((await outcome(limiter.take(of('refill'), '192.0.2.1', null))) !== 429);
  }
  await empty()
  await expect
    .poll(() => outcome(limiter.take(of('refill'), '192.0.2.1', null)), { timeout: 60_000, interval: 100 })
    .toBe('counted')
})

test('while Redis does not answer, calls go through uncounted or are refused, as declared; one line is logged; counting resumes by itself', async () => {
  const open = await openProcess('1000')
  const closed = await openProcess('1000', 'closed')
  expect(await outcome(open.take(of('away'), '192.0.2.1', null))).toBe('counted')
  await redis.halt()
  warnings.length = 0
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => outcome(open.take(of('away'), '192.0.2.1', null))),
  )
  expect(new Set(outcomes)).toEqual(new Set(['uncounted']))
  expect(await outcome(closed.take(of('away'), '192.0.2.1', null))).toBe(503)
  expect(warnings.length).toBeGreaterThan(0)
  expect(warnings.length).toBeLessThan(2 * opened.length)
  await redis.start()
  await expect
    .poll(() => outcome(open.take(of('away'), '192.0.2.1', null)), { timeout: 60_000 })
    .toBe('counted')
  await expect
    .poll(() => outcome(closed.take(of('away'), '192.0.2.1', null)), { timeout: 60_000 })
    .toBe('counted')
})

test('a process starts while Redis does not answer', async () => {
  await redis.halt()
  const limiter = await openProcess('10')
  expect(await outcome(limiter.take(of('early'), '192.0.2.1', null))).toBe('uncounted')
  await redis.start()
  await expect
    .poll(() => outcome(limiter.take(of('early'), '192.0.2.1', null)), { timeout: 60_000 })
    .toBe('counted')
})
