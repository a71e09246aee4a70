import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { OperatorRing } from '../../src/console/operators/operator-ring.ts'
import { launchChromium } from '../support/chromium.ts'
import { type ListeningShop, listeningShop } from '../support/listening-shop.ts'
import { type Visitor, visit } from './visitor.ts'

const password = 'correct horse battery'

/** Pages and forms of the console, of a row that the test makes. */
const lookedAt = ['list/orders', 'row/orders/{id}', 'edit/orders/{id}', 'new/orders', 'delete/orders/{id}']

/** The nightly form does all of it without scripts as well. */
const nightly = process.env.NOUNKIT_NIGHTLY === '1'

describe.each([['with scripts', true] as const, ...(nightly ? [['without scripts', false] as const] : [])])(
  'the console %s',
  (_, javaScriptEnabled) => {
    let shop: ListeningShop
    let browser: Browser
    let visitor: Visitor
    let order: { readonly id: string }

    const call = async (method: string, path: string, body: object) => {
      const headers = {
        Authorization: `Bearer ${shop.key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': crypto.randomUUID(),
      }
      const answer = await shop.api.fetch(path, { method, headers, body: JSON.stringify(body) })
      return ((await answer.json()) as { data: { id: string } }).data
    }

    beforeAll(async () => {
      shop = await listeningShop()
      browser = await launchChromium()
      visitor = await visit(browser, shop.server.url, { javaScriptEnabled })
      const customer = await call('POST', '/v2/customers', {
        name: 'Grace Hopper',
        email: 'grace@example.com',
      })
      order = await call('POST', '/v2/orders', { customer_id: customer.id, currency: 'EUR', note: 'First' })
    })
    // Chromium writes of the page that shows a conflict, too.
    afterEach(() => expect(visitor.faults.filter((one) => !one.includes('409 (Conflict)'))).toEqual([]))
    afterAll(async () => {
      await browser.close()
      await shop.close()
    })

    it('an operator sets a password by the link, signs out, and signs in where the way led', async () => {
      const code = await new OperatorRing(shop.api.service.store, systemClock).create('ada')
      const { page } = visitor
      await visitor.open(`/console/welcome?code=${code}`)
      await page.getByLabel('New password').fill(password)
      await page.getByLabel('The same again').fill(password)
      await page.getByRole('button', { name: 'Set the password' }).click()
      await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
      await visitor.open('/console/data/list/customers?account=acme')
      await page.getByLabel('Name').fill('ada')
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { level: 1, name: 'customers' }).waitFor()
    })

    it('a row is found by search', async () => {
      const { page } = visitor
      await page.getByRole('searchbox', { name: 'Search' }).fill('hopp')
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByRole('table').getByRole('link', { name: 'Grace Hopper' }).click()
      await page.getByRole('heading', { level: 1, name: 'Grace Hopper' }).waitFor()
      await page.getByText('grace@example.com').waitFor()
    })

    it('an edit that conflicts is resolved', async () => {
      const { page } = visitor
      await visitor.open(`/console/data/edit/orders/${order.id}?account=acme`)
      await page.getByLabel('note').fill('Mine')
      await call('PATCH', `/v2/orders/${order.id}`, { note: 'Theirs' })
      await page.getByRole('button', { name: 'Review the change' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: 'Changed meanwhile' }).waitFor()
      await page.getByRole('radio', { name: 'Theirs' }).waitFor()
      await page.getByRole('radio', { name: 'Mine' }).check()
      await page.getByRole('button', { name: 'Review the change' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('The change was saved.').waitFor()
      await page.getByText('Mine').first().waitFor()
    })

    it('a state is moved', async () => {
      const { page } = visitor
      await page.getByRole('button', { name: 'placed' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: 'status: placed' }).waitFor()
      await page.getByRole('img', { name: 'States of orders.status' }).waitFor()
    })

    it.runIf(javaScriptEnabled)(
      'all of it can be used by everyone, light and dark, at a desk and on a phone',
      async () => {
        const { page } = visitor
        for (const name of lookedAt) {
          const path = `/console/data/${name.replace('{id}', order.id)}?account=acme`
          await page.setViewportSize({ width: 1280, height: 900 })
          await visitor.open(path)
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme })
            expect(await visitor.barriers(), path).toEqual([])
          }
          await page.setViewportSize({ width: 390, height: 844 })
          expect(await visitor.overhang(), path).toBeLessThanOrEqual(0)
        }
      },
    )
  },
)
