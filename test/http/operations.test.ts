import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ListeningShop, listeningShop } from '../support/listening-shop.ts'
import { describeStores } from '../support/stores.ts'

describeStores('operations', (store) => {
  let shop: ListeningShop

  beforeAll(async () => {
    shop = await listeningShop({ databaseUrl: await store.url() })
  })
  afterAll(() => shop.close())

  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${shop.server.url}${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${shop.key}`, 'Content-Type': 'application/json', ...init.headers },
    })

  test('livez and readyz need no key', async () => {
    expect((await fetch(`${shop.server.url}/livez`)).status).toBe(200)
    const ready = await fetch(`${shop.server.url}/readyz`)
    expect(ready.status).toBe(200)
    expect(await ready.json()).toEqual({ status: 'ready' })
  })

  test('metrics count requests by route template, status and version, time them, and count statements and replays', async () => {
    const create = {
      method: 'POST',
      headers: { 'Idempotency-Key': 'once' },
      body: JSON.stringify({ name: 'Max', email: 'max@metrics.example' }),
    }
    const { data } = (await (await call('/v2/customers', create)).json()) as { data: { id: string } }
    await call('/v2/customers', create)
    await call(`/v2/customers/${data.id}`)
    await call('/v2/customers/nobody')
    const text = await (await fetch(`${shop.server.url}/metrics`)).text()
    expect(text).toContain(
      'nounkit_requests_total{method="GET",route="/customers/{id}",version="v2",status="200"} 1\n',
    )
    expect(text).toContain(
      'nounkit_requests_total{method="GET",route="/customers/{id}",version="v2",status="404"} 1\n',
    )
    expect(text).toContain(
      'nounkit_request_duration_seconds_count{method="GET",route="/customers/{id}",version="v2"} 2\n',
    )
    expect(text).toContain('le="+Inf"} 2\n')
    expect(text).toMatch(/^nounkit_replays_total 1$/m)
    expect(text).toMatch(/^nounkit_store_statements_total [1-9]\d*$/m)
    expect(text).toMatch(/^nounkit_store_commits_total [1-9]\d*$/m)
    expect(text).not.toContain(data.id)
  })

  test('an access line has the route, the status, the account and the key id, and no secret, body or row id', async () => {
    const answer = await call('/v2/customers?filter[email]=secret@shop.example')
    const id = answer.headers.get('x-request-id')
    const line = shop.logged.find((text) => text.includes(`"${id}"`))
    const { route, status, version, account, consumer, method, ms } = JSON.parse(line ?? '{}')
    expect({ route, status, version, account, method }).toEqual({
      route: '/customers',
      status: 200,
      version: 'v2',
      account: 'acme',
      method: 'GET',
    })
    expect(consumer).toMatch(/^key_\w+$/)
    expect(ms).toBeGreaterThan(0)
    const everything = shop.logged.join('')
    expect(everything).not.toContain(shop.key)
    expect(everything).not.toContain('secret@shop.example')
    expect(everything).not.toContain('max@metrics.example')
  })

  test('operational paths move to a port of their own', async () => {
    const other = await listeningShop({ databaseUrl: await store.url(), listen: { opsPort: 0 } })
    try {
      expect((await fetch(`${other.server.opsUrl}/readyz`)).status).toBe(200)
      expect((await fetch(`${other.server.opsUrl}/metrics`)).status).toBe(200)
      expect((await fetch(`${other.server.opsUrl}/v2/orders`)).status).toBe(404)
      expect((await fetch(`${other.server.url}/metrics`)).status).toBe(404)
    } finally {
      await other.close()
    }
  })
})
