import { api, renameField, resource, version } from 'nounkit'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Version } from '../../src/compile/model.ts'
import type { Change } from '../../src/declare/change.ts'
import { collectFacts } from '../../src/lifecycle/facts.ts'
import { retireVersion } from '../../src/lifecycle/retire-version.ts'
import { storeDecision } from '../../src/lifecycle/retirement-decisions.ts'
import { webFetch } from '../../src/serve/mounted.ts'
import { openService, type Service } from '../../src/serve/service.ts'
import { whenOver } from '../support/clean-up.ts'
import { setClock } from '../support/set-clock.ts'
import { describeStores } from '../support/stores.ts'
import { whileBeating } from './while-beating.ts'

const clock = setClock('2026-04-15T12:00:00Z')
const windowMs = 30 * 86_400_000
const renamed = [renameField('books', 'name', 'title')]

/** Three versions, with what became of the older two. */
async function open(
  databaseUrl: string,
  ofV1: readonly Change[],
  ofV2: readonly Change[] = [],
): Promise<Service> {
  const v3 = version('v3', { published: '2025-06-01' })
  const v2 = version('v2', {
    published: '2024-06-01',
    deprecated: '2025-06-01',
    sunset: '2026-03-31',
    changes: ofV2,
  })
  const v1 = version('v1', {
    published: '2024-01-01',
    deprecated: '2024-06-01',
    sunset: '2025-12-31',
    changes: ofV1,
  })
  const books = resource('books', { fields: { title: z.string().max(100) } })
  const declaration = api('guides', { resources: [books], versions: [v3, v2, v1] })
  const service = await openService({ declaration, databaseUrl, clock, rate: 'off', beatMs: null })
  whenOver(() => service.close())
  return service
}

async function get(service: Service, path: string, accept = '*/*'): Promise<Response> {
  const request = new Request(`http://localhost${path}`, { headers: { accept } })
  return webFetch(service, () => {})(request, 'test')
}

function named(service: Service, name: string): Version {
  const found = service.model.versions.find((one) => one.name === name)
  if (!found) throw new Error(`no ${name}`)
  return found
}

async function guideFrom(service: Service, name: string): Promise<string | null> {
  const facts = await collectFacts(service.store, named(service, name), { now: clock.now(), windowMs })
  return facts.guide
}

async function expectGuide(service: Service, guide: string): Promise<void> {
  expect(await guideFrom(service, 'v1')).toBe(guide)
  expect((await get(service, guide)).status).toBe(200)
  expect((await get(service, '/v1')).headers.get('link')).toContain(`<${guide}>; rel="deprecation"`)
  expect(await (await get(service, '/docs/versions', 'text/html')).text()).toContain(`href="${guide}"`)
}

describeStores('the guide of a version that is not deprecated', (stores) => {
  test('is linked as soon as there is a newer version: from the index, the reference and the versions page', async () => {
    const books = resource('books', { fields: { title: z.string().max(100) } })
    const versions = [version('v2'), version('v1', { published: '2024-01-01', changes: renamed })]
    const declaration = api('guides', { resources: [books], versions })
    const databaseUrl = await stores.url()
    const service = await openService({ declaration, databaseUrl, clock, rate: 'off', beatMs: null })
    whenOver(() => service.close())
    const guide = '/docs/migrations/v1-to-v2'
    expect((await get(service, guide)).status).toBe(200)
    expect(await (await get(service, '/v1')).json()).toMatchObject({ data: { deprecated: null, guide } })
    for (const page of ['/docs/v1', '/docs/versions'])
      expect(await (await get(service, page, 'text/html')).text()).toContain(`href="${guide}"`)
    // Nobody is sent away from it yet.
    expect((await get(service, '/v1')).headers.has('deprecation')).toBe(false)
  })
})

describeStores('the guide a retirement is decided on', (stores) => {
  test.each([
    ['changed things', renamed],
    ['only added things', []],
  ])('is the one that is served and linked, when the successor %s', async (_, ofV1) => {
    const service = await open(await stores.url(), ofV1)
    await expectGuide(service, '/docs/migrations/v1-to-v2')
    const index = (await (await get(service, '/v1')).json()) as { data: { guide: string } }
    expect(index.data.guide).toBe('/docs/migrations/v1-to-v2')
  })

  test.each([
    ['the retired one changed things', renamed, []],
    ['the one after it changed things', [], renamed],
    ['both only added things', [], []],
  ])('leads past a retired successor, when %s', async (_, ofV1, ofV2) => {
    const service = await open(await stores.url(), ofV1, ofV2)
    await storeDecision(service.store, { version: 'v2', at: clock.now(), by: null }, {})
    await service.lifecycle.beat()
    await expectGuide(service, '/docs/migrations/v1-to-v3')
  })

  test('is none where nothing newer is served', async () => {
    const service = await open(await stores.url(), renamed)
    expect(await guideFrom(service, 'v3')).toBe(null)
  })

  test('does not hold up a version whose successor only added things', async () => {
    const service = await open(await stores.url(), [])
    await get(service, '/v1')
    await service.lifecycle.beat()
    const options = { clock, windowMs, by: null, dryRun: false }
    const { blockers, retired } = await whileBeating(
      clock,
      () => service.lifecycle.beat(),
      () => retireVersion(service.store, named(service, 'v1'), options),
    )
    expect({ blockers, retired }).toEqual({ blockers: [], retired: true })
  })
})
