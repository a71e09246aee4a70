import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ApiDeclaration } from '../../src/declare/api.ts'
import { shopContracts } from '../contract/openapi-shop.ts'
import { launchChromium } from '../support/chromium.ts'
import { type ListeningShop, listeningShop } from '../support/listening-shop.ts'
import { type Visitor, visit } from './visitor.ts'

let shop: ListeningShop
let browser: Browser
let visitor: Visitor

beforeAll(async () => {
  const scopes = { 'orders:all': 'See every order.', 'orders:warehouse': 'See what one warehouse ships.' }
  const declare = (declaration: ApiDeclaration): ApiDeclaration => ({ ...declaration, scopes })
  shop = await listeningShop({ contracts: await shopContracts(), declare })
  browser = await launchChromium()
})
afterAll(async () => {
  await browser.close()
  await shop.close()
})

/** Follows an anchor of the page that is open, which loads nothing: each load of a reference takes seconds of processor time. */
const goTo = (anchor: string) => visitor.page.evaluate(`location.hash = '${anchor}'`)

const listOfOrders = 'tag/orders/GET/orders'
const desk = { width: 1280, height: 900 }

/** The words in tables that are on more than one line. */
const brokenWords = `[...document.querySelectorAll('th, td code')].filter((one) => {
  const range = document.createRange()
  range.selectNodeContents(one)
  const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
  return lines.size > 1 && !one.textContent.includes(' ')
}).map((one) => one.textContent)`

const testRequest = () =>
  visitor.page
    .getByRole('button', { name: /Test Request/ })
    .locator('visible=true')
    .first()

const nightly = process.env.NOUNKIT_NIGHTLY === '1'

describe('the reference in a browser', () => {
  // One visitor for all, who goes from one part of a page to the next and loads as few pages as possible.
  beforeAll(async () => {
    visitor = await visit(browser, shop.server.url, { viewport: desk })
    await visitor.open('/')
  })
  // A policy that blocks something, a missing file or a font from elsewhere would all stand here.
  afterEach(() => expect(visitor.faults).toEqual([]))
  afterAll(() => visitor.leave())

  it('opens at / with all resources of the newest version', async () => {
    const { page } = visitor
    await page.getByRole('heading', { level: 1, name: 'The shop' }).waitFor()
    for (const name of ['customers', 'products', 'orders', 'order-items', 'payments', 'refunds'])
      await page.getByRole('link', { name, exact: true }).first().waitFor()
  })

  it('lists sub-collections below all resources', async () => {
    const names = await visitor.page
      .locator('a[href^="#tag/"]')
      .evaluateAll((links) =>
        links.map((link) => (link as unknown as { hash: string }).hash.replace('#tag/', '')),
      )
    expect(names.indexOf('orders')).toBeGreaterThanOrEqual(0)
    expect(names.indexOf('orders-of-customers')).toBeGreaterThan(names.indexOf('events'))
  })

  it('breaks no word of its tables', async () => {
    const cells = visitor.page.locator('th, td code').filter({ hasText: /^(Scope|orders:\w+)$/ })
    await cells.last().waitFor()
    expect(await cells.allTextContents()).toEqual(['Scope', 'orders:all', 'orders:warehouse'])
    expect(await visitor.page.evaluate<string[]>(brokenWords)).toEqual([])
  })

  it('sends a request with a pasted key and shows what came back', async () => {
    await goTo('tag/customers/GET/customers')
    const { page } = visitor
    await testRequest().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByPlaceholder('Token').fill(shop.key)
    const answered = page.waitForResponse((response) => response.url().includes('/v2/customers'))
    await dialog.getByRole('button', { name: /Send/ }).first().click()
    const response = await answered
    expect(response.status()).toBe(200)
    expect(response.request().headers().authorization).toBe(`Bearer ${shop.key}`)
    await dialog.getByText('200 OK').first().waitFor()
    await dialog.getByText('Ada Lindqvist').first().waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
  })

  it('shows samples in curl and in TypeScript', async () => {
    await goTo('tag/orders/POST/orders')
    const { page } = visitor
    const sample = page.locator('section, div').filter({ hasText: 'curl -X POST "$API/v2/orders"' }).last()
    await sample.waitFor()
    await page.getByRole('button', { name: 'curl' }).locator('visible=true').first().click()
    await page
      .getByRole('option', { name: /TypeScript/ })
      .first()
      .click()
    await page
      .getByText(/api\.orders\./)
      .first()
      .waitFor()
  })

  it('switches to the older version, which says that it goes', async () => {
    const { page } = visitor
    await page.getByRole('navigation', { name: 'Versions' }).getByRole('link', { name: /v1/ }).click()
    await page.waitForURL('**/docs/v1')
    await page.getByRole('link', { name: 'clients', exact: true }).first().waitFor()
    expect(await page.getByRole('note').textContent()).toMatch(/v1 is deprecated.*2026-12-31/)
  })

  usableByEveryone('light', () => goTo(listOfOrders))

  it('leads from the older version to where to read on', async () => {
    const { page } = visitor
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByRole('note').getByRole('link', { name: 'the migration guide' }).click()
    await page.getByRole('heading', { level: 1, name: 'Moving from v1 to v2' }).waitFor()
  })

  usableByEveryone('dark', () => visitor.open(`/docs/v1#${listOfOrders}`))
})

/** Leaves the dialog of a request open. */
function usableByEveryone(colorScheme: 'light' | 'dark', open: () => Promise<unknown>): void {
  describe(`in ${colorScheme} mode`, () => {
    beforeAll(async () => {
      await visitor.page.emulateMedia({ colorScheme })
      await open()
    })

    it('fits a phone', async () => {
      const { page } = visitor
      await page.setViewportSize({ width: 390, height: 844 })
      await page.getByRole('heading', { level: 1, name: 'The shop' }).waitFor()
      expect(await visitor.overhang()).toBeLessThanOrEqual(0)
      await page.setViewportSize(desk)
    })

    // Only colours differ: the nightly form looks at these in dark, too.
    it.runIf(nightly || colorScheme === 'light')(
      'can be used by everyone, also while a request is tried',
      async () => {
        await testRequest().waitFor()
        expect(await visitor.page.locator('body').getAttribute('class')).toContain(`${colorScheme}-mode`)
        // Only the colours differ from one mode to the other.
        const rules = colorScheme === 'dark' ? { rules: ['color-contrast'] } : {}
        expect(await visitor.barriers(rules)).toEqual([])
        await testRequest().click()
        await visitor.page.getByRole('dialog').getByPlaceholder('Token').waitFor()
        expect(await visitor.barriers({ within: '[role=dialog]', ...rules })).toEqual([])
      },
    )
  })
}

it('without scripts, every operation can still be read', async () => {
  visitor = await visit(browser, shop.server.url, { javaScriptEnabled: false })
  await visitor.open('/docs')
  const { page } = visitor
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('The shop v2')
  const sample = page.locator('h3:has-text("POST /v2/orders/{id}/items") ~ pre').first()
  expect(await sample.isVisible()).toBe(true)
  expect(await sample.textContent()).toContain('curl')
  await visitor.leave()
})
