import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { consolePages } from '../../src/console/console-pages.ts'
import { OperatorRing } from '../../src/console/operators/operator-ring.ts'
import { webFetch } from '../../src/serve/mounted.ts'
import { openService } from '../../src/serve/service.ts'
import { type TestApi, testApi } from '../../src/testing.ts'
import { hourMs, minuteMs } from '../../src/times.ts'
import { whenOver } from '../support/clean-up.ts'
import { memoryFolder } from '../support/memory-folder.ts'
import { OperatorBrowser } from '../support/operator-browser.ts'
import { describeStores } from '../support/stores.ts'

/** The pages that are for who is not signed in. A further one is a decision. */
const openPaths = ['/console/sign-in', '/console/welcome']

const addressOf = (path: string): string => path.replaceAll(/\{\w+\}/g, 'orders')

const nightly = process.env.NOUNKIT_NIGHTLY === '1'

describeStores('sessions of the console', (store) => {
  // What is asked before any page's own code is the same on both stores: the short form asks it of every page on SQLite, and of the first ones on PostgreSQL.
  const pages = nightly || store.kind === 'sqlite' ? consolePages : consolePages.slice(0, 4)
  let now = Date.parse('2026-07-01T12:00:00Z')
  const clock = { now: () => now }
  let served: TestApi
  let operators: OperatorRing
  let made = 0

  beforeAll(async () => {
    served = await testApi(shop, { databaseUrl: await store.url(), clock })
    operators = new OperatorRing(served.service.store, clock)
  })
  afterAll(() => served.close())
  beforeEach(() => {
    made++
    // What earlier tests have typed counts no more.
    now += 4 * minuteMs
  })
  const newBrowser = () => new OperatorBrowser(served)
  const signedIn = () => OperatorBrowser.signedIn(served, `ada${made}`, clock)
  const isIn = async (browser: OperatorBrowser) => (await browser.get('/console/data')).status === 200

  it('there is no console while there is no operator', async () => {
    for (const path of ['/console', '/console/sign-in', '/console/data']) {
      const answer = await newBrowser().get(path)
      expect(answer.status).toBe(404)
      expect(answer.headers.get('content-type')).toBe('application/problem+json')
    }
  })

  describe('with an operator', () => {
    let ada: OperatorBrowser
    beforeAll(async () => {
      ada = await OperatorBrowser.signedIn(served, 'ada', clock)
    })
    // Time moves on with each test, and there are many: her session is used, so that it does not end.
    beforeEach(async () => void (await ada.get('/console/data')))

    it('the pages that need no session are these, and no others', () => {
      const open = consolePages.filter(({ kind }) => kind === 'open')
      expect(open.map(({ path }) => path)).toEqual(openPaths)
      expect(new Set(consolePages.map(({ path }) => path)).size).toBe(consolePages.length)
    })

    it.each(pages.filter(({ kind }) => kind === 'page').map(({ path }) => addressOf(path)))(
      'nobody without a session opens %s or posts to it',
      async (path) => {
        for (const cookie of [undefined, 'nounkit-console-80=unknown', ada.cookies.replace(/=.*/, '=x')]) {
          const headers = cookie === undefined ? {} : { cookie }
          const shown = await newBrowser().get(path, { headers })
          expect([shown.status, shown.location.split('?')[0]]).toEqual([303, '/console/sign-in'])
          expect(shown.text).toBe('')
          const posted = await newBrowser().send('POST', path, { form: { token: 'x' }, headers })
          expect(posted.status).toBe(401)
        }
      },
    )

    it('a page that does not exist looks the same to who is not signed in', async () => {
      expect((await newBrowser().get('/console/no/such/page')).status).toBe(303)
      expect((await ada.get('/console/no/such/page')).status).toBe(404)
    })

    it.each(pages.map(({ path }) => addressOf(path)))(
      'no other site makes a browser post to %s, or reads it',
      async (path) => {
        const form = { token: 'x', name: 'ada', password: 'correct horse battery' }
        const hostile = [
          { 'sec-fetch-site': 'cross-site' },
          { 'sec-fetch-site': 'same-site', origin: 'http://app.localhost' },
          { 'sec-fetch-site': 'none' },
          { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
        ]
        for (const headers of hostile)
          expect((await ada.send('POST', path, { form, headers })).status, path).toBe(403)
        // A browser of before 2023.
        for (const origin of [undefined, 'null', 'http://evil.example', 'http://localhost.evil.example']) {
          const headers = { cookie: ada.cookies, 'content-type': 'application/x-www-form-urlencoded' }
          const sent = { method: 'POST', headers: origin === undefined ? headers : { ...headers, origin } }
          const answer = await served.fetch(path, { ...sent, body: new URLSearchParams(form) })
          expect([answer.status, path]).toEqual([403, path])
        }
        const read = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
        expect((await ada.get(path, { headers: read })).status).toBe(403)
      },
    )

    it.each(pages.filter(({ kind }) => kind === 'page').map(({ path }) => addressOf(path)))(
      'a form for %s without the token of the session is refused',
      async (path) => {
        for (const form of [{}, { token: '' }, { token: 'x' }, { token: ada.cookies.replace(/.*=/, '') }])
          expect((await ada.send('POST', path, { form })).status).toBe(403)
        expect(await isIn(ada)).toBe(true)
      },
    )

    it('the answers are kept nowhere, framed nowhere, and run no script but ours', async () => {
      const { headers } = await ada.get('/console/data')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('content-security-policy')).not.toContain('unsafe')
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    })
  })

  it('the cookie is for scripts unreadable, for other sites and over plain HTTP from elsewhere unsent', async () => {
    await operators.link('ada')
    const link = `/console/welcome?code=${await operators.link('ada')}`
    const body = new URLSearchParams({ password: 'correct horse battery', again: 'correct horse battery' })
    const headers = {
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
    }
    const answer = await served.fetch(
      new Request(`https://api.example.com${link}`, { method: 'POST', headers, body: body.toString() }),
    )
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-nounkit-console=\w{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    )
  })

  it('a link sets a password once, and opening it does not use it up', async () => {
    const code = await operators.create(`bob${made}`)
    expect((await newBrowser().get(`/console/welcome?code=${code}`)).status).toBe(200)
    const weak = await newBrowser().send('POST', `/console/welcome?code=${code}`, {
      form: { password: 'short', again: 'short' },
    })
    expect(weak.status).toBe(422)
    const bob = newBrowser()
    expect((await bob.useLink(code)).location).toBe('/console')
    expect(await isIn(bob)).toBe(true)
    expect((await newBrowser().useLink(code)).status).toBe(410)
    expect((await newBrowser().get(`/console/welcome?code=${code}`)).status).toBe(410)
  })

  it('a link expires, and a newer one ends it', async () => {
    const first = await operators.create(`eve${made}`, hourMs)
    const second = await operators.link(`eve${made}`, hourMs)
    expect((await newBrowser().useLink(first)).status).toBe(410)
    now += hourMs
    expect((await newBrowser().useLink(second)).status).toBe(410)
  })

  it('of two who use a link at once, one gets in', async () => {
    const code = await operators.create(`two${made}`)
    const both = await Promise.all([newBrowser().useLink(code), newBrowser().useLink(code)])
    expect(both.map(({ status }) => status).sort()).toEqual([303, 410])
  })

  it('a session ends when its operator signs out, and its cookie opens nothing from then on', async () => {
    const browser = await signedIn()
    const stolen = { headers: { cookie: browser.cookies } }
    expect((await newBrowser().get('/console/data', stolen)).status).toBe(200)
    const out = await browser.submit('/console/data', '/console/sign-out', {})
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0')
    expect((await newBrowser().get('/console/data', stolen)).status).toBe(303)
  })

  it('all sessions end when the operator is revoked, and nothing lets them in again', async () => {
    const browser = await signedIn()
    const code = await operators.link(`ada${made}`)
    await operators.revoke(`ada${made}`)
    expect(await isIn(browser)).toBe(false)
    expect((await newBrowser().signIn(`ada${made}`)).status).toBe(403)
    expect((await newBrowser().useLink(code)).status).toBe(410)
    await expect(operators.create(`ada${made}`)).rejects.toThrow('was revoked')
    await expect(operators.link(`ada${made}`)).rejects.toThrow('was revoked')
  })

  it('a new password ends the other sessions', async () => {
    const browser = await signedIn()
    const other = newBrowser()
    await other.signIn(`ada${made}`)
    expect(await isIn(other)).toBe(true)
    const fields = { password: 'another long password', again: 'another long password' }
    const wrong = await browser.submit('/console/me', '/console/me', { ...fields, present: 'a guess' })
    expect(wrong.status).toBe(422)
    expect(await isIn(other)).toBe(true)
    const present = 'correct horse battery'
    const right = await browser.submit('/console/me', '/console/me', { ...fields, present })
    expect(right.status).toBe(303)
    expect(await isIn(browser)).toBe(true)
    expect(await isIn(other)).toBe(false)
    expect((await newBrowser().signIn(`ada${made}`)).status).toBe(403)
    expect((await newBrowser().signIn(`ada${made}`, 'another long password')).status).toBe(303)
  })

  it('a session ends after two hours without a request', async () => {
    const browser = await signedIn()
    for (let step = 0; step < 3; step++) {
      now += 119 * minuteMs
      expect(await isIn(browser)).toBe(true)
    }
    now += 121 * minuteMs
    expect(await isIn(browser)).toBe(false)
  })

  it('a session ends after twelve hours, however much it is used', async () => {
    const browser = await signedIn()
    for (let hour = 1; hour < 12; hour++) {
      now += hourMs
      expect(await isIn(browser)).toBe(true)
    }
    now += hourMs
    expect(await isIn(browser)).toBe(false)
  })

  it('the sign-in leads back to the page that was asked for, and nowhere else', async () => {
    await signedIn()
    const asked = await newBrowser().get('/console/data?account=acme')
    expect(asked.location).toBe('/console/sign-in?next=%2Fconsole%2Fdata%3Faccount%3Dacme')
    const [, action = ''] =
      /method="post" action="([^"]+)"/.exec((await newBrowser().follow(asked)).text) ?? []
    const form = { name: `ada${made}`, password: 'correct horse battery' }
    expect((await newBrowser().send('POST', action, { form })).location).toBe('/console/data?account=acme')
    for (const next of [
      '//evil.example',
      'https://evil.example',
      '/consoles',
      '/console\\evil',
      '/v1/orders',
    ]) {
      const page = await newBrowser().get(`/console/sign-in?${new URLSearchParams({ next })}`)
      expect(page.text).toContain('method="post" action="/console/sign-in"')
    }
  })

  it('a password is refused over plain HTTP from another machine', async () => {
    await signedIn()
    const form = { name: `ada${made}`, password: 'correct horse battery' }
    const headers = { origin: 'http://shop.example' }
    const url = 'http://shop.example/console/sign-in'
    expect((await newBrowser().send('POST', url, { form, headers })).status).toBe(403)
  })
})

