import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { api, belongsTo, hasMany, renameField, resource, version } from 'nounkit'
import { openService, type Service } from 'nounkit/server'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { KeyRing } from '../../src/guard/key-ring.ts'
import { openStore } from '../../src/store/open.ts'
import { whenOver } from '../support/clean-up.ts'
import { StreamReader } from '../support/event-source.ts'
import { hosts } from '../support/host-servers.ts'
import { describeStores } from '../support/stores.ts'

const shelves = resource('shelves', {
  fields: { name: z.string().max(50) },
  relations: { books: hasMany('books') },
  include: ['books'],
})
const books = resource('books', {
  fields: { title: z.string().max(50) },
  relations: { shelf: belongsTo(shelves) },
  limits: { includeRows: 2 },
})
const library = api('library', {
  resources: [shelves, books],
  events: { keepDays: 7 },
  limits: { includeRows: 2 },
  versions: [
    version('v2', { published: '2026-02-01' }),
    version('v1', {
      published: '2026-01-01',
      deprecated: '2026-02-01',
      sunset: '2036-01-01',
      changes: [renameField('books', 'name', 'title')],
    }),
  ],
})

const open = async (database: string, more = {}): Promise<Service<typeof library>> => {
  const service = await openService(library, { database, ...more })
  whenOver(() => service.close())
  return service
}
const newKey = async (database: string): Promise<string> => {
  const store = await openStore(database)
  const { secret } = await new KeyRing(store).create({ account: 'acme', name: `key ${Math.random()}` })
  await store.close()
  return secret
}
const sqliteUrl = (): string => `sqlite:${join(mkdtempSync(join(tmpdir(), 'nounkit-mounted-')), 'x.db')}`

type Send = (path: string, init?: RequestInit) => Promise<Response>
interface Body {
  readonly data: {
    readonly id: string
    readonly url: string
    readonly docs: string
    readonly openapi: string
    readonly collections: object
    readonly books: { readonly page: { readonly next: string } }
  }
}

