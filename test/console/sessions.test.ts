import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { systemClock } from '../../src/clock.ts'
import { consolePages } from '../../src/console/console-pages.ts'
import { OperatorRing } from '../../src/console/operators/operator-ring.ts'
import { webFetch } from '../../src/serve/mounted.ts'
import { openService } from '../../src/serve/service.ts'
import { type TestApi, testApi } from '../../src/testing.ts'
import { hourMs, minuteMs } from '../../src/times.ts'
import { whenOver } from '../support/clean-up.ts'
import { listeningShop } from '../support/listening-shop.ts'
import { memoryFolder } from '../support/memory-folder.ts'
import { OperatorBrowser, type Page } from '../support/operator-browser.ts'
import { rawExchange } from '../support/raw-socket.ts'
import { describeWalked } from '../support/stores.ts'

/** The pages that are for who is not signed in. A further one is a decision. */
const openPaths = ['/console/sign-in', '/console/welcome']

const addressOf = (path: string): string => path.replaceAll(/\{\w+\}/g, 'orders')
const password = 'correct horse battery'

const nightly = process.env.NOUNKIT_NIGHTLY === '1'

describeWalked('sessions of the console', (store) => {
  // What is asked before any page's own code is the same on both stores: the short form asks it of every page on SQLite, and of the first ones on PostgreSQL.
  const pages = nightly || store.kind === 'sqlite' ? consolePages : consolePages.slice(0, 4)
  const paths = pages.filter(({ kind }) => kind === 'page').map(({ path }) => addressOf(path))
  let now = Date.parse('2026-07-01T12:00:00Z')
  const clock = { now: () => now }
  let served: TestApi
  /** Another process on the same store. */
  let other: TestApi
  let operators: OperatorRing
  let databaseUrl: string
  let made = 0

  beforeAll(async () => {
    databaseUrl = await store.url()
    served = await testApi(shop, { databaseUrl, clock })
    other = await testApi(shop, { databaseUrl, clock })
    operators = new OperatorRing(served.service.store, clock)
  })
  afterAll(async () => {
    await served.close()
    await other.close()
  })
  beforeEach(() => {
    made++
    // What earlier tests have typed counts no more.
    now += 4 * minuteMs
  })
  const newBrowser = (at = served) => new OperatorBrowser(at)
  const signedIn = () => OperatorBrowser.signedIn(served, `ada${made}`, clock)
  const isIn = async (browser: OperatorBrowser) => (await browser.get('/console/data')).status === 200
  /** Whether the cookie of a browser opens pages, in either process. */
  const opens = async (cookie: string) => {
    const answers = await Promise.all(
      [served, other].map((at) => newBrowser(at).get('/console/data', { headers: { cookie } })),
    )
    return answers.map(({ status }) => status === 200)
  }

  it('there is no console while there is no operator', async () => {
    for (const path of ['/console', '/console/sign-in', '/console/data']) {
      const answer = await newBrowser().get(path)
      expect(answer.status).toBe(404)
      expect(answer.headers.get('content-type')).toBe('application/problem+json')
    }
  })

  it('the pages that need no session are these, and no others', () => {
    const open = consolePages.filter(({ kind }) => kind === 'open')
    expect(open.map(({ path }) => path)).toEqual(openPaths)
    expect(new Set(consolePages.map(({ path }) => path)).size).toBe(consolePages.length)
  })

  it('nobody without a session opens a page or posts to it, whether it exists or not', async () => {
    const ada = await signedIn()
    for (const path of [...paths, '/console/no/such/page'])
      for (const cookie of [undefined, 'nounkit-console-80=unknown', ada.cookies.replace(/=.*/, '=x')]) {
        const headers = cookie === undefined ? {} : { cookie }
        const shown = await newBrowser().get(path, { headers })
        expect([shown.status, shown.location.split('?')[0]]).toEqual([303, '/console/sign-in'])
        expect(shown.text).toBe('')
        const posted = await newBrowser().send('POST', path, { form: { token: 'x' }, headers })
        expect(posted.status, path).toBe(401)
      }
    expect((await ada.get('/console/no/such/page')).status).toBe(404)
  })

  it('no other site reads a page, or makes a browser post to it', async () => {
    const ada = await signedIn()
    const form = { token: 'x', name: `ada${made}`, password }
    const read = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
    const framed = { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }
    const posted = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }
    for (const path of [...openPaths, ...paths]) {
      expect((await ada.get(path, { headers: read })).status, path).toBe(403)
      expect((await ada.get(path, { headers: framed })).status, path).toBe(403)
      expect((await ada.send('POST', path, { form, headers: posted })).status, path).toBe(403)
    }
    // A browser of before 2023.
    for (const path of [...openPaths, '/console/me'])
      for (const origin of [undefined, 'null', 'http://evil.example', 'http://localhost.evil.example']) {
        const headers = { cookie: ada.cookies, 'content-type': 'application/x-www-form-urlencoded' }
        const sent = { method: 'POST', headers: origin === undefined ? headers : { ...headers, origin } }
        const answer = await served.fetch(path, { ...sent, body: new URLSearchParams(form) })
        expect([answer.status, path]).toEqual([403, path])
      }
    expect(await isIn(ada)).toBe(true)
  })

  it('over HTTPS the cookie is one that no other host sets or gets, also behind a proxy that keeps its own Host', async () => {
    await signedIn()
    const form = { name: `ada${made}`, password }
    const headers = { 'sec-fetch-site': 'same-origin', origin: 'https://api.example.com' }
    for (const host of ['https://api.example.com', 'http://127.0.0.1:3000']) {
      const browser = newBrowser()
      const done = await browser.send('POST', `${host}/console/sign-in`, { form, headers })
      expect(done.headers.get('set-cookie')).toMatch(
        /^__Host-nounkit-console=\w{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      )
      expect((await browser.get(`${host}/console/data`)).status).toBe(200)
    }
  })

  it('a link sets a password once, of two processes that use it at once in one, and opening it does not use it up', async () => {
    const code = await operators.create(`bob${made}`)
    const link = `/console/welcome?code=${code}`
    expect((await newBrowser().get(link)).status).toBe(200)
    const weak = await newBrowser().send('POST', link, { form: { password: 'short', again: 'short' } })
    expect(weak.status).toBe(422)
    const both = [newBrowser(served), newBrowser(other)]
    const used = await Promise.all(both.map((browser) => browser.useLink(code)))
    expect(used.map(({ status }) => status).sort()).toEqual([303, 410])
    expect((await Promise.all(both.map(isIn))).sort()).toEqual([false, true])
    expect((await newBrowser().useLink(code)).status).toBe(410)
    expect((await newBrowser().get(link)).status).toBe(410)
  })

  it('a link expires, and a newer one ends it', async () => {
    const first = await operators.create(`eve${made}`, hourMs)
    const second = await operators.link(`eve${made}`, hourMs)
    expect((await newBrowser().useLink(first)).status).toBe(410)
    now += hourMs
    expect((await newBrowser().useLink(second)).status).toBe(410)
  })

  it('a session ends when its operator signs out or signs in anew, and its cookie opens nothing from then on, in any process', async () => {
    const browser = await signedIn()
    const first = browser.cookies
    expect(await opens(first)).toEqual([true, true])
    await browser.signIn(`ada${made}`)
    const second = browser.cookies
    expect([await opens(first), await opens(second)]).toEqual([
      [false, false],
      [true, true],
    ])
    const out = await browser.submit('/console/data', '/console/sign-out', {})
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0')
    expect(out.headers.get('clear-site-data')).toBe('"cache"')
    expect(await opens(second)).toEqual([false, false])
  })

  it('a session goes on after the process has ended and another one has started, until its time is over', async () => {
    const started = () => testApi(shop, { databaseUrl, clock })
    const first = await started()
    const browser = await OperatorBrowser.signedIn(first, `ada${made}`, clock)
    const { cookies } = browser
    await first.close()
    now += hourMs
    const second = await started()
    whenOver(() => second.close())
    const cookie = { headers: { cookie: cookies } }
    expect((await newBrowser(second).get('/console/data', cookie)).status).toBe(200)
    now += 2 * hourMs
    expect((await newBrowser(second).get('/console/data', cookie)).status).toBe(303)
  })

  it('all sessions end when the operator is revoked, and nothing lets them in again', async () => {
    const browser = await signedIn()
    const code = await operators.link(`ada${made}`)
    await operators.revoke(`ada${made}`)
    expect(await opens(browser.cookies)).toEqual([false, false])
    expect((await newBrowser().signIn(`ada${made}`)).status).toBe(403)
    expect((await newBrowser().useLink(code)).status).toBe(410)
    await expect(operators.create(`ada${made}`)).rejects.toThrow('was revoked')
    await expect(operators.link(`ada${made}`)).rejects.toThrow('was revoked')
  })

  it('a new password ends the other sessions', async () => {
    const browser = await signedIn()
    const second = newBrowser(other)
    await second.signIn(`ada${made}`)
    expect(await isIn(second)).toBe(true)
    const fields = { password: 'another long password', again: 'another long password' }
    const wrong = await browser.submit('/console/me', '/console/me', { ...fields, present: 'a guess' })
    expect(wrong.status).toBe(422)
    expect(await isIn(second)).toBe(true)
    const right = await browser.submit('/console/me', '/console/me', { ...fields, present: password })
    expect(right.status).toBe(303)
    expect(await isIn(browser)).toBe(true)
    expect(await opens(second.cookies)).toEqual([false, false])
    expect((await newBrowser().signIn(`ada${made}`, 'another long password')).status).toBe(303)
  })

  it('a session ends after two hours without a request, and after twelve hours however much it is used', async () => {
    const browser = await signedIn()
    for (let hour = 0; hour < 11; hour += 1.9) {
      now += 1.9 * hourMs
      expect(await isIn(browser)).toBe(hour < 10)
    }
    const idle = await OperatorBrowser.signedIn(served, `idle${made}`, clock)
    now += 119 * minuteMs
    expect(await isIn(idle)).toBe(true)
    // A page that refreshes itself is no use of the session.
    const fetched = { headers: { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' } }
    for (const [minutes, status] of [
      [119, 200],
      [2, 303],
    ] as const) {
      now += minutes * minuteMs
      expect((await idle.get('/console/today', fetched)).status).toBe(status)
    }
  })

  it('the sign-in leads back to the page that was asked for, and nowhere else', async () => {
    await signedIn()
    const asked = await newBrowser().get('/console/data?account=acme')
    expect(asked.location).toBe('/console/sign-in?next=%2Fconsole%2Fdata%3Faccount%3Dacme')
    const [, action = ''] =
      /method="post" action="([^"]+)"/.exec((await newBrowser().follow(asked)).text) ?? []
    const form = { name: `ada${made}`, password }
    expect((await newBrowser().send('POST', action, { form })).location).toBe('/console/data?account=acme')
    for (const next of [
      '//evil.example',
      'https://evil.example',
      'javascript:alert(1)',
      '/consoles',
      '/console\\evil',
      '/console/../v1/orders',
      '/console/%2e%2e/v1/orders',
      '/console/.%2e//evil.example',
      '/console/data\t',
      '/console\r\nSet-Cookie:x=1',
      '/v1/orders',
    ]) {
      const page = await newBrowser().get(`/console/sign-in?${new URLSearchParams({ next })}`)
      expect(page.text, next).toContain('method="post" action="/console/sign-in"')
    }
  })

  it('a name that no operator can have is refused as any other; a password is refused over plain HTTP from another machine', async () => {
    await signedIn()
    expect((await newBrowser().signIn('a\u0000b')).status).toBe(400)
    const form = { name: `ada${made}`, password }
    const headers = { origin: 'http://shop.example' }
    const url = 'http://shop.example/console/sign-in'
    expect((await newBrowser().send('POST', url, { form, headers })).status).toBe(403)
  })
})

