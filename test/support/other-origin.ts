import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { whenOver } from './clean-up.ts'
import { type ListeningShop, listeningShop } from './listening-shop.ts'
import { shopContracts } from './serving.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

/** An empty page of another origin, from which the demo may be called, through a proxy that can cut connections. */
export async function pageOfOtherOrigin(
  browser: Browser,
): Promise<{ readonly page: Page; readonly shop: ListeningShop; readonly network: TcpProxy }> {
  const app = createServer((_, answer) =>
    answer.setHeader('Content-Type', 'text/html').end('<!doctype html>'),
  )
  app.listen(0, '127.0.0.1')
  await once(app, 'listening')
  whenOver(() => app.close())
  const origin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`
  const contracts = await shopContracts()
  const shop = await listeningShop({ contracts, declare: (one) => ({ ...one, cors: { origins: [origin] } }) })
  whenOver(() => shop.close())
  const network = await startTcpProxy({ host: '127.0.0.1', port: shop.port })
  const page = await browser.newPage()
  page.setDefaultTimeout(120_000)
  await page.goto(origin)
  return { page, shop, network }
}
