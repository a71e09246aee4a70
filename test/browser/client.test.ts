import { join, resolve } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type shop from '../../examples/shop/api.ts'
import type { client, isProblem } from '../../src/client/nounkit-client.ts'
import { launchChromium } from '../support/chromium.ts'
import type { ListeningShop } from '../support/listening-shop.ts'
import { pageOfOtherOrigin } from '../support/other-origin.ts'
import type { TcpProxy } from '../support/tcp-proxy.ts'

// The client in a page of another origin, as a bundler makes it.

/** What the page has of the client. */
declare const nounkit: { readonly client: typeof client; readonly isProblem: typeof isProblem }

declare const document: { title: string }

let browser: Browser
let served: ListeningShop
/** Between the page and the shop: connections can be cut. */
let network: TcpProxy
let page: Page
let options: { readonly url: string; readonly key: string }

async function bundled(): Promise<string> {
  const input = join(resolve(import.meta.dirname, '../..'), 'src/client/nounkit-client.ts')
  const bundle = await rolldown({ input, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'iife', name: 'nounkit', minify: true })
  await bundle.close()
  return output[0].code
}

beforeAll(async () => {
  browser = await launchChromium()
  ;({ page, shop: served, network } = await pageOfOtherOrigin(browser))
  options = { url: `http://127.0.0.1:${network.port}`, key: served.key }
  await page.addScriptTag({ content: await bundled() })
})
afterAll(() => browser.close())

test('a page reads, creates, changes and includes, and is told what is wrong', async () => {
  const told = await page.evaluate(async (given) => {
    const api = nounkit.client<typeof shop>(given)
    const ada = await api.customers.create({ name: 'Ada', email: 'ada@browser.example' })
    const order = await api.orders.create({ customer_id: ada.id, currency: 'EUR' })
    const notes: (string | null)[] = []
    await api.orders.update(order, { note: 'first' })
    const late = await api.orders.update(order, { note: 'late' }).catch((error: unknown) => error)
    for await (const row of api.orders.list({ filter: { customer_id: ada.id }, limit: 1 }))
      notes.push(row.note)
    const { customer } = await api.orders.get(order.id, { include: ['customer'] })
    await api.orders.delete(order.id)
    const isLate = nounkit.isProblem(late, 'precondition-failed')
    return { name: customer.name, notes, isLate, gone: await api.orders.find(order.id) }
  }, options)
  expect(told).toEqual({ name: 'Ada', notes: ['first'], isLate: true, gone: null })
})

test('a page follows what happens, over a connection that is cut', async () => {
  const followed = page.evaluate(async (given) => {
    const api = nounkit.client<typeof shop>(given)
    const ended = new AbortController()
    const seen: string[] = []
    await api.customers.create({ name: 'One', email: 'one@browser.example' })
    const filter = { type: 'customers.updated' } as const
    const { page: last } = await api.events.list({ filter, limit: 100 })
    if (last.next_cursor === null) throw new Error('The list of events has no cursor.')
    document.title = 'following'
    const { signal } = ended
    for await (const event of api.events.follow({ filter, from: last.next_cursor, signal })) {
      if (event.type === 'customers.updated') seen.push(event.data.name)
      document.title = `seen ${seen.length}`
      if (seen.length === 2) ended.abort()
    }
    return seen
  }, options)
  followed.catch(() => {})
  await page.waitForFunction(() => document.title === 'following')
  const change = (name: string) =>
    page.evaluate(
      async ([given, text]) => {
        const api = nounkit.client<typeof shop>(given)
        const { data } = await api.customers.list({ filter: { email: 'one@browser.example' } })
        const [row] = data
        if (row) await api.customers.update(row.id, { name: text })
      },
      [options, name] as const,
    )
  await change('Two')
  await page.waitForFunction(() => document.title === 'seen 1')
  network.cut()
  await change('Three')
  expect(await followed).toEqual(['Two', 'Three'])
})
