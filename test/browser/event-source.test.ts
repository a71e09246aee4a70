import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import desk from '../crash/desk/api.ts'
import { launchChromium } from '../support/chromium.ts'
import { startReverseProxy } from '../support/reverse-proxy.ts'
import { prepareApi, type ServerProcess } from '../support/server-process.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

/** An EventSource of a page, and what it has dispatched. */
async function openEventSource(page: Page, path: string) {
  await page.evaluate(`{
    globalThis.codes = []
    globalThis.opened = 0
    const source = new EventSource(${JSON.stringify(path)})
    source.addEventListener('open', () => opened++)
    source.addEventListener('orders.created', ({ data }) => codes.push(JSON.parse(data).data.code))
  }`)
  return {
    /** Resolves when it has connected so often, and has dispatched so many events. */
    has: (opened: number, events: number) =>
      page.waitForFunction(`opened >= ${opened} && codes.length >= ${events}`),
    codes: () => page.evaluate<string[]>('codes'),
  }
}

test("a browser's EventSource that loses its connection resumes by itself: nothing is lost, nothing comes twice", {
  timeout: 180_000,
}, async () => {
  const api = await prepareApi('sqlite', desk, 'test/crash/desk')
  let server: ServerProcess = await api.start()
  const proxy = await startReverseProxy(server.url, api.key)
  const page = await browser.newPage()
  page.setDefaultTimeout(120_000)
  await page.goto(proxy.url)
  const { next_cursor: start } = JSON.parse((await server.call('GET', '/v1/events')).text).page
  const source = await openEventSource(page, `/v1/events?cursor=${start}`)
  const made: string[] = []
  const create = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) {
      const code = `order ${made.length}`
      expect((await server.call('POST', '/v1/orders', { body: { code } })).status).toBe(201)
      made.push(code)
    }
  }

  // The first connection breaks before the first event.
  await source.has(1, 0)
  proxy.cut()
  await create(3)
  await source.has(2, 3)

  // It breaks between two events, one of which the browser may have seen.
  await create(5)
  proxy.cut()
  await create(5)
  await source.has(3, 13)

  // The server stops, is away for a while, and another one takes its place.
  await server.child.kill('SIGTERM')
  server = await api.start()
  await create(3)
  proxy.target = server.url
  await source.has(4, 16)

  expect(await source.codes()).toEqual(made)
  expect(proxy.requests[0]?.['last-event-id']).toBe(undefined)
  expect(proxy.requests.at(-1)?.['last-event-id']).toEqual(expect.any(String))
  await page.close()
})
