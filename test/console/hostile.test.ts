import { afterAll, beforeAll, expect, it } from 'vitest'
import { consolePages } from '../../src/console/console-pages.ts'
import { findRoute } from '../../src/console/console-routes.ts'
import { auditTable } from '../../src/plan/audit.ts'
import { crawl, missed, type Reached, type Step } from '../support/console-crawl.ts'
import { evilName, type HostileConsole, hostileConsole } from '../support/hostile-console.ts'
import { OperatorBrowser, type Page } from '../support/operator-browser.ts'
import { describeWalked } from '../support/stores.ts'

/** What of the markup of a page is none of ours: an element, an attribute or a URL. Texts are escaped, so each `<` begins a tag, and each `>` ends one. */
const strangeIn = (text: string): readonly string[] =>
  [...text.matchAll(/<[^>]*>/g)].flatMap(([tag]) => {
    const bare = tag.replaceAll(/"[^"]*"/g, '""')
    const urls = [...tag.matchAll(/\b(?:href|src|action|formaction)="([^"]*)"/g)].map(([, url = '']) => url)
    const isOurs =
      !/^<\/?(?:img|iframe|object|embed|base|style|zz)\b/i.test(tag) &&
      (!/^<script/i.test(tag) || tag.startsWith('<script type="module" src="/assets/')) &&
      !/zz|\bon\w+=|\bstyle=|[<'`]/i.test(bare.slice(1)) &&
      urls.every((url) => /^(?:\/(?!\/)|#)/.test(url))
    return isOurs ? [] : [tag.slice(0, 300)]
  })

const isPage = ({ headers }: Page): boolean => headers.get('content-type')?.startsWith('text/html') ?? false

/** What is asked before a page's own code is the same on both stores: the short form asks it on SQLite. */
const isAttacked = (kind: string): boolean => process.env.NOUNKIT_NIGHTLY === '1' || kind === 'sqlite'

describeWalked('the console with hostile texts', (store) => {
  let world: HostileConsole
  let reached: readonly Reached[]
  const attacked = new Set<string>()
  const done: string[] = []

  beforeAll(async () => {
    world = await hostileConsole({ databaseUrl: await store.url() })
    const eve = await OperatorBrowser.signedIn(world.served, 'eve', world.clock)
    const token = /name="token" value="([^"]+)"/.exec((await eve.get('/console/me')).text)?.[1] ?? ''
    reached = await crawl(world.ada, {
      start: [
        '/console',
        ...world.accounts.map((account) => `/console/data?${new URLSearchParams({ account })}`),
      ],
      typed: evilName,
      // Where a form asks once more, it is the answer that does something.
      before: async (step) => {
        if (!isAttacked(store.kind)) return
        if (step.form?.confirmed === 'yes' || /me$|export|delete/.test(step.pattern))
          await attack(step, token)
      },
    })
  })
  afterAll(() => world.close())

  /** How many acts and writes of rows are recorded. Everything that the console does is. */
  const recorded = async (): Promise<number> =>
    Number((await world.served.service.store.first(`SELECT count(*) FROM "${auditTable}"`, []))?.[0])

  /** Sends a form in every way but the right one, and notes the ways that did something. */
  const attack = async ({ url, form, pattern }: Step, otherToken: string): Promise<void> => {
    const { ada, served } = world
    attacked.add(pattern)
    const account = new URL(url, 'http://localhost').searchParams.get('account') ?? ''
    const fields: { readonly [name: string]: string } = {
      ...form,
      ...(form?.typed !== undefined && { typed: account }),
    }
    const query = `${url}${url.includes('?') ? '&' : '?'}${new URLSearchParams(fields)}`
    const noToken = { ...fields, token: '' }
    const by = (headers: { readonly [name: string]: string }, method = 'POST') =>
      ada.send(method, url, { form: fields, headers })
    const plain = { cookie: ada.cookies, 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain' }
    const ways: { readonly [way: string]: () => Promise<unknown> } = {
      'a link': () => ada.get(query),
      'a link of another method': () =>
        ada.get(`${query}&_method=POST`, { headers: { 'x-http-method-override': 'POST' } }),
      'no session': () => new OperatorBrowser(served).send('POST', url, { form: fields }),
      'no token': () => ada.send('POST', url, { form: noToken }),
      'a token of another session': () => ada.send('POST', url, { form: { ...fields, token: otherToken } }),
      'a token in the query': () => ada.send('POST', query, { form: noToken }),
      'a form of plain text': () =>
        served.fetch(url, { method: 'POST', headers: plain, body: new URLSearchParams(fields).toString() }),
      'another site': () => by({ 'sec-fetch-site': 'cross-site' }),
      'another host of the site': () => by({ 'sec-fetch-site': 'same-site', origin: 'http://app.localhost' }),
      'a page that was typed': () => by({ 'sec-fetch-site': 'none' }),
    }
    let before = await recorded()
    for (const [way, send] of Object.entries(ways)) {
      await send()
      const after = await recorded()
      if (after !== before) done.push(`${way}: ${pattern}`)
      before = after
    }
  }

  it('every page was come to, and none failed', () => {
    expect(missed(reached)).toEqual([])
    const failed = reached.filter(({ page }) => page.status >= 500)
    expect(failed.map(({ method, url }) => [method, url])).toEqual([])
  })

  it('no text becomes markup, wherever it was stored or typed', () => {
    const pages = reached.filter(({ page }) => isPage(page))
    expect(
      pages.flatMap(({ method, url, page }) => strangeIn(page.text).map((tag) => [method, url, tag])),
    ).toEqual([])
    expect(pages.filter(({ page }) => page.text.includes('&lt;zz')).length).toBeGreaterThan(50)
  })

  it('no text turns the direction of words beside it', () => {
    for (const { url, page } of reached.filter(({ page }) => isPage(page)))
      expect(page.text.replaceAll(/<textarea\b.*?<\/textarea>|<[^>]*>/gs, ''), url).not.toMatch(
        /[\u202d\u202e]/,
      )
    expect(reached.some(({ page }) => page.text.includes('[U+202E]'))).toBe(true)
  })

  it.runIf(isAttacked(store.kind))(
    'a form does nothing without its session, its token and its method, nor by another site',
    () => {
      expect(done).toEqual([])
      const posts = consolePages.filter((page) => page.kind === 'page' && page.post).map(({ path }) => path)
      expect(posts.filter((path) => !attacked.has(path))).toEqual(['/console/sign-out'])
    },
  )

  it('nothing is kept by a browser, framed by another page, or a script', () => {
    for (const { url, page } of reached) {
      const { headers } = page
      expect(headers.get('cache-control'), url).toBe('no-store')
      expect(headers.get('x-content-type-options'), url).toBe('nosniff')
      const policy = headers.get('content-security-policy') ?? ''
      for (const part of [
        "default-src 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
      ])
        expect(policy, url).toContain(part)
      expect(policy, url).not.toContain('unsafe')
      if (page.location !== '')
        expect(findRoute(new URL(page.location, 'http://localhost').pathname), page.location).not.toBeNull()
      if (page.status === 200 && !isPage(page))
        expect(headers.get('content-disposition'), url).toMatch(/^attachment;/)
    }
  })
})
