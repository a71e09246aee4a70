import { afterAll, beforeAll, expect, it } from 'vitest'
import shop from '../../examples/shop/api.ts'
import type { TestApi } from '../../src/testing.ts'
import { shopContracts } from '../contract/openapi-shop.ts'
import { describeStores } from '../support/stores.ts'
import { testApi } from '../support/way-in.ts'

describeStores('pages of versions', (store) => {
  let api: TestApi

  beforeAll(async () => {
    const now = Date.parse('2026-08-01T12:00:00Z')
    api = await testApi(shop, {
      databaseUrl: await store.url(),
      contracts: await shopContracts(),
      clock: { now: () => now },
    })
  })
  afterAll(() => api.close())

  it('the versions page shows when each version came and goes, and the way on, to everyone', async () => {
    const text = await (await api.fetch('/docs/versions')).text()
    expect(text).toMatch(
      /v1<\/a><\/td><td>deprecated<\/td>.*2025-01-15.*2026-06-01.*2026-12-31.*migrations\/v1-to-v2/s,
    )
    expect(text).toContain('v1: published 2025-01-15, deprecated 2026-06-01, sunset 2026-12-31.')
  })
})
