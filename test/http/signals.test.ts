import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { ApiDeclaration } from '../../src/declare/api.ts'
import { listeningShop } from '../support/listening-shop.ts'
import { type CallOptions, describeServing, shopContracts } from '../support/serving.ts'

const missing = '01900000-0000-7000-8000-000000000000'

const link = (successor: string): string =>
  [
    `<${successor}>; rel="successor-version"`,
    '</docs/migrations/v1-to-v2>; rel="deprecation"; type="text/html"',
    '</docs/versions>; rel="sunset"; type="text/html"',
  ].join(', ')

describeServing('signals of a deprecated version', (shop) => {
  const signals = async (method: string, path: string, options?: CallOptions) => {
    const { status, headers } = await shop.call(method, path, options)
    const shown = {
      deprecation: headers.get('deprecation'),
      sunset: headers.get('sunset'),
      link: headers.get('link'),
    }
    return { status, ...shown }
  }
  const deprecated = { deprecation: '@1780272000', sunset: 'Thu, 31 Dec 2026 23:59:59 GMT' }
  const client = async () => (await shop.get('/v1/clients?limit=1')).rows[0]?.id ?? ''

  test('stand on a row, each naming the same row in the successor', async () => {
    const id = await client()
    const expected = { status: 200, ...deprecated, link: link(`/v2/customers/${id}`) }
    expect(await signals('GET', `/v1/clients/${id}`)).toEqual(expected)
    expect(await signals('HEAD', `/v1/clients/${id}`)).toEqual(expected)
  })

  test('stand on a 304', async () => {
    const id = await client()
    const { etag } = await shop.get(`/v1/clients/${id}`)
    const answer = await signals('GET', `/v1/clients/${id}`, { headers: { 'If-None-Match': etag } })
    expect(answer).toEqual({ status: 304, ...deprecated, link: link(`/v2/customers/${id}`) })
  })

  test('stand on a list, after the link to the next page', async () => {
    const answer = await signals('GET', '/v1/clients?limit=1')
    expect(answer).toMatchObject({ status: 200, ...deprecated })
    expect(answer.link).toMatch(/^<[^>]+>; rel="next", <\/v2\/customers>; rel="successor-version", /)
  })

  test('stand on a sub-collection, in the names of the successor', async () => {
    const id = await client()
    expect(await signals('GET', `/v1/clients/${id}/orders?limit=100`)).toEqual({
      status: 200,
      ...deprecated,
      link: link(`/v2/customers/${id}/orders`),
    })
  })

  test('stand on a write', async () => {
    const body = { full_name: 'Ida', email: `ida-${shop.kind}@acme.example` }
    expect(await signals('POST', '/v1/clients', { body })).toMatchObject({
      status: 201,
      ...deprecated,
      link: link('/v2/customers'),
    })
  })

  test.each([
    ['401', 'GET', '/v1/clients', { as: null }, 401, '/v2/customers'],
    ['404 of a row', 'GET', `/v1/clients/${missing}`, {}, 404, `/v2/customers/${missing}`],
    ['404 of a path', 'GET', '/v1/nothing-here', {}, 404, '/v2'],
    ['405', 'DELETE', '/v1/clients', {}, 405, '/v2/customers'],
    ['400', 'GET', '/v1/clients?nonsense=1', {}, 400, '/v2/customers'],
    ['422', 'POST', '/v1/clients', { body: {} }, 422, '/v2/customers'],
    ['OPTIONS', 'OPTIONS', '/v1/clients', { as: null }, 204, '/v2/customers'],
    ['the index', 'GET', '/v1', { as: null }, 200, '/v2'],
    ['the document', 'GET', '/v1/openapi.json', { as: null }, 200, '/v2/openapi.json'],
  ] as const)('stand on %s', async (_, method, path, options, status, successor) => {
    expect(await signals(method, path, options)).toEqual({ status, ...deprecated, link: link(successor) })
  })

  describe('of the newest version', () => {
    test.each([
      ['a row that is not there', `/v2/customers/${missing}`],
      ['a path', '/v2/nothing-here'],
      ['the index', '/v2'],
      ['a path without a version', '/orders?limit=100'],
      ['the index of all', '/'],
      ['a version that never was', '/v9/orders'],
    ])('there are none on %s', async (_, path) => {
      const answer = await signals('GET', path)
      expect([answer.deprecation, answer.sunset]).toEqual([null, null])
      expect(answer.link ?? '').not.toMatch(/successor-version|deprecation|sunset/)
    })
  })
})

test('what is answered before the engine is asked carries them too', async () => {
  const declare = (declared: ApiDeclaration) => ({ ...declared, cors: { origins: '*' as const } })
  const contracts = await shopContracts()
  const shop = await listeningShop({ declare, contracts })
  const tooLong = await fetch(`${shop.server.url}/v1/clients?${'a'.repeat(12_000)}`)
  const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' }
  const preflight = await fetch(`${shop.server.url}/v1/clients`, { method: 'OPTIONS', headers })
  const newest = await fetch(`${shop.server.url}/v2/customers?${'a'.repeat(12_000)}`)
  expect([tooLong.status, preflight.status, newest.status]).toEqual([414, 204, 414])
  for (const answer of [tooLong, preflight]) {
    expect(answer.headers.get('deprecation')).toBe('@1780272000')
    expect(answer.headers.get('link')).toBe(link('/v2/customers'))
  }
  expect(newest.headers.get('deprecation')).toBeNull()
  await shop.close()
})

test('what a client sends unescaped does not end the target of a link', async () => {
  const shop = await listeningShop({ contracts: await shopContracts() })
  const linkOf = async (path: string): Promise<string> => {
    const headers = { authorization: `Bearer ${shop.key}` }
    const asked = request({ host: '127.0.0.1', port: shop.port, path, headers }).end()
    const [answer]: IncomingMessage[] = await once(asked, 'response')
    answer?.resume()
    return String(answer?.headers.link)
  }
  expect(await linkOf('/v1/clients/a>;rel="next"')).toBe(link('/v2/customers/a%3E;rel=%22next%22'))
  const list = await linkOf('/v2/products?limit=1&filter[sku][ne]=<">')
  expect(list).toMatch(/^<\/v2\/products\?limit=1&filter\[sku\]\[ne\]=%3C%22%3E&cursor=[\w-]+>; rel="next"$/)
  await shop.close()
})