describe('the limit on sign-ins', () => {
  it('an address that has failed ten times waits, also with the right password; a name that is unknown looks like one that is known', async () => {
    const served = await testApi(shop)
    whenOver(() => served.close())
    await OperatorBrowser.signedIn(served, 'ada')
    const browser = new OperatorBrowser(served)
    const [known, unknown] = [await browser.signIn('ada', 'wrong'), await browser.signIn('nobody', 'wrong')]
    expect([known.status, unknown.status]).toEqual([403, 403])
    expect(known.text.replace('value="ada"', 'value="nobody"').replaceAll(/<code>test-\d+/g, '')).toBe(
      unknown.text.replaceAll(/<code>test-\d+/g, ''),
    )
    for (let attempt = 0; attempt < 7; attempt++) await browser.signIn('ada', 'wrong')
    const late = await browser.signIn('ada')
    expect(late.status).toBe(429)
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('in nounkit dev', () => {
  const develop = async () => {
    const service = await openService({
      declaration: shop,
      databaseUrl: `sqlite:${join(memoryFolder('nounkit-console-'), 'test.db')}`,
      isDevelopment: true,
      beatMs: null,
    })
    const fetch = webFetch(service, () => {})
    whenOver(async () => {
      fetch.close()
      await service.close()
    })
    return (url: string, headers: { readonly [name: string]: string } = {}) =>
      fetch(new Request(url, { headers }), 'test')
  }

  it('who comes from this machine is signed in', async () => {
    const ask = await develop()
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])
      expect((await ask(`${origin}/console/data`)).status).toBe(200)
  })

  it('nobody is signed in under a name that others may have pointed at this machine, or through a proxy', async () => {
    const ask = await develop()
    expect((await ask('http://evil.example:3000/console/data')).status).toBe(404)
    expect((await ask('http://localhost.evil.example/console/data')).status).toBe(404)
    for (const name of ['x-forwarded-for', 'forwarded', 'via'])
      expect((await ask('http://localhost:3000/console/data', { [name]: '10.0.0.1' })).status).toBe(404)
  })
})
