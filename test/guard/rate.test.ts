import { parseList } from 'structured-headers'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { type ApiDeclaration, api } from '../../src/declare/api.ts'
import { resource } from '../../src/declare/resource.ts'
import { makeApiKey } from '../../src/guard/api-key.ts'
import { createBuckets } from '../../src/guard/buckets.ts'
import { createFailedAuthentication } from '../../src/guard/failed-authentication.ts'
import { createRateLimiter, type RateSignals } from '../../src/guard/rate.ts'
import { readRate } from '../../src/guard/rate-settings.ts'
import type { Problem } from '../../src/problems.ts'
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

  test('full buckets are the first to go', () => {
    const buckets = createBuckets(1_000)
    buckets.take('busy', { perSecond: 0.001, burst: 1 }, 0)
    for (let i = 0; i < 10_000; i++) buckets.take(`k${i}`, size, i * 50)
    expect(buckets.peek('busy', { perSecond: 0.001, burst: 1 }, 10_000)).toBeLessThan(0)
  })

  test('a flood of keys stays within bounds: the oldest are forgotten where none is full', () => {
    const slow = { perSecond: 0.001, burst: 1 }
    const buckets = createBuckets(1_000)
    const keys = Array.from({ length: 10_000 }, (_, i) => `k${i}`)
    for (const key of keys) buckets.take(key, slow, 0)
    const known = keys.filter((key) => buckets.peek(key, slow, 0) < 0)
    expect(known.length).toBeGreaterThan(800)
    expect(known.length).toBeLessThanOrEqual(1_000)
    expect(known.at(-1)).toBe('k9999')
  })
})

describe('wrong credentials', () => {
  const rate = { perSecond: 5, burst: 10 }
  const wrong = () => Promise.reject(new Error('wrong'))

  test('are counted per address, IPv6 per network, and forgiven over time', () => {
    let now = 0
    const failures = createFailedAuthentication(rate, () => now)
    for (let i = 0; i < 10; i++) failures.count('2001:db8:1:2::1')
    expect(() => failures.count('2001:db8:1:2:3:4:5:6')).toThrow(/too many others from this address/)
    expect(() => failures.count('2001:db8:1:3::1')).not.toThrow()
    expect(() => failures.count('192.0.2.1')).not.toThrow()
    now = 250
    expect(() => failures.count('2001:db8:1:2::1')).not.toThrow()
  })

  test('after too many of them, four of an address are checked at a time, in their order, and none is left out', async () => {
    const failures = createFailedAuthentication(rate, () => 0)
    for (let i = 0; i < 10; i++) failures.count('192.0.2.1')
    let [running, most] = [0, 0]
    const done: number[] = []
    const check = (address: string, n: number) =>
      failures.check(address, async () => {
        most = Math.max(most, ++running)
        await new Promise(setImmediate)
        running--
        if (n % 2 === 1) await wrong()
        done.push(n)
      })
    const all = Array.from({ length: 20 }, (_, n) => check('192.0.2.1', n))
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(
      all.map((_, n) => (n % 2 === 0 ? 'fulfilled' : 'rejected')),
    )
    expect([most, done]).toEqual([4, [0, 2, 4, 6, 8, 10, 12, 14, 16, 18]])
    // Those of another address do not wait for them.
    await Promise.allSettled(Array.from({ length: 20 }, (_, n) => check('192.0.2.2', n)))
    expect(most).toBe(20)
  })

  test('a hundred of an address wait at most, and those of others are not kept', async () => {
    const failures = createFailedAuthentication(rate, () => 0)
    for (let i = 0; i < 10; i++) failures.count('192.0.2.1')
    const { promise, resolve } = Promise.withResolvers<void>()
    const check = (address: string) => failures.check(address, () => promise)
    const all = Array.from({ length: 104 }, () => check('192.0.2.1'))
    expect(() => check('192.0.2.1')).toThrow(/too many wait/)
    all.push(check('192.0.2.2'))
    resolve()
    await Promise.all(all)
    await check('192.0.2.1')
  })

  test('a check that is made at once does not wait', () => {
    const failures = createFailedAuthentication(rate, () => 0)
    for (let i = 0; i < 10; i++) failures.count('192.0.2.1')
    for (let i = 0; i < 10; i++) {
      expect(failures.check('192.0.2.1', () => i)).toBe(i)
      const thrown = () =>
        failures.check('192.0.2.1', () => {
          throw new Error('wrong')
        })
      expect(thrown).toThrow('wrong')
    }
  })
})

