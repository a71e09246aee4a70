import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type shop from '../../examples/shop/api.ts'
import { CallError, type ClientOptions, client, ProblemError } from '../../src/client/nounkit-client.ts'
import type { ShopClient } from '../support/client-shop.ts'
import { type Fault, type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.ts'
import { until } from '../support/until.ts'

// What a client does with answers alone: there is no service behind the proxy, which gives every answer itself.

let proxy: FaultyProxy
beforeAll(async () => {
  proxy = await startFaultyProxy('http://127.0.0.1:9')
})
beforeEach(() => {
  // Pauses between tries have no length.
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const to = (options: Partial<ClientOptions<'v2'>> = {}): ShopClient =>
  client<typeof shop>({ url: proxy.url, version: 'v2', ...options })
const json = (status: number, body: object, headers = {}): Fault => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})
const refusal = (status: number, type = 'x'): Fault =>
  json(status, { type: `/problems/${type}`, title: 't', status, detail: 'd', instance: 'i' })
const page = (status: number, headers = {}): Fault => ({
  status,
  headers: { 'content-type': 'text/html', ...headers },
  body: '<html>',
})
const row = { id: '1', name: 'Ada' }
/** Nothing is left out of the list of keys, so all creates have one. */
const fine = ({ method, url }: { readonly method: string; readonly url: string }): Fault => {
  if (method === 'DELETE') return { status: 204 }
  if (url === '/v2') return json(200, { data: {} })
  return json(200, { data: row }, { etag: '"1"' })
}

/** How often the call was sent, where its first try ends so. */
async function triesAfter(fault: Fault, call: (api: ShopClient) => Promise<unknown>): Promise<number> {
  let sent = 0
  proxy.plan = (asked) => (asked.url === '/v2' || sent++ > 0 ? fine(asked) : fault)
  await call(to()).catch((error: unknown) => {
    if (!(error instanceof ProblemError || error instanceof CallError)) throw error
    expect(error.tries).toBe(sent)
  })
  return sent
}

const customer = { name: 'Ada', email: 'ada@example.com' }
const calls: { readonly [what: string]: (api: ShopClient) => Promise<unknown> } = {
  list: (api) => api.customers.list(),
  get: (api) => api.customers.get('1'),
  create: (api) => api.customers.create(customer),
  createMany: (api) => api.orderItems.createMany([]),
  replace: (api) => api.customers.replace('1', customer),
  delete: (api) => api.customers.delete('1'),
  update: (api) => api.customers.update('1', { name: 'Eve' }),
}
const passing = [408, 425, 429, 502, 503, 504]
const repeated: { readonly [what: string]: readonly number[] } = {
  list: [...passing, 500],
  get: [...passing, 500],
  create: [...passing, 500],
  createMany: [...passing, 500],
  replace: passing,
  delete: passing,
  update: [429, 503],
}
const statuses = [400, 401, 403, 404, 408, 409, 410, 412, 422, 425, 429, 500, 501, 502, 503, 504]

describe.each(Object.entries(calls))('%s', (what, call) => {
  test('is sent again after the statuses that pass, whoever answers with them', async () => {
    const again = async (answer: (status: number) => Fault) => {
      const found: number[] = []
      for (const status of statuses) if ((await triesAfter(answer(status), call)) === 2) found.push(status)
      return found
    }
    expect(await again(refusal)).toEqual(repeated[what]?.toSorted((a, b) => a - b))
    expect(await again(page)).toEqual(repeated[what]?.toSorted((a, b) => a - b))
  })

  test('is sent again over a lost connection, unless it may have been carried out and would be again', async () => {
    expect(await triesAfter('drop', call)).toBe(what === 'update' ? 1 : 2)
  })

  test('is sent again while its key is in use, if it has one', async () => {
    const inUse = refusal(409, 'idempotency-in-progress')
    expect(await triesAfter(inUse, call)).toBe(what.startsWith('create') ? 2 : 1)
  })
})

test('a change is sent again where nothing was sent, as Node, Bun and Deno say it', async () => {
  const refused = 'tcp connect error: Connection refused (os error 111)'
  const failures = [
    new TypeError('fetch failed', { cause: Object.assign(new Error(''), { code: 'ECONNREFUSED' }) }),
    Object.assign(new Error('Unable to connect.'), { code: 'ConnectionRefused' }),
    new TypeError('fetch failed', { cause: new Error(`client error (Connect): ${refused}`) }),
  ]
  proxy.plan = fine
  const send = async (url: string, init: RequestInit) => {
    const failure = failures.shift()
    if (failure) throw failure
    return fetch(url, init)
  }
  await to({ fetch: send }).customers.update('1', { name: 'Eve' })
  expect(failures).toEqual([])
})

test('a change of a row that was got alone is sent again like a replacement', async () => {
  for (const status of statuses) {
    proxy.plan = fine
    const api = to()
    const seen = await api.customers.get('1')
    proxy.next(refusal(status), json(200, { data: row }))
    const before = proxy.seen.length
    await api.customers.update(seen, { name: 'Eve' }).catch(() => {})
    expect(proxy.seen.slice(before).every(({ headers }) => headers['if-match'] === '"1"')).toBe(true)
    expect([status, proxy.seen.length - before]).toEqual([status, passing.includes(status) ? 2 : 1])
  }
})

test('a proxy is kept to as well where it says when to come back', async () => {
  proxy.next(page(503, { 'retry-after': '61' }))
  await expect(to().orders.list()).rejects.toMatchObject({ status: 503, retryAfter: 61, tries: 1 })
})

test('a call is tried again five times, unless said', async () => {
  proxy.plan = () => refusal(503)
  await expect(to().customers.get('1')).rejects.toMatchObject({ status: 503, tries: 6 })
})

test('every call takes a signal, and throws its reason', async () => {
  proxy.plan = () => 'hang'
  const forEach = async (rows: AsyncIterable<unknown>) => {
    for await (const _ of rows) throw new Error('There are no rows.')
  }
  const all: readonly ((api: ShopClient, options: { signal: AbortSignal }) => Promise<unknown>)[] = [
    (api, options) => api.customers.list(options),
    (api, options) => forEach(api.customers.list(options)),
    (api, options) => api.customers.get('1', options),
    (api, options) => api.customers.find('1', options),
    (api, options) => api.customers.create(customer, options),
    (api, options) => api.orderItems.createMany([], options),
    (api, options) => api.customers.update('1', {}, options),
    (api, options) => api.customers.replace('1', customer, options),
    (api, options) => api.customers.delete('1', options),
    (api, options) => api.orders.at('1').items.list(options),
  ]
  for (const call of all) {
    const controller = new AbortController()
    const before = proxy.seen.length
    // An AbortController has a signal, too, and nothing else of its own.
    const called = call(to(), controller)
    called.catch(() => {})
    await until(() => proxy.seen.length > before)
    controller.abort(new Error('too late'))
    await expect(called, String(call)).rejects.toThrow('too late')
  }
  // To follow ends without an error.
  const controller = new AbortController()
  const before = proxy.seen.length
  const followed = forEach(to().events.follow(controller))
  await until(() => proxy.seen.length > before)
  controller.abort()
  await followed
})

test('following goes on after 408, 429 and failures of the service, and ends with any other refusal', async () => {
  const passing = [408, 429, 500, 502, 503, 504]
  const answers = [...passing, 410]
  proxy.plan = () => refusal(answers.shift() ?? 400)
  const follow = async () => {
    for await (const _ of to().events.follow()) throw new Error('There are no events.')
  }
  await expect(follow()).rejects.toMatchObject({ status: 410 })
  expect(answers).toEqual([])
})

test('a url may have a path, where the API is mounted below one', async () => {
  proxy.plan = ({ url }) =>
    url === '/shop/api/'
      ? json(200, { data: { versions: [{ name: 'v3', status: 'current' }] } })
      : json(200, { data: row })
  await client<typeof shop>({ url: `${proxy.url}/shop/api/` }).customers.get('1')
  expect(proxy.seen.slice(-2).map(({ url }) => url)).toEqual(['/shop/api/', '/shop/api/v3/customers/1'])
})

test('one try has at most 20 seconds, and no more than what is left of the deadline', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout')
  proxy.plan = (asked) => (proxy.seen.length % 2 === 1 ? refusal(503) : fine(asked))
  await to().customers.get('1')
  await to({ deadline: 5_000 }).customers.get('1')
  const given = timeout.mock.calls.map(([ms]) => ms)
  expect(given.length).toBeGreaterThanOrEqual(2)
  expect(given[0]).toBe(20_000)
  expect(given.at(-1)).toBeLessThanOrEqual(5_000)
})

