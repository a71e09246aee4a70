import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { shopContracts } from '../contract/openapi-shop.ts'
import { launchChromium } from '../support/chromium.ts'
import { type ListeningShop, listeningShop } from '../support/listening-shop.ts'
import { type Visitor, visit } from './visitor.ts'

let shop: ListeningShop
let browser: Browser
let visitor: Visitor

beforeAll(async () => {
  shop = await listeningShop({ contracts: await shopContracts() })
  browser = await launchChromium()
})
afterAll(async () => {
  await browser.close()
  await shop.close()
})

describe('the reference in a browser', () => {
  // One visitor for all: like a person's, its browser keeps the files that it has.
  beforeAll(async () => {
    visitor = await visit(browser, shop.server.url)
  })
  // A policy that blocks something, a missing file or a font from elsewhere would all stand here.
  afterEach(() => expect(visitor.faults).toEqual([]))
  afterAll(() => visitor.leave())

  it('opens at / with all resources of the newest version', async () => {
    await visitor.open('/')
    const { page } = visitor
    await page.getByRole('heading', { level: 1, name: 'The shop' }).waitFor()
    for (const name of ['customers', 'products', 'orders', 'order-items', 'payments', 'refunds'])
      await page.getByRole('link', { name, exact: true }).first().waitFor()
  })

  it('switches to the older version, which says that it goes and where to read on', async () => {
    await visitor.open('/docs')
    const { page } = visitor
    await page.getByRole('navigation', { name: 'Versions' }).getByRole('link', { name: /v1/ }).click()
    await page.waitForURL('**/docs/v1')
    await page.getByRole('link', { name: 'clients', exact: true }).first().waitFor()
    const notice = page.getByRole('note')
    expect(await notice.textContent()).toMatch(/v1 is deprecated.*2026-12-31/)
    await notice.getByRole('link', { name: 'the migration guide' }).click()
    await page.getByRole('heading', { level: 1, name: 'Moving from v1 to v2' }).waitFor()
  })

  it('sends a request with a pasted key and shows what came back', async () => {
    await visitor.open('/docs#tag/customers/GET/customers')
    const { page } = visitor
    await page
      .getByRole('button', { name: /Test Request/ })
      .locator('visible=true')
      .first()
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByPlaceholder('Token').fill(shop.key)
    const answered = page.waitForResponse((response) => response.url().includes('/v2/customers'))
    await dialog.getByRole('button', { name: /Send/ }).first().click()
    const response = await answered
    expect(response.status()).toBe(200)
    expect(response.request().headers().authorization).toBe(`Bearer ${shop.key}`)
    await dialog.getByText('200 OK').first().waitFor()
    await dialog.getByText('Ada Lindqvist').first().waitFor()
  })

  it('shows samples in curl and in TypeScript', async () => {
    await visitor.open('/docs#tag/orders/POST/orders')
    const { page } = visitor
    const sample = page.locator('section, div').filter({ hasText: 'curl -X POST "$API/v2/orders"' }).last()
    await sample.waitFor()
    await page.getByRole('button', { name: 'curl' }).locator('visible=true').first().click()
    await page
      .getByRole('option', { name: /TypeScript/ })
      .first()
      .click()
    await page
      .getByText(/await fetch\(.+\/v2\/orders/)
      .first()
      .waitFor()
  })
})

it.each(['light', 'dark'] as const)(
  'the reference can be used by everyone in %s mode, also while a request is tried',
  async (colorScheme) => {
    visitor = await visit(browser, shop.server.url, { colorScheme })
    const { page } = visitor
    await visitor.open('/docs/v1#tag/orders/GET/orders')
    const button = page
      .getByRole('button', { name: /Test Request/ })
      .locator('visible=true')
      .first()
    await button.waitFor()
    expect(await visitor.barriers()).toEqual([])
    await button.click()
    await page.getByRole('dialog').getByPlaceholder('Token').waitFor()
    expect(await visitor.barriers()).toEqual([])
    expect(visitor.faults).toEqual([])
    await visitor.leave()
  },
)

it('the reference fits a phone', async () => {
  visitor = await visit(browser, shop.server.url, { viewport: { width: 390, height: 844 } })
  await visitor.open('/docs/v1')
  await visitor.page.getByRole('heading', { level: 1, name: 'The shop' }).waitFor()
  expect(await visitor.overhang()).toBeLessThanOrEqual(0)
  expect(visitor.faults).toEqual([])
  await visitor.leave()
})

it('without scripts, every operation can still be read', async () => {
  visitor = await visit(browser, shop.server.url, { javaScriptEnabled: false })
  await visitor.open('/docs')
  const { page } = visitor
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('The shop v2')
  const operation = page.locator('details', { hasText: '/v2/orders/{id}/items' }).first()
  await operation.locator('summary').click()
  expect(await operation.locator('pre').first().isVisible()).toBe(true)
  expect(await operation.locator('pre').first().textContent()).toContain('curl')
  await visitor.leave()
})