describe('the limit on sign-ins', () => {
  it('an unknown name looks like a known one, and takes as long', async () => {
    const served = await testApi(shop)
    whenOver(() => served.close())
    const browser = new OperatorBrowser(served)
    await browser.useLink(await new OperatorRing(served.service.store, systemClock).create('ada'))
    const before = process.cpuUsage()
    const known = await browser.signIn('ada', 'wrong')
    const between = process.cpuUsage(before)
    const unknown = await browser.signIn('nobody', 'wrong')
    const after = process.cpuUsage(before)
    expect([known.status, unknown.status]).toEqual([403, 403])
    const bare = ({ text }: Page) =>
      text.replace(/value="(ada|nobody)"/, '').replaceAll(/<code>test-\d+/g, '')
    expect(bare(known)).toBe(bare(unknown))
    // Of the processor, which a busy machine changes little: the hash takes nearly all of it.
    const ratio = (after.user - between.user) / between.user
    expect([ratio > 1 / 3, ratio < 3]).toEqual([true, true])
    // A guess at a link costs no hash.
    const beforeGuess = process.cpuUsage()
    expect((await browser.useLink('guess')).status).toBe(410)
    expect(process.cpuUsage(beforeGuess).user).toBeLessThan(between.user / 3)
  })

  it('an address that has tried ten links or passwords waits, also with the right one; so does all of an IPv6 network', async () => {
    const shopOnPort = await listeningShop({ addresses: { proxies: '127.0.0.0/8' } })
    whenOver(() => shopOnPort.close())
    const { api, server } = shopOnPort
    const browser = new OperatorBrowser({
      fetch: (path, init) => fetch(new URL(String(path), server.url), { redirect: 'manual', ...init }),
    })
    await OperatorBrowser.signedIn(api)
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
    const form = { password, again: password }
    for (let attempt = 1; attempt <= 10; attempt++) {
      const sent = { form, ...from(`2001:db8:1:2::${attempt}`) }
      expect((await browser.send('POST', '/console/welcome?code=guess', sent)).status).toBe(410)
    }
    const late = await browser.signIn('ada', password, from('2001:db8:1:2:ffff::1'))
    expect(late.status).toBe(429)
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await browser.signIn('ada', password, from('2001:db8:1:3::1'))).status).toBe(303)
  })
})

