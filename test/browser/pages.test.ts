import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { shopContracts } from '../contract/openapi-shop.ts'
import { launchChromium } from '../support/chromium.ts'
import { type ListeningShop, listeningShop } from '../support/listening-shop.ts'
import { type Visitor, visit } from './visitor.ts'

let shop: ListeningShop
let browser: Browser
let visitor: Visitor

// One visitor for all: each new one costs processor time for processes of Chromium.
beforeAll(async () => {
  shop = await listeningShop({ contracts: await shopContracts() })
  browser = await launchChromium()
  visitor = await visit(browser, shop.server.url)
})
afterEach(() => expect(visitor.faults).toEqual([]))
afterAll(async () => {
  await browser.close()
  await shop.close()
})

const desk = { width: 1280, height: 900 }
const pages = [
  '/problems',
  '/problems/validation-failed',
  '/docs/migrations/v1-to-v2',
  '/docs/versions',
  '/docs/model',
]

it.each(pages)('%s can be used by everyone, light and dark, at a desk and on a phone', async (path) => {
  const { page } = visitor
  await page.setViewportSize(desk)
  await visitor.open(path)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await visitor.barriers()).toEqual([])
  }
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await visitor.overhang()).toBeLessThanOrEqual(0)
})

describe('without scripts', () => {
  let reader: Visitor
  beforeAll(async () => {
    reader = await visit(browser, shop.server.url, { javaScriptEnabled: false })
  })
  afterEach(() => expect(reader.faults).toEqual([]))

  it('pages read the same', async () => {
    const { page } = reader
    await reader.open('/problems')
    await page.getByRole('link', { name: 'The value is taken' }).click()
    await page.getByRole('heading', { name: 'How to fix it' }).waitFor()
    await page.getByRole('navigation', { name: 'Documents' }).getByRole('link', { name: 'Versions' }).click()
    await page.getByRole('link', { name: 'to v2' }).click()
    await page.getByRole('heading', { level: 1, name: 'Moving from v1 to v2' }).waitFor()
    await page.getByRole('navigation', { name: 'Documents' }).getByRole('link', { name: 'Model' }).click()
    await page.getByRole('img', { name: 'Resources and relations of v2' }).waitFor()
    await page.getByRole('navigation', { name: 'Versions' }).getByRole('link', { name: /v1/ }).click()
    await page.getByRole('img', { name: 'States of orders.status' }).waitFor()
  })
})

it('the diagram of the model has room at a desk, and is scrolled on a phone', async () => {
  const { page } = visitor
  const frame = page.getByRole('region', { name: 'Diagram of resources and relations' })
  const hidden = () => frame.evaluate((one) => one.scrollWidth - one.clientWidth)
  await page.setViewportSize(desk)
  await visitor.open('/docs/model')
  expect(await hidden()).toBe(0)
  expect(await visitor.overhang()).toBeLessThanOrEqual(0)
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await hidden()).toBeGreaterThan(300)
})

it('the labels of pictures do not touch each other as they are drawn', async () => {
  await visitor.page.emulateMedia({ colorScheme: 'light' })
  await visitor.page.setViewportSize(desk)
  for (const path of ['/docs/versions', '/docs/model', '/docs/model/v1']) {
    await visitor.open(path)
    const boxes = await visitor.page.evaluate<Box[]>(textBoxes)
    const overlaps = boxes.flatMap((a, index) =>
      boxes
        .slice(index + 1)
        .filter((b) => touch(a, b))
        .map((b) => `${a.text} | ${b.text}`),
    )
    expect(boxes.length).toBeGreaterThan(5)
    expect(overlaps).toEqual([])
  }
})

interface Box {
  readonly text: string
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

const textBoxes = `[...document.querySelectorAll('svg text')].map((one) => {
  const { left, right, top, bottom } = one.getBoundingClientRect()
  return { text: one.textContent, left, right, top, bottom }
})`

/** The box of a text is a little taller than its letters. */
const touch = (a: Box, b: Box): boolean =>
  a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3
