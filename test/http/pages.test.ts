import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { problemKinds } from '../../src/problems.ts'
import type { TestApi } from '../../src/testing.ts'
import { shopContracts } from '../contract/openapi-shop.ts'
import { callCounter } from '../support/calls-made.ts'
import { describeStores } from '../support/stores.ts'
import { testApi } from '../support/way-in.ts'

describeStores('pages', (store) => {
  let api: TestApi
  const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

  beforeAll(async () => {
    api = await testApi(shop, { databaseUrl: await store.url(), contracts: await shopContracts() })
  })
  afterAll(() => api.close())

  const open = async (
    path: string,
    headers: { [name: string]: string } = browser,
    init: RequestInit = {},
  ) => {
    const response = await api.fetch(path, { ...init, headers })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      type: response.headers.get('content-type'),
    }
  }

  describe('the reference', () => {
    it('is what a browser finds at /, while a program finds the index', async () => {
      const page = await open('/')
      expect(page).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' })
      expect(page.text).toContain('data-document="/v2/openapi.json"')
      expect(page.headers.get('vary')).toContain('Accept')
      for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
        expect(JSON.parse((await open('/', { Accept: accept })).text).data).toMatchObject({ docs: '/docs' })
      }
    })

    it('says at the top of a deprecated version when it ends and how to move on', async () => {
      const { text } = await open('/docs/v1')
      expect(text).toMatch(/v1 is deprecated.*2026-06-01.*2026-12-31.*href="\/docs\/migrations\/v1-to-v2"/s)
      expect((await open('/docs/v2')).text).not.toContain('is deprecated')
    })

    it('lists every operation with a sample for readers without scripts', async () => {
      const { text } = await open('/docs')
      const plain = text.slice(text.indexOf('<noscript>'), text.indexOf('</noscript>'))
      expect(plain).toContain('>POST /v2/orders/{id}/items</h3>')
      expect(plain).toContain('curl -X PATCH &quot;$API/v2/orders/{id}&quot;')
    })

    it('is made once, with a nonce of its own for each request', async () => {
      const nonces = new Set<string>()
      const callsMade = await callCounter()
      const calls = await callsMade(async () => {
        for (let n = 0; n < 4; n++) {
          const { text, headers } = await open('/docs')
          const nonce = /property="csp-nonce" content="([\w+/]{22}==)"/.exec(text)?.[1] ?? ''
          expect(headers.get('content-security-policy')).toContain(`'nonce-${nonce}'`)
          nonces.add(nonce)
        }
      })
      expect(nonces.size).toBe(4)
      expect(calls.get('pages/markdown-forms.ts:referenceText') ?? 0).toBeLessThan(2)
    })

    it('switches between versions by links', async () => {
      const { text } = await open('/docs/v1')
      expect(text).toMatch(/<a href="\/docs\/v2">v2<\/a><a href="\/docs\/v1" aria-current="page">v1/)
    })

    it('may load nothing but our own files, runs no inline script, and lets in only its own styles', async () => {
      const [one, two] = [await open('/docs'), await open('/docs')]
      const policy = one.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self'")
      expect(policy).not.toContain('unsafe')
      expect(policy).not.toBe(two.headers.get('content-security-policy'))
      expect(one.text).not.toMatch(/<script(?![^>]* src="\/assets\/)/)
      expect(one.text).not.toMatch(/(src|href)="https?:/)
    })
  })

  describe('the OpenAPI document', () => {
    it('is served for each version, is known by its ETag, and comes compressed', async () => {
      for (const version of ['v1', 'v2']) {
        const whole = await open(`/${version}/openapi.json`, {})
        expect(whole).toMatchObject({ status: 200, type: 'application/json' })
        expect(JSON.parse(whole.text)).toMatchObject({ openapi: '3.1.1', servers: [{ url: `/${version}` }] })
        const etag = whole.headers.get('etag') ?? ''
        expect((await open(`/${version}/openapi.json`, { 'If-None-Match': etag })).status).toBe(304)
        const small = await api.fetch(`/${version}/openapi.json`, { headers: { 'Accept-Encoding': 'gzip' } })
        expect(small.headers.get('content-encoding')).toBe('gzip')
        expect(gunzipSync(Buffer.from(await small.arrayBuffer())).toString()).toBe(whole.text)
      }
    })

    it('carries the signals of a deprecated version', async () => {
      expect((await open('/v1/openapi.json')).headers.get('deprecation')).toBe('@1780272000')
      expect((await open('/v2/openapi.json')).headers.get('deprecation')).toBeNull()
    })
  })

  describe('problem pages', () => {
    it('say of every problem what happened and how to fix it, to people and to programs', async () => {
      for (const [type, { title, fix, status }] of Object.entries(problemKinds)) {
        const page = await open(`/problems/${type}`)
        expect(page).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' })
        expect(page.text).toMatch(/<h1 id="[a-z0-9-]+">/)
        expect(page.text).toContain(`>${title}</h1>`)
        const told = JSON.parse((await open(`/problems/${type}`, { Accept: 'application/json' })).text).data
        expect(told).toMatchObject({
          url: `/problems/${type}`,
          title,
          status,
          fix,
          example: { title, status },
        })
      }
    })

    it('are what the type of a real problem leads to', async () => {
      const { type } = JSON.parse((await open('/v2/orders', {})).text)
      expect(type).toBe('/problems/credentials-missing')
      expect((await open(type)).text).toContain('Credentials are required')
    })

    it('are all listed, with those that resources declare', async () => {
      const { text } = await open('/problems')
      const types = [
        ...Object.keys(problemKinds),
        'refund-exceeds-payment',
        'too-many-webhook-endpoints',
        'webhook-endpoint-inactive',
      ]
      for (const type of types) expect(text).toContain(`href="/problems/${type}"`)
      const { data } = JSON.parse((await open('/problems', { Accept: 'application/json' })).text)
      expect(data).toHaveLength(types.length)
    })

    it('exist for declared problems too, but for nothing else', async () => {
      const page = await open('/problems/refund-exceeds-payment')
      expect(page.status).toBe(200)
      expect(page.text).toContain('All refunds of a payment together never exceed what was paid.')
      for (const nonsense of ['anything', 'No_Type', 'a--b', '-', 'x'.repeat(200), '<b>', 'constructor/x'])
        expect((await open(`/problems/${encodeURIComponent(nonsense)}`)).status).toBe(404)
    })
  })

  describe('migration guides', () => {
    it('are pages for browsers, and Markdown where Accept asks for it', async () => {
      const page = await open('/docs/migrations/v1-to-v2')
      expect(page.type).toBe('text/html; charset=utf-8')
      expect(page.text).toContain('<h1 id="moving-from-v1-to-v2">Moving from v1 to v2</h1>')
      expect(page.text).toContain('<td><code>/v1/clients</code></td><td><code>/v2/customers</code></td>')
      // What both versions answer stands side by side.
      const pairs = page.text.split('<div class="before-after">').slice(1)
      expect(pairs).toHaveLength(6)
      expect(pairs[0]).toMatch(
        /GET \/v1\/clients\/.*full_name.*<\/div>\s*<div>.*GET \/v2\/customers\/.*&quot;name&quot;/s,
      )
      const markdown = await open('/docs/migrations/v1-to-v2', { Accept: 'text/markdown' })
      expect(markdown.type).toBe('text/markdown; charset=utf-8')
      expect(markdown.text).toMatch(/^# Moving from v1 to v2\n/)
    })

    it('lead from older to newer only', async () => {
      for (const name of ['v2-to-v1', 'v1-to-v1', 'v1-to-v9', 'v1', ''])
        expect((await open(`/docs/migrations/${name}`)).status).toBe(404)
    })
  })

  describe('the model in pictures', () => {
    it('shows resources, relations and states with the names of each version, and has accessible names', async () => {
      const { text } = await open('/docs/model')
      expect(text).toContain('<title id="relations-v2-title">Resources and relations of v2</title>')
      expect(text).toContain('Starts as draft. draft can move to placed or cancelled')
      expect(text).toContain('>customers</text>')
      const old = (await open('/docs/model/v1')).text
      expect(old).toContain('>clients</text>')
      expect(old).not.toContain('>customers</text>')
    })

    it('is rendered once', async () => {
      const [one, two] = [await open('/docs/model'), await open('/docs/model')]
      expect(one.headers.get('etag')).toBe(two.headers.get('etag'))
      expect(one.headers.get('content-security-policy')).not.toContain('nonce')
    })
  })

  describe('files', () => {
    it('that a page names may be kept for good', async () => {
      const { text } = await open('/docs')
      const names = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1] ?? '')
      expect(names.length).toBeGreaterThanOrEqual(5)
      for (const name of names) {
        const file = await open(name)
        expect([name, file.status]).toEqual([name, 200])
        expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      }
    })

    it('beside them are out of reach', async () => {
      const { text } = await open('/docs')
      const renderer = /\/assets\/scalar-[^/]+\//.exec(text)?.[0] ?? ''
      for (const path of [
        '/assets/page.css',
        `${renderer}..%2f..%2fpackage.json`,
        `${renderer}standalone.js.map`,
      ])
        expect((await open(path)).status).toBe(404)
    })
  })

  describe('methods', () => {
    it('other than reading are refused, and OPTIONS lists those that are allowed', async () => {
      for (const path of ['/', '/v2', '/docs', '/docs/model', '/problems', '/v2/openapi.json']) {
        const refused = await open(path, {}, { method: 'DELETE' })
        expect([path, refused.status, refused.headers.get('allow')]).toEqual([
          path,
          405,
          'GET, HEAD, OPTIONS',
        ])
        expect((await open(path, {}, { method: 'OPTIONS' })).headers.get('allow')).toBe('GET, HEAD, OPTIONS')
      }
      expect((await open('/docs/nothing', {}, { method: 'DELETE' })).status).toBe(404)
    })
  })
})