/** What holds wherever the service is mounted. */
async function behaves(send: Send, key: string): Promise<void> {
  const auth = { authorization: `Bearer ${key}` }
  const call = (method: string, path: string, body?: object, more = {}) =>
    send(path, {
      method,
      headers: { ...auth, ...(body && { 'content-type': 'application/json' }), ...more },
      ...(body && { body: JSON.stringify(body) }),
    })
  const read = async (path: string) => (await (await call('GET', path)).json()) as Body

  // Rows, and every URL that an answer has.
  const made = await call('POST', '/api/v2/shelves', { name: 'Poems' }, { 'idempotency-key': 'one' })
  expect(made.status, await made.clone().text()).toBe(201)
  const { id } = ((await made.json()) as Body).data
  const place = made.headers.get('location') ?? ''
  expect(place).toBe(`/api/v2/shelves/${id}`)
  const again = await call('POST', '/api/v2/shelves', { name: 'Poems' }, { 'idempotency-key': 'one' })
  expect([again.headers.get('idempotent-replayed'), again.headers.get('location')]).toEqual(['true', place])
  for (const title of ['a', 'b', 'c'])
    expect((await call('POST', `${place}/books`, { title })).status).toBe(201)
  const { next } = (await read(`${place}?include=books`)).data.books.page
  expect(next).toMatch(/^\/api\/v2\/shelves\//)
  const rest = await call('GET', next)
  expect(((await rest.json()) as { data: object[] }).data).toMatchObject([{ title: 'c' }])
  const page = await call('GET', '/api/v2/books?limit=1')
  const [, following = ''] = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '') ?? []
  expect(following).toMatch(/^\/api\/v2\/books\?/)
  expect((await call('GET', following)).status).toBe(200)
  const old = (await call('GET', '/api/v1/books?limit=1')).headers.get('link') ?? ''
  expect([...old.matchAll(/<([^>]+)>/g)].map(([, url = '']) => url.replace(/\?.*/, ''))).toEqual([
    '/api/v1/books',
    '/api/v2/books',
    '/api/docs/migrations/v1-to-v2',
    '/api/docs/versions',
  ])

  // Indexes, documents and pages.
  const root = await read('/api')
  expect(root.data.docs).toBe('/api/docs')
  const index = await read('/api/v2')
  expect([index.data.url, index.data.openapi, index.data.collections]).toEqual([
    '/api/v2',
    '/api/v2/openapi.json',
    {
      shelves: '/api/v2/shelves',
      books: '/api/v2/books',
      events: '/api/v2/events',
      'webhook-endpoints': '/api/v2/webhook-endpoints',
    },
  ])
  const document = (await (await send('/api/v2/openapi.json')).json()) as { servers: unknown }
  expect(document.servers).toEqual([{ url: '/api/v2' }])
  expect(JSON.stringify(document)).toContain('"/api/problems/not-found"')
  expect(JSON.stringify(document).match(/.{60}"\/(?:problems|docs|v\d)\b.{30}/g)).toBe(null)
  const problems = await (await send('/api/problems', { headers: { accept: 'application/json' } })).text()
  expect(problems.match(/.{60}"\/(?:problems|docs|v\d)\b.{30}/g)).toBe(null)
  for (const path of [
    '/api/docs',
    '/api/docs/model',
    '/api/docs/versions',
    '/api/problems',
    '/api/docs/migrations/v1-to-v2',
  ]) {
    const html = await (await send(path, { headers: { accept: 'text/html' } })).text()
    const links = [...html.matchAll(/ (?:href|src|action|data-document|data-renderer)="([^"#]+)/g)].map(
      ([, url = '']) => url,
    )
    expect(links.length).toBeGreaterThan(3)
    expect(links.filter((url) => url.startsWith('/') && !url.startsWith('/api/'))).toEqual([])
    for (const url of new Set(links.filter((one) => one.startsWith('/api/'))))
      expect([url, (await send(url, { headers: { accept: '*/*' } })).status]).toEqual([url, 200])
  }

  // Refusals.
  const missing = await call('GET', '/api/v2/shelfs')
  expect(await missing.json()).toMatchObject({
    status: 404,
    type: '/api/problems/not-found',
    detail: expect.stringContaining('/api/v2/shelves'),
  })
  const large = await call('POST', '/api/v2/shelves', { name: 'x'.repeat(2_000_000) })
  expect([large.status, ((await large.json()) as { type: string }).type]).toEqual([
    413,
    '/api/problems/body-too-large',
  ])
  expect((await send('/api/v2/shelves')).status).toBe(401)
  const head = await call('HEAD', place)
  expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([
    200,
    '',
    made.headers.get('etag'),
  ])

  // Events, as they happen.
  const streamed = await call('GET', '/api/v2/events', undefined, { accept: 'text/event-stream' })
  const stream = await new StreamReader(streamed).opened()
  await call('PATCH', place, { name: 'Plays' })
  expect((await stream.take(1))[0]?.type).toBe('shelves.updated')
  await stream.cancel()
}

describeStores('a mounted service', (store) => {
  test('answers fetch as it is served', async () => {
    const url = await store.url()
    const service = await open(url, { prefix: '/api', rate: 'off' })
    await behaves(
      (path, init) => service.fetch(new Request(new URL(path, 'http://localhost'), init)),
      await newKey(url),
    )
  })
})

describe('a service on SQLite', () => {
  test.each(Object.keys(hosts))('is mounted in %s, beside routes of the host', async (name) => {
    const database = sqliteUrl()
    const service = await open(database, { prefix: '/api', rate: 'off' })
    const host = await hosts[name]?.(service as Service)
    await behaves((path, init) => fetch(host + path, init), await newKey(database))
    expect(await (await fetch(`${host}/hello`)).text()).toBe('hello')
  })

  test('listens on a port of its own below its prefix, and anything else is its 404', async () => {
    const database = sqliteUrl()
    const service = await open(database, { prefix: '/api', rate: 'off' })
    const { url } = await service.listen({ port: 0 })
    const origin = new URL(url).origin
    expect(url).toBe(`${origin}/api`)
    await behaves((path, init) => fetch(origin + path, init), await newKey(database))
    const elsewhere = await fetch(`${origin}/v2/shelves`)
    expect(await elsewhere.json()).toMatchObject({
      status: 404,
      type: '/api/problems/not-found',
      detail: 'There is nothing at this path. This service is at /api.',
    })
  })

  test('tells what is its own', async () => {
    const below = await open(sqliteUrl(), { prefix: '/api' })
    const own = (service: Service<typeof library>) => (url: URL | string) => service.owns(url)
    expect(
      ['/api', '/api/', '/api/x?y', new URL('http://x.example/api/v1'), 'http://x.example/api'].map(
        own(below),
      ),
    ).toEqual(Array(5).fill(true))
    expect(['/', '/apiv2', '/v2', new URL('http://x.example/'), 'nonsense', ''].map(own(below))).toEqual(
      Array(6).fill(false),
    )
    const alone = await open(sqliteUrl())
    expect(['/', '/v1/books', '/v2', '/docs/versions', '/problems', '/livez'].map(own(alone))).toEqual(
      Array(6).fill(true),
    )
    expect(['/v3', '/books', '/hello', '/docsx'].map(own(alone))).toEqual(Array(4).fill(false))
  })

  test('serves two APIs in one process side by side, and leaves the process alone', async () => {
    const listeners = () => process.eventNames().map((event) => [event, process.listenerCount(event)])
    const before = listeners()
    const [first, second] = [sqliteUrl(), sqliteUrl()]
    const one = await open(first, { prefix: '/one' })
    const two = await open(second, { prefix: '/two', corsOrigins: 'https://two.example' })
    await one.as({ account: 'acme' }).shelves.create({ name: 'Ours' })
    expect((await two.as({ account: 'acme' }).shelves.list()).data).toEqual([])
    const allowed = async (service: typeof one, path: string) =>
      (
        await service.fetch(
          new Request(`http://x.example${path}`, { headers: { origin: 'https://two.example' } }),
        )
      ).headers.get('access-control-allow-origin')
    expect([await allowed(one, '/one'), await allowed(two, '/two')]).toEqual([null, 'https://two.example'])
    await one.close()
    expect((await two.as({ account: 'acme' }).shelves.list()).data).toEqual([])
    expect(listeners()).toEqual(before)
  })

  test('acts as a caller in the same process: scopes, rules and validation hold', async () => {
    const service = await open(sqliteUrl())
    const acme = service.as({ account: 'acme' })
    const shelf = await acme.shelves.create({ name: 'Poems' })
    expect((await service.as({ account: 'globex' }).shelves.list()).data).toEqual([])
    const reader = service.as({ account: 'acme', scopes: ['shelves:read'] })
    expect((await reader.shelves.get(shelf.id)).name).toBe('Poems')
    await expect(reader.shelves.create({ name: 'x' })).rejects.toMatchObject({ status: 403 })
    await expect(acme.shelves.create({ name: 'x'.repeat(51) })).rejects.toMatchObject({ status: 422 })
    expect(() => service.as({})).toThrow("as() needs an account: as({ account: 'acme' })")
    expect(() => service.as({ account: '\n' })).toThrow('cannot be the name of a caller')
    // Nothing that is sent says who calls.
    const posing = await service.fetch(
      new Request('http://x.example/v2/shelves', { headers: { caller: 'acme' } }),
    )
    expect(posing.status).toBe(401)
  })

  test('close ends streams and finishes requests; afterwards 503; and it may be called twice', async () => {
    const database = sqliteUrl()
    const service = await open(database)
    const { url } = await service.listen({ port: 0 })
    const headers = { authorization: `Bearer ${await newKey(database)}`, accept: 'text/event-stream' }
    const ask = () => service.fetch(new Request('http://x.example/v2/events', { headers }))
    const streams = [await ask(), await fetch(`${url}/v2/events`, { headers })]
    const readers = await Promise.all(streams.map((one) => new StreamReader(one).opened()))
    await Promise.all([service.close(), service.close()])
    expect(await Promise.all(readers.map((reader) => reader.rest()))).toEqual([[], []])
    const late = await ask()
    expect([late.status, await late.json()]).toMatchObject([503, { type: '/problems/shutting-down' }])
    await expect(fetch(url)).rejects.toThrow()
    await expect(service.listen({ port: 0 })).rejects.toThrow('The service was closed.')
  })

  test('a body that has no end is cut at the limit, and one that breaks off is 400', async () => {
    const database = sqliteUrl()
    const service = await open(database)
    const authorization = `Bearer ${await newKey(database)}`
    let sent = 0
    let cancelled = false
    const send = (body: ReadableStream) =>
      service.fetch(
        new Request('http://x.example/v2/shelves', {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body,
          duplex: 'half',
        } as RequestInit),
      )
    const endless = new ReadableStream({
      pull(controller) {
        sent += 65_536
        controller.enqueue(new Uint8Array(65_536))
      },
      cancel() {
        cancelled = true
      },
    })
    expect([(await send(endless)).status, cancelled, sent < 2_000_000]).toEqual([413, true, true])
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"name"'))
        controller.error(new Error('gone'))
      },
    })
    expect((await send(broken)).status).toBe(400)
  })

  test.each<[string, object, string]>([
    [
      'a prefix that ends in a slash',
      { prefix: '/api/' },
      'prefix is "/api/". Write a path that begins with a slash',
    ],
    ['one without a slash', { prefix: 'api' }, 'prefix is "api".'],
    ['one with dots', { prefix: '/a/../b' }, 'prefix is "/a/../b".'],
    [
      'one with a version',
      { prefix: '/api/v1' },
      'which has a version in it. Leave it out: every path below the prefix begins with its version, as in /api/v1.',
    ],
    ['a wrong rate', { rate: 'many' }, 'rate is "many".'],
    [
      'an origin with a path',
      { corsOrigins: 'https://a.example/x' },
      'corsOrigins: "https://a.example/x" is not an origin.',
    ],
    ['a mistyped setting', { databse: 'x' }, '"databse" is not a setting. Did you mean "database"?'],
    ['no database', { database: '' }, "database is missing. Write it like this: database: 'sqlite:shop.db'."],
  ])('names %s', async (_, settings, says) => {
    await expect(openService(library, { database: sqliteUrl(), ...settings })).rejects.toThrow(says)
  })
})
