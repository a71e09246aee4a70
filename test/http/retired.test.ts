import { expect, test } from 'vitest'
import { KeyRing } from '../../src/guard/key-ring.ts'
import { storeDecision } from '../../src/lifecycle/retirement-decisions.ts'
import { usageReport } from '../../src/lifecycle/usage-report.ts'
import { webFetch } from '../../src/serve/mounted.ts'
import type { Service } from '../../src/serve/service.ts'
import { openLibrary } from '../support/library.ts'
import { setClock } from '../support/set-clock.ts'
import { describeStores } from '../support/stores.ts'

const missing = '01900000-0000-7000-8000-000000000000'

describeStores('a retired version', (stores) => {
  const clock = setClock('2026-04-15T12:00:00Z')

  async function retired(...versions: readonly string[]): Promise<Service> {
    const service = await openLibrary(await stores.url(), clock)
    for (const version of versions) {
      await storeDecision(service.store, { version, at: clock.now(), by: null }, {})
    }
    await service.lifecycle.beat()
    return service
  }
  const call = async (service: Service, path: string, init: RequestInit = {}) => {
    const request = new Request(`http://localhost${path}`, init)
    const response = await webFetch(service, () => {})(request, 'test')
    const link = response.headers.get('link')
    return { status: response.status, link, headers: response.headers, text: await response.text() }
  }

  test('answers 410 with the successor of that very URL and the guide, before it asks for credentials', async () => {
    const service = await retired('v1')
    const { status, link, text, headers } = await call(service, `/v1/authors/${missing}/books`)
    expect(status).toBe(410)
    expect(link).toBe(
      `</v2/authors/${missing}/books>; rel="successor-version", </docs/migrations/v1-to-v2>; rel="deprecation"; type="text/html", </docs/versions>; rel="sunset"; type="text/html"`,
    )
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(headers.get('deprecation')).toBe('@1717200000')
    expect(JSON.parse(text)).toMatchObject({
      type: '/problems/version-retired',
      successor: '/v2',
      guide: '/docs/migrations/v1-to-v2',
    })
  })

  test('answers every method so, on its resources and its index', async () => {
    const service = await retired('v1')
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'BREW']) {
      expect([method, (await call(service, '/v1/authors', { method })).status]).toEqual([method, 410])
      expect([method, (await call(service, '/v1', { method })).status]).toEqual([method, 410])
    }
  })

  test('answers 404 where it never had anything', async () => {
    const service = await retired('v1')
    expect((await call(service, '/v1/nothing')).status).toBe(404)
    expect((await call(service, `/v1/authors/${missing}/nothing`)).status).toBe(404)
  })

  test('names the nearest successor that is not retired itself', async () => {
    const service = await retired('v1', 'v2')
    const { link, text } = await call(service, `/v1/authors/${missing}`)
    expect(link).toContain(`</v3/writers/${missing}>; rel="successor-version"`)
    expect(link).toContain('</docs/migrations/v1-to-v3>; rel="deprecation"')
    expect(JSON.parse(text)).toMatchObject({ successor: '/v3', detail: expect.stringContaining('v3') })
    const { data } = JSON.parse((await call(await retired('v2'), '/v1')).text)
    expect(data.guide).toBe('/docs/migrations/v1-to-v3')
  })

  test('leaves the others as they were, and is listed as retired', async () => {
    const service = await retired('v1')
    expect((await call(service, '/v2')).status).toBe(200)
    expect((await call(service, '/v2/authors')).status).toBe(401)
    const { data } = JSON.parse((await call(service, '/')).text)
    type Listed = { name: string; status: string; openapi: string | null }
    expect(data.versions.map(({ name, status, openapi }: Listed) => [name, status, openapi])).toEqual([
      ['v3', 'current', '/v3/openapi.json'],
      ['v2', 'sunset', '/v2/openapi.json'],
      ['v1', 'retired', null],
    ])
  })

  test('counts what still comes as refused, with or without a key', async () => {
    const service = await retired('v1')
    const { secret } = await new KeyRing(service.store).create({ account: 'acme', name: 'till' })
    await call(service, '/v1/authors', { headers: { authorization: `Bearer ${secret}` } })
    await call(service, '/v1/authors')
    await service.lifecycle.beat()
    const { versions } = await usageReport(service.store, service.model, clock.now())
    const v1 = versions.find(({ version }) => version === 'v1')
    expect(v1).toMatchObject({ consumers: [], anonymous: null, refused: { calls: 2 } })
    expect(v1?.calls.every((calls) => calls === 0)).toBe(true)
  })
})
