import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { OperatorRing } from '../../src/console/operators/operator-ring.ts'
import type { Listening } from '../../src/serve/listen.ts'
import { launchChromium } from '../support/chromium.ts'
import { crawl, missed, type Reached } from '../support/console-crawl.ts'
import { evilName, type HostileConsole, hostileConsole } from '../support/hostile-console.ts'
import { listenFor } from '../support/listening-shop.ts'
import { type Visitor, visit } from './visitor.ts'

const password = 'correct horse battery'

const schemes = ['light', 'dark'] as const

/**
 * The nightly form does all of it without scripts as well, looks at every page in both colour schemes, where the short form takes turns, and
 * at what forms answer, which is made of the same parts. Markup of others in these is looked for in `test/console/hostile`.
 */
const nightly = process.env.NOUNKIT_NIGHTLY === '1'

describe.each([['with scripts', true] as const, ...(nightly ? [['without scripts', false] as const] : [])])(
  'the console %s',
  (_, javaScriptEnabled) => {
    let world: HostileConsole
    let server: Listening
    let browser: Browser
    let visitor: Visitor
    let secret: string
    let thing: { readonly id: string }
    let requestId: string

    const call = async (method: string, path: string, body?: object) => {
      const headers = {
        Authorization: `Bearer ${secret}`,
        ...(body && { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() }),
      }
      return fetch(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    }
    const make = async (path: string, body: object) =>
      ((await (await call('POST', path, body)).json()) as { data: { id: string } }).data

    beforeAll(async () => {
      world = await hostileConsole()
      server = await listenFor(world.served, [])
      browser = await launchChromium()
      visitor = await visit(browser, server.url, { javaScriptEnabled })
      secret = await world.served.key('globex', { name: 'storefront' })
      await make('/v2/makers', { name: 'Grace Hopper' })
      thing = await make('/v2/things', { title: 'Compiler', note: 'First' })
      requestId = (await call('GET', '/v2/things/nowhere')).headers.get('x-request-id') ?? ''
    })
    // Chromium writes of the pages that show a refusal, too.
    afterEach(() => expect(visitor.faults.filter((one) => !/status of 4\d\d \(/.test(one))).toEqual([]))
    afterAll(async () => {
      await browser.close()
      await server.stop({ graceMs: 100 })
      await world.close()
    })

    it('an operator sets a password by the link, signs out, and signs in where the way led', async () => {
      const code = await new OperatorRing(world.served.service.store, world.clock).create('grace')
      const { page } = visitor
      await visitor.open(`/console/welcome?code=${code}`)
      await page.getByLabel('New password').fill(password)
      await page.getByLabel('The same again').fill(password)
      await page.getByRole('button', { name: 'Set the password' }).click()
      await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor()
      await visitor.open('/console/data/list/makers?account=globex')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
      // The way back shows nothing of what was there.
      await page.goBack()
      await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
      await page.getByLabel('Name').fill('grace')
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { level: 1, name: 'makers' }).waitFor()
    })

    it('a row is found by search', async () => {
      const { page } = visitor
      await page.getByRole('searchbox', { name: 'Search' }).fill('hopp')
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByRole('table').getByRole('link', { name: 'Grace Hopper' }).click()
      await page.getByRole('heading', { level: 1, name: 'Grace Hopper' }).waitFor()
    })

    it('an edit that conflicts is resolved, with both values in sight', async () => {
      const { page } = visitor
      await visitor.open(`/console/data/edit/things/${thing.id}?account=globex`)
      await page.getByLabel('note').fill('Mine')
      await call('PATCH', `/v2/things/${thing.id}`, { note: 'Theirs' })
      await page.getByRole('button', { name: 'Review the change' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: 'Changed meanwhile' }).waitFor()
      await page.getByRole('cell', { name: 'Theirs' }).waitFor()
      await page.getByRole('cell', { name: 'Mine' }).waitFor()
      await page.getByRole('button', { name: 'Review the change' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('The change was saved.').waitFor()
      await page.getByText('Mine').first().waitFor()
    })

    it('a state is moved', async () => {
      const { page } = visitor
      await page.getByRole('button', { name: 'two', exact: true }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: 'step: two' }).waitFor()
      const states = page.getByRole('img', { name: 'States of things.step' })
      await states.waitFor()
      // A diagram of two states is not enlarged: its text would be larger than that of the page.
      const [points, pixels] = await states.evaluate((one) => [
        Number.parseFloat(one.getAttribute('width') ?? ''),
        one.getBoundingClientRect().width,
      ])
      expect(pixels).toBeLessThanOrEqual(((points ?? 0) * 4) / 3 + 1)
    })

    it('a request is found by the id that a consumer was told', async () => {
      const { page } = visitor
      await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Requests' }).click()
      await page.getByLabel('Request id').fill(requestId)
      await page.getByLabel('Request id').press('Enter')
      await page.getByRole('cell', { name: 'GET /v2/things/{id}' }).waitFor()
      await page.getByText('404', { exact: true }).waitFor()
    })

    it.runIf(javaScriptEnabled)('today refreshes itself until it is paused', async () => {
      const { page } = visitor
      let fetched = 0
      page.on('request', (request) => {
        if (request.resourceType() === 'fetch') fetched++
      })
      await page.clock.install()
      await visitor.open('/console/today?of=this')
      const row = page.getByRole('row', { name: 'GET /v2/things/{id}' })
      const calls = async () => Number(await row.getByRole('cell').nth(1).innerText())
      const first = await calls()
      await call('GET', '/v2/things/nowhere')
      await page.clock.runFor(5_000)
      await expect.poll(calls).toBe(first + 1)
      await page.getByRole('button', { name: 'Pause' }).click()
      await page.getByRole('status').getByText('Paused.').waitFor()
      await call('GET', '/v2/things/nowhere')
      const before = fetched
      await page.clock.runFor(20_000)
      expect(fetched).toBe(before)
      await page.getByRole('button', { name: 'Go on' }).click()
      await expect.poll(calls).toBe(first + 2)
      // What somebody has opened stays open.
      await page.locator('#statements details summary').first().click()
      await page.getByRole('button', { name: 'Pause' }).focus()
      await page.clock.runFor(5_000)
      await expect.poll(() => fetched).toBe(before + 2)
      expect(await page.locator('#statements details[open]').count()).toBe(1)
      await page.clock.resume()
    })

    it('a key is revoked', async () => {
      const { page } = visitor
      await visitor.open('/console/keys?account=globex')
      await page.getByRole('button', { name: 'Revoke storefront' }).click()
      await page.getByRole('heading', { name: 'Revoke the key storefront?' }).waitFor()
      await page.getByRole('button', { name: 'Revoke the key' }).click()
      await page.getByRole('status').getByText('The key was revoked.').waitFor()
      await page.getByRole('row', { name: /storefront.*revoked/ }).waitFor()
    })

    it('a retirement is refused, and why', async () => {
      const { page } = visitor
      await visitor.open('/console/versions/v1')
      await page.getByRole('button', { name: 'Retire v1' }).click()
      await page
        .getByRole('alert')
        .getByText(/v1 was not retired: \d+ things stand in the way/)
        .waitFor()
      await page
        .getByText(/made \d calls, the last on .* and was not told/)
        .first()
        .waitFor()
    })

    it.runIf(javaScriptEnabled)(
      'every page can be used by everyone, light and dark, at a desk and on a phone, whatever texts are in it',
      async () => {
        const { page } = visitor
        const done = await reachedPages(world)
        expect(missed(done).filter((one) => one.startsWith('GET '))).toEqual([])
        const wrong: (readonly [string, unknown])[] = []
        const measured = new Map<string, number>()
        let seen = 0
        for (const { method, url, form } of nightly ? done : done.filter(({ form }) => !form)) {
          await page.setViewportSize({ width: 1280, height: 900 })
          await visitor.open(method === 'GET' ? url : '/console/me')
          if (form) {
            const loaded = page.waitForEvent('load')
            await page.evaluate(sendForm(url, { ...form, token: await ownToken(visitor) }))
            await loaded
          }
          const note = (what: readonly string[]) =>
            wrong.push(...what.map((one) => [`${method} ${url}`, one] as const))
          for (const colorScheme of nightly ? schemes : schemes.filter((_, at) => at === seen % 2)) {
            await page.emulateMedia({ colorScheme })
            note(await visitor.barriers())
          }
          seen++
          if (
            await page.evaluate<boolean>(
              "'zz' in window || document.querySelector('zz, [onzz], img') !== null",
            )
          )
            note(['markup of others'])
          const measure = async (at: string) => {
            for (const { name, drawn, hidden } of await page.evaluate<readonly Picture[]>(picturesShown)) {
              measured.set(`${name} ${at}`, drawn)
              if (hidden !== '') note([`${name} ${at}: ${hidden}`])
            }
          }
          await measure('at a desk')
          await page.setViewportSize({ width: 390, height: 844 })
          await measure('on a phone')
          if ((await visitor.overhang()) > 0) note([`${await visitor.overhang()} px too wide`])
        }
        expect(wrong).toEqual([])
        for (const at of ['at a desk', 'on a phone']) {
          expect(measured.get(`Calls of v2 by day ${at}`)).toBeGreaterThan(0)
          // The clock of this world moves so little that ten seconds are never over, and the pictures of Today have no bars.
          expect(measured.has(`Requests a second, in the last ten minutes ${at}`)).toBe(true)
        }
      },
    )

    it('an account is deleted after its name was typed', async () => {
      const { page } = visitor
      await visitor.open('/console/accounts')
      await page
        .getByRole('row', { name: /globex/ })
        .getByRole('link', { name: 'Delete' })
        .click()
      await page.getByLabel('Type the name of the account').fill('Globex')
      await page.getByRole('button', { name: 'Delete the account' }).click()
      await page.getByRole('alert').getByText('Nothing was deleted.').waitFor()
      await page.getByLabel('Type the name of the account').fill('globex')
      await page.getByRole('button', { name: 'Delete the account' }).click()
      await page.getByRole('status').getByText('The deletion has begun.').waitFor()
      await expect
        .poll(
          async () => {
            await page.reload()
            return page.getByRole('row', { name: /globex/ }).count()
          },
          { timeout: 30_000, interval: 500 },
        )
        .toBe(0)
    })
  },
)

/** One of each page, of those that show something: nothing is done by it. */
async function reachedPages({ ada, accounts }: HostileConsole): Promise<readonly Reached[]> {
  const reached = await crawl(ada, {
    start: ['/console', ...accounts.map((account) => `/console/data?${new URLSearchParams({ account })}`)],
    typed: evilName,
    leaveOut: ({ form, pattern }) =>
      form !== null && (form.confirmed === 'yes' || /\/(?:delete|export)/.test(pattern)),
  })
  const shown = reached.filter(({ page }) => page.text.includes('<main'))
  const byKind = new Map(shown.map((one) => [`${one.method} ${one.pattern}`, one]))
  return [...byKind.values(), ...reached.filter(({ pattern }) => pattern === '/console')]
}

interface Picture {
  readonly name: string
  /** How many bars and lines can be seen. */
  readonly drawn: number
  /** What is wrong with its size; '' for nothing. */
  readonly hidden: string
}

/** Pictures of figures, as they are measured: one without height, or in a frame that is narrower, is there for scripts alone. */
const picturesShown = `[...document.querySelectorAll('svg.trend, svg.day-trend')].map((picture) => {
  const { width, height } = picture.getBoundingClientRect()
  const name = picture.getAttribute('aria-label') ?? picture.querySelector('title').textContent
  const parts = [...picture.querySelectorAll('.full rect, .line')].map((one) => one.getBoundingClientRect())
  const frame = picture.closest('.frame')
  const least = picture.matches('.trend') ? 80 : 20
  return {
    name,
    drawn: parts.filter((part) => part.width > 0 && part.height > 0).length,
    hidden:
      height < least || width < 150 ? \`\${width} by \${height} px\`
      : frame && frame.scrollWidth > frame.clientWidth ? 'cut off by its frame'
      : '',
  }
})`

const ownToken = ({ page }: Visitor): Promise<string> =>
  page.evaluate<string>(`document.querySelector('input[name=token]').value`)

/** What sends a form as a page of ours would. */
const sendForm = (url: string, form: { readonly [name: string]: string }): string =>
  `(() => {
    const form = Object.assign(document.createElement('form'), { method: 'post', action: ${JSON.stringify(url)} })
    for (const [name, value] of Object.entries(${JSON.stringify(form)}))
      form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))
    document.body.append(form)
    form.submit()
  })()`