const of = (account: string | null, subject: string | null = null) =>
  account === null ? null : { account, subject }

test('no account uses up what belongs to another, to a resource or to an address', () => {
  const rate = { perSecond: 0.1, burst: 1 }
  const notes = resource('notes', {
    shared: true,
    fields: { text: z.string() },
    rate,
    scopes: { read: 'public' },
  })
  const { head } = compileApi(api('diary', { resources: [notes], rate }))
  const limiter = createRateLimiter(rate, null)
  const outcome = (account: string | null, name: string | null): string | number => {
    try {
      return limiter.take(of(account), '192.0.2.1', (name && head.views.get(name)) || null)
        ? 'counted'
        : 'uncounted'
    } catch (error) {
      return (error as Problem).status
    }
  }
  // What an account could be called to reach the bucket of another.
  for (const account of [
    '{acme}:notes',
    '{acme}:*',
    'acme',
    'account notes acme',
    'address notes 192.0.2.1',
    '192.0.2.1',
  ])
    expect([account, outcome(account, null)]).toEqual([account, 'counted'])
  for (const account of ['globex', 'notes globex', 'account notes globex'])
    expect([account, outcome(account, 'notes')]).toEqual([account, 'counted'])
  expect([outcome(null, 'notes'), outcome(null, 'notes'), outcome('globex', null)]).toEqual([
    'counted',
    429,
    429,
  ])
})

test('calls without credentials are counted by network: an IPv6 customer has a whole /64', () => {
  const rate = { perSecond: 0.1, burst: 1 }
  const limiter = createRateLimiter(rate, null)
  const take = (address: string) => limiter.take(null, address, null)
  expect(take('2001:db8:1:2:3:4:5:6')).not.toBe(null)
  for (const address of ['2001:db8:1:2::1', '2001:0db8:0001:0002::9', '2001:DB8:1:2:ffff::'])
    expect(() => take(address), address).toThrow(/More than/)
  expect(take('2001:db8:1:3::1')).not.toBe(null)
  expect(take('2001:db8::1')).not.toBe(null)
  expect(() => take('2001:db8:0:0:5::')).toThrow(/More than/)
  expect(take('192.0.2.1')).not.toBe(null)
  expect(take('192.0.2.2')).not.toBe(null)
})