test('a path that is written in another way opens nothing without a session', async () => {
  const shopOnPort = await listeningShop()
  whenOver(() => shopOnPort.close())
  const ada = await OperatorBrowser.signedIn(shopOnPort.api, 'ada')
  expect((await ada.get('/console/accounts')).text).toContain('>acme</a>')
  for (const path of [
    '/console/..;/console/accounts',
    '/console/sign-in/..;/accounts',
    '/console/sign-in/../accounts',
    '/console/sign-in/%2e%2e/accounts',
    '/console/sign-in%2f..%2faccounts',
    '/console/sign-in;/../accounts',
    '/console/sign-in/accounts',
    '/console/welcome/../accounts?code=x',
    '//console/accounts',
    '/./console/accounts',
    '/console//accounts',
    '/console;x=1/accounts',
    '/CONSOLE/accounts',
    '/%63onsole/accounts',
    '/console%2faccounts',
    '/console\\accounts',
    '/console/accounts/',
    '/console/accounts%00',
    '/console/accounts?a=/console/sign-in',
    '/console/accounts#/console/sign-in',
    'http://localhost/console/accounts',
    'http://evil.example/console/accounts',
    '/assets/../console/accounts',
    '/v2/../console/accounts',
  ]) {
    const answer = await rawExchange(
      shopOnPort.port,
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Original-URL: /console/accounts\r\nX-Rewrite-URL: /console/accounts\r\n\r\n`,
    )
    expect(answer, path).not.toContain('acme')
    expect(answer, path).toMatch(/^HTTP\/1.1 (?:303 |40[04] )/)
  }
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
    for (const name of ['x-forwarded-for', 'x-forwarded-proto', 'forwarded', 'via'])
      expect((await ask('http://localhost:3000/console/data', { [name]: '10.0.0.1' })).status).toBe(404)
  })
})