test('asking for the newest version ends with the signal and the deadline of the call', async () => {
  const all = client<typeof shop>({ url: proxy.url, deadline: 200 })
  proxy.plan = () => 'hang'
  const controller = new AbortController()
  const call = all.orders.list({ signal: controller.signal })
  controller.abort(new Error('too late'))
  await expect(call).rejects.toThrow('too late')
  await expect(all.orders.list()).rejects.toThrow(`GET ${proxy.url}/: no answer within`)
})

test('pauses are random, up to 100 ms at first and twice as long each time, up to 5 s', async () => {
  const { pauseMs } = await import('../../src/client/pauses.ts')
  vi.spyOn(Math, 'random').mockReturnValue(1)
  expect([1, 2, 3, 6, 7, 20].map((tries) => pauseMs(undefined, tries))).toEqual([
    100, 200, 400, 3_200, 5_000, 5_000,
  ])
})

test('what cannot be sent is told at once', async () => {
  const before = proxy.seen.length
  for (const url of ['', 'api.example.com', undefined as never])
    expect(() => client({ url })).toThrow('A url is like https://api.example.com.')
  expect(() => client({ url: proxy.url, key: 'nk_€' })).toThrow(
    'The url or the key of a client cannot be used',
  )
  const api = to()
  await expect(api.customers.create(customer, { idempotencyKey: '€' })).rejects.toThrow(TypeError)
  await expect(api.products.create({ price: 1n } as never)).rejects.toThrow('BigInt')
  expect(proxy.seen).toHaveLength(before)
})

