import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { api as declare, resource, version } from '../../src/index.ts'
import { usageReport } from '../../src/lifecycle/usage-report.ts'
import type { TestApi } from '../../src/testing.ts'
import { setClock } from '../support/set-clock.ts'
import { describeStores } from '../support/stores.ts'
import { testApi } from '../support/way-in.ts'

const declaration = declare('library', {
  resources: [resource('books', { fields: { title: z.string() } })],
  versions: [
    version('v3', { published: '2027-06-01' }),
    version('v2', { published: '2026-06-01' }),
    version('v1', { published: '2025-01-15', deprecated: '2027-01-01', sunset: '2027-12-31' }),
  ],
})

interface Listed {
  readonly name: string
  readonly status: string
}

describeStores('where a version stands', (stores) => {
  const clock = setClock('2026-08-01T12:00:00Z')
  let api: TestApi

  beforeAll(async () => {
    api = await testApi(declaration, { databaseUrl: await stores.url(), clock })
  })
  afterAll(() => api.close())

  test('a guide is linked as soon as there is a newer version, also before the deprecation', async () => {
    const guide = '/docs/migrations/v2-to-v3'
    expect((await api.fetch(guide)).status).toBe(200)
    const read = async (path: string) => (await api.fetch(path)).text()
    const index = JSON.parse(await read('/')) as {
      data: { versions: { name: string; guide: string | null }[] }
    }
    expect(index.data.versions.map(({ name, guide }) => [name, guide])).toEqual([
      ['v3', null],
      ['v2', guide],
      ['v1', '/docs/migrations/v1-to-v2'],
    ])
    for (const path of ['/v2', '/v2/openapi.json', '/docs/v2', '/docs/versions'])
      expect([path, (await read(path)).includes(guide)]).toEqual([path, true])
    expect(await read('/docs/v3')).not.toContain('/docs/migrations/v3')
  })

  const statuses = async (): Promise<readonly string[]> => {
    const { data } = (await (await api.fetch('/')).json()) as { data: { versions: Listed[] } }
    const listed = data.versions.map(({ status }) => status)
    const own = data.versions.map(async ({ name }) => {
      const index = (await (await api.fetch(`/${name}`)).json()) as { data: Listed }
      return index.data.status
    })
    expect(await Promise.all(own)).toEqual(listed)
    const { versions } = await usageReport(api.service.store, api.service.model, clock.now())
    expect(versions.map(({ status }) => status)).toEqual(listed)
    return listed
  }

  test.each([
    ['2025-08-01T12:00:00Z', ['unpublished', 'unpublished', 'current']],
    ['2026-08-01T12:00:00Z', ['unpublished', 'current', 'supported']],
    ['2026-12-31T23:59:59Z', ['unpublished', 'current', 'supported']],
    ['2027-01-01T00:00:00Z', ['unpublished', 'current', 'deprecated']],
    ['2027-06-01T00:00:00Z', ['current', 'supported', 'deprecated']],
    ['2027-12-31T23:59:59.999Z', ['current', 'supported', 'deprecated']],
    ['2028-01-01T00:00:00Z', ['current', 'supported', 'sunset']],
  ])('at %s is told by its dates that have come: %j', async (now, expected) => {
    clock.set(now)
    expect(await statuses()).toEqual(expected)
  })

  test('is shown on the versions page, where one version is current, and on the version switch', async () => {
    clock.set('2026-08-01T12:00:00Z')
    const page = await (await api.fetch('/docs/versions')).text()
    const cells = [...page.matchAll(/<td>(?:<a [^>]*>)?(v\d)(?:<\/a>)?<\/td><td>([^<]*)<\/td>/g)]
    expect(cells.map(([, name, status]) => [name, status])).toEqual([
      ['v3', 'not published yet'],
      ['v2', 'current'],
      ['v1', 'supported'],
    ])
    expect(await (await api.fetch('/docs/v1')).text()).not.toContain('<small>deprecated</small>')
    clock.set('2027-01-01T00:00:00Z')
    expect(await (await api.fetch('/docs/v1')).text()).toContain('v1 <small>deprecated</small>')
  })

  test('is announced from the beginning: the header and the documents name the day, past or to come', async () => {
    for (const now of ['2026-08-01T12:00:00Z', '2027-08-01T12:00:00Z']) {
      clock.set(now)
      const answer = await api.fetch('/v1')
      expect(answer.headers.get('deprecation')).toBe(`@${Date.parse('2027-01-01T00:00:00Z') / 1000}`)
      expect(answer.headers.get('sunset')).toBe('Fri, 31 Dec 2027 23:59:59 GMT')
      const text = JSON.stringify(await (await api.fetch('/v1/openapi.json')).json())
      expect(text).toContain('**v1 is deprecated as of 2027-01-01.** It is served at least until 2027-12-31.')
      expect(await (await api.fetch('/docs/migrations/v1-to-v2')).text()).toContain(
        'v1 is deprecated as of 2027-01-01 and is served at least until 2027-12-31.',
      )
      expect(await (await api.fetch('/docs/v1')).text()).toMatch(
        /v1 is deprecated<\/strong> as of <time datetime="2027-01-01">/,
      )
    }
  })
})
