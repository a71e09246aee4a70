import { expect, test } from 'vitest'
import { describeServing } from '../support/serving.ts'
import { newCustomer, newItem, newOrder, newProduct } from '../support/shop-rows.ts'

describeServing('conditional requests and caching', (served) => {
  test('the ETag begins with the version: it grows with each change and only then', async () => {
    const { id } = await newCustomer(served)
    const path = `/v2/customers/${id}`
    expect((await served.get(path)).rowVersion).toBe(1)
    expect((await served.call('PATCH', path, { body: { name: 'B' } })).rowVersion).toBe(2)
    expect((await served.call('PATCH', path, { body: { name: 'B' } })).rowVersion).toBe(2)
    expect((await served.get(path)).rowVersion).toBe(2)
  })

  test('If-None-Match with the current ETag is 304 with its headers and no body', async () => {
    const { id } = await newCustomer(served)
    const path = `/v2/customers/${id}`
    const { etag } = await served.get(path)
    for (const tag of [etag, `W/${etag}`, `"0", ${etag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await served.call(method, path, { headers: { 'If-None-Match': tag } })
        expect([answer.status, answer.text, answer.etag]).toEqual([304, '', etag])
        expect(answer.headers.get('cache-control')).toBe('private, no-cache')
        expect(answer.headers.get('vary')).toBe('Authorization, Accept-Encoding')
        expect(answer.headers.get('content-type')).toBeNull()
      }
    }
    const other = await served.get(path, { headers: { 'If-None-Match': '"2", "1", "1.x"' } })
    expect(other.status).toBe(200)
  })

  test('If-Match lets a write through only for the current version', async () => {
    const { id, email } = await newCustomer(served)
    const path = `/v2/customers/${id}`
    const before = await served.get(path)
    for (const tag of ['"7"', 'W/"1"', '"7", "8"', '1', '"1', '"7.abc"']) {
      const headers = { 'If-Match': tag }
      const patch = await served.call('PATCH', path, { body: { name: 'C' }, headers })
      expect(patch.refusal, tag).toEqual([412, 'precondition-failed'])
      expect(patch.etag).toBe(before.etag)
      expect((await served.call('PUT', path, { body: { name: 'C', email }, headers })).status).toBe(412)
      expect((await served.call('DELETE', path, { headers })).status).toBe(412)
    }
    expect((await served.get(path)).text).toBe(before.text)
    const tags = ['"1"', '"7", "2"', '*', '"4.older-shape.and-an-include"']
    for (const [at, tag] of tags.entries()) {
      const answer = await served.call('PATCH', path, {
        body: { name: `${at}` },
        headers: { 'If-Match': tag },
      })
      expect(answer.status, tag).toBe(200)
    }
    expect((await served.call('DELETE', path, { headers: { 'If-Match': '"5"' } })).status).toBe(204)
  })

  test('a resource that requires If-Match answers 428 without it, and creates need none', async () => {
    const product = await newProduct(served)
    const path = `/v2/products/${product.id}`
    const { sku, title, price, currency } = product
    const attempts = [
      ['PATCH', { price: 5 }],
      ['PUT', { sku, title, price, currency }],
      ['DELETE', undefined],
    ] as const
    for (const [method, body] of attempts) {
      const answer = await served.call(method, path, { body })
      expect(answer.refusal).toEqual([428, 'precondition-required'])
    }
    const headers = { 'If-Match': '"1"' }
    expect((await served.call('PATCH', path, { body: { price: 5 }, headers })).status).toBe(200)
  })

  test('of two writers with the same ETag one succeeds and the other gets 412', async () => {
    const { id } = await newCustomer(served)
    const names = Array.from({ length: 8 }, (_, at) => `writer ${at}`)
    const answers = await Promise.all(
      names.map((name) =>
        served.call('PATCH', `/v2/customers/${id}`, { body: { name }, headers: { 'If-Match': '"1"' } }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(412)])
    const winner = answers.find(({ status }) => status === 200)
    expect((await served.get(`/v2/customers/${id}`)).text).toBe(winner?.text)
  })

  test("a child's change leaves the parent's version, unless it changes the parent's own fields", async () => {
    const order = await newOrder(served)
    const path = `/v2/orders/${order.id}`
    await newItem(served, order.id, { unit_price: 0 })
    expect((await served.get(path)).rowVersion).toBe(1)
    const item = await newItem(served, order.id, { unit_price: 5 })
    expect((await served.get(path)).rowVersion).toBe(2)
    const adjusted = await served.call('POST', `/v2/order-items/${item.id}/adjustments`, {
      body: { amount: -1, reason: 'scratch' },
    })
    expect(adjusted.status).toBe(201)
    expect((await served.get(`/v2/order-items/${item.id}`)).rowVersion).toBe(1)
    expect((await served.get(path)).rowVersion).toBe(2)
  })

  test('resources are private and revalidated; problems are not stored', async () => {
    const list = await served.get('/v2/orders?limit=1')
    expect(list.headers.get('cache-control')).toBe('private, no-cache')
    expect(list.headers.get('vary')).toBe('Authorization, Accept-Encoding')
    expect((await served.get('/v2/orders?x=1')).headers.get('cache-control')).toBe('no-store')
  })
})