test('an empty answer is only one to a delete', async () => {
  proxy.plan = () => ({ status: 204 })
  await to().customers.delete('1')
  await expect(to().customers.get('1')).rejects.toThrow('204 with no type, not an answer of the API')
})

test('a deprecated version is a line on the console, once, with its end and its guide', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  const headers = {
    deprecation: '@1767225600',
    sunset: 'Thu, 31 Dec 2026 23:59:59 GMT',
    link: '</docs/migrations/v1-to-v2>; rel="deprecation"; type="text/html"',
  }
  proxy.plan = () => json(200, { data: row }, headers)
  // On a page, the url may be a path; then the answer's is whole.
  const onPage = (path: string, init: RequestInit) => fetch(new URL(path, proxy.url), init)
  await to().customers.get('1')
  await to().customers.get('2')
  expect(warn.mock.calls).toEqual([
    [
      `v2 of the API is deprecated and ends on 2026-12-31. How to move on: ${proxy.url}/docs/migrations/v1-to-v2`,
    ],
  ])
  const { tellDeprecation } = await import('../../src/client/deprecation.ts')
  const told: unknown[] = []
  const target = '/api/v2/customers/1'
  tellDeprecation(target, await onPage(target, {}), '/api', (notice) => told.push(notice))
  expect(told).toEqual([
    { version: 'v2', sunset: '2026-12-31', guide: `${proxy.url}/docs/migrations/v1-to-v2` },
  ])
})

test('the text null is sent in quotes: without them it would be an unset value', async () => {
  proxy.plan = () => json(200, { data: [], page: { has_more: false } })
  await to().products.list({ filter: { sku: { in: ['null', 'a,b'], ne: 'null' } } })
  await to().customers.list({ filter: { referrer_id: null } })
  const queries = proxy.seen
    .slice(-2)
    .map(({ url }) => Object.fromEntries(new URL(url, proxy.url).searchParams))
  expect(queries).toEqual([
    { 'filter[sku][in]': '"null",a\\,b', 'filter[sku][ne]': '"null"' },
    { 'filter[referrer_id]': 'null' },
  ])
})