test('each further row of a list takes a token, all or none, and no more than a full bucket has', () => {
  const limiter = createRateLimiter({ perSecond: 0.01, burst: 10 }, null)
  const left = (account: string, rows: number) => {
    try {
      limiter.take(of(account), '192.0.2.1', null)
      const signals = rows > 1 ? limiter.takeMore(of(account), '192.0.2.1', null, rows - 1) : null
      return (signals as RateSignals | null)?.state ?? 'counted'
    } catch (error) {
      return (error as Problem).status
    }
  }
  expect(left('a', 6)).toContain('r=4')
  expect([left('a', 5), left('a', 3)]).toEqual([429, '"account";r=0;t=100'])
  expect([left('b', 100), left('b', 1)]).toEqual(['"account";r=0;t=100', 429])
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
  let served: TestApi
  afterEach(() => served.close())

  const open = async (rate: string | null, declare: Partial<ApiDeclaration> = {}) => {
    // A rate of none at all is the declared one.
    served = await testApi({ ...shop, ...declare }, { rate: rate ?? '' })
  }
  const call = (key: string, path = '/v2/products?limit=1') =>
    served.fetch(path, { headers: { Authorization: `Bearer ${key}` } })

  test('responses carry the policy and what remains; past its burst an account gets 429, and others do not', async () => {
    await open('0.1')
    const acme = await served.key('acme')
    const globex = await served.key('globex')
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
    expect((await call(await served.key('acme'))).status).toBe(200)
    expect((await call(await served.key('acme'))).status).toBe(429)
  })

  test('the default is 100 a second with a burst of 200', async () => {
    await open(null)
    const answer = await call(await served.key('acme'))
    expect(answer.headers.get('ratelimit-policy')).toBe('"account";q=100;w=1')
    expect(answer.headers.get('ratelimit')).toBe('"account";r=199;t=1')
  })

  test('a resource has its own rate beside the account, the same bucket in every version', async () => {
    const resources = shop.resources.map((one) =>
      one.name === 'products' ? { ...one, rate: { perSecond: 0.1, burst: 2 } } : one,
    )
    await open('1000', { resources })
    const key = await served.key('acme')
    const first = await call(key)
    expect(first.headers.get('ratelimit-policy')).toBe('"account";q=1000;w=1, "products";q=1;w=10')
    expect(first.headers.get('ratelimit')).toMatch(/^"account";r=\d+;t=1, "products";r=1;t=10$/)
    expect((await call(key, '/v1/products?limit=1')).status).toBe(200)
    const refused = await call(key)
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({ 'violated-policies': ['products'] })
    expect((await call(key, '/v2/customers?limit=1')).status).toBe(200)
  })

  test('a subject gets half of the rate of its account and of each resource, so that others get the rest', async () => {
    const notes = resource('notes', {
      shared: true,
      fields: { text: z.string() },
      rate: { perSecond: 0.01, burst: 4 },
    })
    const tags = resource('tags', { shared: true, fields: { text: z.string() } })
    const declared = api('clinic', {
      accounts: 'one',
      resources: [notes, tags],
      rate: { perSecond: 0.01, burst: 12 },
    })
    served = await testApi(declared, { rate: '' })
    const [mia, noa, robot] = [
      await served.key({ subject: 'mia' }),
      await served.key({ subject: 'noa' }),
      await served.key({}),
    ]
    const outcomes = async (key: string, path: string, calls: number) => {
      const all = []
      for (let n = 0; n < calls; n++) {
        const answer = await call(key, path)
        all.push(
          answer.status === 200
            ? 200
            : ((await answer.json()) as { 'violated-policies': unknown })['violated-policies'],
        )
      }
      return all
    }
    const first = await call(mia, '/v1/notes')
    expect([first.headers.get('ratelimit-policy'), first.headers.get('ratelimit')]).toEqual([
      '"account";q=1;w=100, "subject";q=1;w=200, "notes";q=1;w=100, "notes-subject";q=1;w=200',
      '"account";r=11;t=100, "subject";r=5;t=200, "notes";r=3;t=100, "notes-subject";r=1;t=200',
    ])
    expect(await outcomes(mia, '/v1/notes', 2)).toEqual([200, ['notes-subject']])
    expect(await outcomes(noa, '/v1/notes', 3)).toEqual([200, 200, ['notes']])
    expect(await outcomes(robot, '/v1/notes', 1)).toEqual([['notes']])
    expect(await outcomes(mia, '/v1/tags', 5)).toEqual([200, 200, 200, 200, ['subject']])
    // A caller without a subject is not bounded by one: it may take all that is left.
    expect(await outcomes(robot, '/v1/tags', 5)).toEqual([200, 200, 200, 200, ['account']])
  })

  test('off lifts all of it', async () => {
    await open('off')
    const key = await served.key('acme')
    const answer = await call(key)
    expect(answer.headers.has('ratelimit')).toBe(false)
    for (let i = 0; i < 60; i++) expect((await call(makeApiKey().secret)).status).toBe(401)
  })
})
