import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { api, resource, states, version } from '../../src/index.ts'
import type { TestApi } from '../../src/testing.ts'
import { describeStores } from '../support/stores.ts'
import { testApi } from '../support/way-in.ts'

describeStores('pages of a hostile declaration', (store) => {
  const evil = '<script>alert(1)</script>"\'&`*[x](javascript:1)'
  let served: TestApi

  beforeAll(async () => {
    const things = resource('things', {
      description: evil,
      fields: {
        kind: z.enum(['a"b', 'c<d>']).describe(evil),
        step: states('one', { one: ['two'] }, { description: evil }),
        shape: z.object({ deep: z.array(z.string()) }).optional(),
        code: z.string().regex(/^[A-Z]{3}-\d{4}$/),
      },
    })
    served = await testApi(
      api('evil', { title: evil, description: evil, resources: [things], versions: [version('v1')] }),
      { databaseUrl: await store.url() },
    )
  })
  afterAll(() => served.close())

  it('what a declaration says is text on every page, never markup', async () => {
    for (const path of ['/docs', '/docs/model', '/docs/versions', '/problems', '/problems/not-found']) {
      const text = await (await served.fetch(path, { headers: { Accept: 'text/html' } })).text()
      expect(text).toContain('&lt;script&gt;alert(1)')
      expect(text).not.toContain('<script>alert(1)')
      expect(text).not.toContain('href="javascript:')
    }
  })

  it('an API with one version, unusual values and a pattern without an example still has documents', async () => {
    const document = JSON.parse(await (await served.fetch('/v1/openapi.json')).text())
    expect(document.components.schemas.ThingCreate).not.toHaveProperty('examples')
    expect(document.paths['/things'].get.parameters.length).toBeGreaterThan(2)
    expect((await served.fetch('/docs/migrations/v1-to-v2')).status).toBe(404)
    expect((await served.fetch('/problems/some-rule')).status).toBe(404)
  })
})
