import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blocksOf, markOf } from '../docs/markdown.ts'
import { launchChromium } from '../support/chromium.ts'
import type { ListeningShop } from '../support/listening-shop.ts'
import { pageOfOtherOrigin } from '../support/other-origin.ts'
import { startReverseProxy } from '../support/reverse-proxy.ts'
import type { TcpProxy } from '../support/tcp-proxy.ts'

let browser: Browser
/** The shop, whose pages are elsewhere. */
let shop: ListeningShop
/** Between the page and the shop: connections can be cut. */
let network: TcpProxy
/** An empty page of an origin that may call. */
let page: Page

beforeAll(async () => {
  browser = await launchChromium()
  ;({ page, shop, network } = await pageOfOtherOrigin(browser))
})
afterAll(() => browser.close())

/** Calls from the page, with all headers that a page may read. */
const call = (method: string, path: string, headers: object, body?: object) =>
  page.evaluate(
    async ([url, init]) => {
      const response = await fetch(url, init)
      return { status: response.status, headers: Object.fromEntries(response.headers) }
    },
    [
      `http://127.0.0.1:${network.port}${path}`,
      {
        method,
        headers: {
          Authorization: `Bearer ${shop.key}`,
          ...(body && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
      },
    ] as const,
  )

const newCustomer = async (name: string): Promise<void> => {
  const answer = await shop.api.fetch('/v2/customers', {
    method: 'POST',
    headers: { Authorization: `Bearer ${shop.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name, email: `${name}@example.com` }),
  })
  expect(answer.status, await answer.text()).toBe(201)
}

test('a page of another origin creates once, changes what it has seen, and reads what the headers say', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const key = { 'Idempotency-Key': 'page-1', traceparent }
  const body = { name: 'Ada', email: 'ada@example.com' }
  const made = await call('POST', '/v2/customers', key, body)
  expect(made).toMatchObject({
    status: 201,
    headers: { location: expect.any(String), etag: expect.any(String), 'x-request-id': expect.any(String) },
  })
  const path = String(made.headers.location)
  const again = await call('POST', '/v2/customers', key, body)
  expect(again).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true', location: path } })
  const etag = String(made.headers.etag)
  expect((await call('GET', path, { 'If-None-Match': etag })).status).toBe(304)
  expect((await call('PATCH', path, { 'If-Match': etag }, { name: 'Ada L.' })).status).toBe(200)
  expect((await call('PATCH', path, { 'If-Match': etag }, { name: 'Ada B.' })).status).toBe(412)
  expect((await call('GET', '/v1/customers?limit=1', {})).headers).toMatchObject({
    deprecation: expect.any(String),
    sunset: expect.any(String),
    link: expect.any(String),
  })
})

test('the function that the guide shows follows events from another origin, and goes on where its connection was lost', async () => {
  const block = blocksOf('docs/how-to/follow-what-happens.md').find(
    (one) => markOf(one, 'file') === 'follow-in-a-page.mjs',
  )
  if (!block) throw new Error('docs/how-to/follow-what-happens.md shows no follow-in-a-page.mjs')
  await page.addScriptTag({ content: block.text.replace('export async function', 'async function') })
  const path = '/v2/events?filter[type]=customers.created'
  const followed = { url: `http://127.0.0.1:${network.port}${path}`, key: shop.key }
  await page.evaluate(`{
    globalThis.names = []
    globalThis.requests = []
    const realFetch = fetch
    globalThis.fetch = (url, init) => {
      requests.push(init.headers['Last-Event-ID'] ?? null)
      return realFetch(url, init)
    }
    globalThis.stop = new AbortController()
    globalThis.following = follow(${JSON.stringify(followed.url)}, {
      token: async () => ${JSON.stringify(followed.key)},
      onEvent: (event) => names.push(event.data.name),
      signal: stop.signal,
    })
    null
  }`)
  const has = (names: number) => page.waitForFunction(`names.length >= ${names}`)
  await expect.poll(streams, { timeout: 60_000 }).toBe(1)
  await newCustomer('one')
  await has(1)
  network.cut()
  await newCustomer('two')
  await newCustomer('three')
  await has(3)
  expect(await page.evaluate('names')).toEqual(['one', 'two', 'three'])
  expect(await page.evaluate('requests')).toEqual([null, expect.any(String)])
  await page.evaluate('stop.abort(); following')
  await expect.poll(streams, { timeout: 60_000 }).toBe(0)
})

test('an EventSource of another origin, to which a proxy adds the key, goes on by itself', async () => {
  const proxy = await startReverseProxy(shop.server.url, shop.key)
  await page.evaluate(`{
    globalThis.opened = 0
    globalThis.heard = []
    const source = new EventSource('${proxy.url}/v2/events')
    source.addEventListener('open', () => opened++)
    source.addEventListener('customers.created', ({ data }) => heard.push(JSON.parse(data).data.name))
    globalThis.source = source
  }`)
  await page.waitForFunction('opened >= 1')
  await newCustomer('four')
  await page.waitForFunction('heard.length >= 1')
  proxy.cut()
  await newCustomer('five')
  await page.waitForFunction('heard.length >= 2')
  expect(await page.evaluate('heard')).toEqual(['four', 'five'])
  expect(proxy.requests.at(-1)?.['last-event-id']).toEqual(expect.any(String))
  await page.evaluate('source.close()')
})

const streams = async (): Promise<number> =>
  Number(/^nounkit_event_streams (\d+)/m.exec(await (await fetch(`${shop.server.url}/metrics`)).text())?.[1])
