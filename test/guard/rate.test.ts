import { parseList } from 'structured-headers'
import { afterEach, describe, expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import type { ApiDeclaration } from '../../src/declare/api.ts'
import { makeApiKey } from '../../src/guard/api-key.ts'
import { createBuckets } from '../../src/guard/buckets.ts'
import { createFailedAuthentication } from '../../src/guard/failed-authentication.ts'
import { readRate } from '../../src/guard/rate-settings.ts'
import { type TestApi, testApi } from '../../src/testing.ts'

describe('a bucket', () => {
  const size = { perSecond: 10, burst: 20 }

  test('gives its burst at once, then its rate, and never more than its burst', () => {
    const buckets = createBuckets()
    const at = (now: number) => buckets.take('a', size, now)
    expect(Array.from({ length: 20 }, () => at(1_000))).toEqual(Array.from({ length: 20 }, (_, i) => 19 - i))
    expect(at(1_000)).toBeCloseTo(-100, 3)
    expect(at(1_099)).toBeLessThan(0)
    expect(at(1_100)).toBe(0)
    expect(at(1_100)).toBeLessThan(0)
    expect(at(999_999)).toBe(19)
  })

  test('peeking takes nothing', () => {
    const buckets = createBuckets()
    for (let i = 0; i < 100; i++) expect(buckets.peek('a', size, 0)).toBe(19)
    expect(buckets.size).toBe(0)
  })

  test('any schedule gets at most burst plus rate times time', () => {
    const buckets = createBuckets()
    let given = 0
    let now = 0
    for (let i = 0; i < 20_000; i++) {
      now += (i * 7919) % 13
      if (buckets.take('a', size, now) >= 0) given++
    }
    expect(given).toBeLessThanOrEqual(20 + (now / 1000) * 10)
    expect(given).toBeGreaterThan((now / 1000) * 10 - 1)
  })

  test('a flood of keys stays within bounds, and full buckets are the first to go', () => {
    const buckets = createBuckets(1_000)
    buckets.take('busy', { perSecond: 0.001, burst: 1 }, 0)
    for (let i = 0; i < 10_000; i++) buckets.take(`k${i}`, size, i * 50)
    expect(buckets.size).toBeLessThanOrEqual(1_000)
    expect(buckets.peek('busy', { perSecond: 0.001, burst: 1 }, 10_000)).toBeLessThan(0)
  })
})

test('wrong credentials are counted per address, IPv6 per network, and forgiven over time', () => {
  let now = 0
  const failures = createFailedAuthentication({ perSecond: 5, burst: 10 }, () => now)
  for (let i = 0; i < 10; i++) failures.count('2001:db8:1:2::1')
  expect(() => failures.refuseIfTooMany('2001:db8:1:2:3:4:5:6')).toThrow(/wrong credentials/)
  expect(() => failures.refuseIfTooMany('2001:db8:1:3::1')).not.toThrow()
  expect(() => failures.refuseIfTooMany('192.0.2.1')).not.toThrow()
  now = 250
  expect(() => failures.refuseIfTooMany('2001:db8:1:2::1')).not.toThrow()
})

test('NOUNKIT_RATE is a number or off, and a mistake is reported', () => {
  const declared = { perSecond: 100, burst: 200 }
  expect(readRate(undefined, declared)).toBe(declared)
  expect(readRate('', declared)).toBe(declared)
  expect(readRate('off', declared)).toBe(null)
  expect(readRate('5', declared)).toEqual({ perSecond: 5, burst: 10 })
  expect(readRate('0.5', declared)).toEqual({ perSecond: 0.5, burst: 1 })
  for (const wrong of ['0', '-1', 'many', 'NaN', 'Infinity'])
    expect(() => readRate(wrong, declared)).toThrow(/NOUNKIT_RATE/)
})

describe('over HTTP', () => {
  let api: TestApi
  afterEach(() => api.close())

  const open = async (rate: string | null, declare: Partial<ApiDeclaration> = {}) => {
    // A rate of none at all is the declared one.
    api = await testApi({ ...shop, ...declare }, { rate: rate ?? '' })
  }
  const call = (key: string, path = '/v2/products?limit=1') =>
    api.fetch(path, { headers: { Authorization: `Bearer ${key}` } })

  test('responses carry the policy and what remains; past its burst an account gets 429, and others do not', async () => {
    await open('0.1')
    const acme = await api.key('acme')
    const globex = await api.key('globex')
    const first = await call(acme)
    expect(first.status).toBe(200)
    expect(parseList(first.headers.get('ratelimit-policy') ?? '')).toEqual([
      [
        'account',
        new Map([
          ['q', 1],
          ['w', 10],
        ]),
      ],
    ])
    expect(parseList(first.headers.get('ratelimit') ?? '')).toEqual([
      [
        'account',
        new Map([
          ['r', 0],
          ['t', 10],
        ]),
      ],
    ])
    const refused = await call(acme)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toMatch(/^([1-9]|10)$/)
    expect(refused.headers.get('ratelimit')).toMatch(/^"account";r=0;t=\d+$/)
    expect(await refused.json()).toMatchObject({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      'violated-policies': ['account'],
    })
    expect((await call(globex)).status).toBe(200)
  })

  test('all keys of an account share its rate', async () => {
    await open('0.1')
    expect((await call(await api.key('acme'))).status).toBe(200)
    expect((await call(await api.key('acme'))).status).toBe(429)
  })

  test('the default is 100 a second with a burst of 200', async () => {
    await open(null)
    const answer = await call(await api.key('acme'))
    expect(answer.headers.get('ratelimit-policy')).toBe('"account";q=100;w=1')
    expect(answer.headers.get('ratelimit')).toBe('"account";r=199;t=1')
  })

  test('a resource has its own rate beside the account, the same bucket in every version', async () => {
    const resources = shop.resources.map((one) =>
      one.name === 'products' ? { ...one, rate: { perSecond: 0.1, burst: 2 } } : one,
    )
    await open('1000', { resources })
    const key = await api.key('acme')
    const first = await call(key)
    expect(first.headers.get('ratelimit-policy')).toBe('"account";q=1000;w=1, "products";q=1;w=10')
    expect(first.headers.get('ratelimit')).toMatch(/^"account";r=\d+;t=1, "products";r=1;t=10$/)
    expect((await call(key, '/v1/products?limit=1')).status).toBe(200)
    const refused = await call(key)
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({ 'violated-policies': ['products'] })
    expect((await call(key, '/v2/customers?limit=1')).status).toBe(200)
  })

  test('an address that fails too often is 429, a key that is known goes on working from there', async () => {
    await open('5')
    const good = await api.key('acme')
    expect((await call(good)).status).toBe(200)
    const statuses = []
    for (let i = 0; i < 30; i++) statuses.push((await call(makeApiKey().secret)).status)
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401))
    expect(statuses).toContain(429)
    expect((await call(good)).status).toBe(200)
  })

  test('off lifts all of it', async () => {
    await open('off')
    const key = await api.key('acme')
    const answer = await call(key)
    expect(answer.headers.has('ratelimit')).toBe(false)
    for (let i = 0; i < 60; i++) expect((await call(makeApiKey().secret)).status).toBe(401)
  })
})
