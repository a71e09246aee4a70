import { describe, expect, test } from 'vitest'
import { describeServing } from '../support/serving.ts'
import { newCustomer, newItem, newOrder, newPayment, noId } from '../support/shop-rows.ts'

describeServing('addresses', (served) => {
  describe('paths', () => {
    test.each([
      ['/v2/orders/', '/v2/orders'],
      ['/v2/Orders', '/v2/orders'],
      ['/V2/orders', '/v2/orders'],
      ['/v2/order', '/v2/orders'],
      ['/v2/ordres', '/v2/orders'],
      ['/orders/', '/orders'],
      ['/v2/', '/v2'],
      ['/V1', '/v1'],
      [`/v2/orders/${noId}/`, `/v2/orders/${noId}`],
      [`/v2/orders/${noId}/Items`, `/v2/orders/${noId}/items`],
      [`/v2/orders/${noId}/item`, `/v2/orders/${noId}/items`],
      ['/v1/customers', '/v1/clients'],
      [`/v2/clients/${noId}/orders`, `/v2/customers/${noId}/orders`],
    ])('%s is 404 and the detail names %s', async (path, right) => {
      const answer = await served.get(path)
      expect(answer.refusal).toEqual([404, 'not-found'])
      expect(answer.problem.detail).toContain(`${right}?`)
    })

    test.each([
      '/v2/refunds',
      `/v2/refunds/${noId}`,
      '/v2/items',
      `/v2/orders/${noId}/customer`,
      `/v2/orders/${noId}/items/${noId}/adjustments`,
      '/v2//orders',
      '//v2/orders',
      '/v2/orders//items',
      '/v2/orders/cancel/now',
      '/v2/constructor',
      '/v2/__proto__/x',
    ])('%s is 404, with and without a key', async (path) => {
      expect((await served.api.fetch(new Request(`http://localhost${path}`))).status).toBe(404)
      expect((await served.get(`http://localhost${path}`)).status).toBe(404)
    })

    test.each([
      ['/v2/items', 'order-items are at /v2/order-items or /v2/orders/{id}/items.'],
      [`/v1/refunds/${noId}/`, `refunds are at /v1/payments/{id}/refunds/${noId}.`],
      ['/refund', 'refunds are at /payments/{id}/refunds.'],
      [
        `/v2/orders/${noId}/items/${noId}/adjustments`,
        'adjustments are at /v2/adjustments or /v2/order-items/{id}/adjustments.',
      ],
      [`/v2/customers/${noId}/items`, 'order-items are at /v2/order-items or /v2/orders/{id}/items.'],
    ])(
      '%s is a name that is no path there: 404, and the detail says where its rows are',
      async (path, where) => {
        const answer = await served.get(path)
        expect(answer.refusal).toEqual([404, 'not-found'])
        expect(answer.problem.detail).toBe(`There is nothing at this path. Rows of ${where}`)
      },
    )

    test.each([
      [
        `/v2/orders/${noId}/customer`,
        `customer is one row: GET /v2/orders/${noId}?include=customer shows it.`,
      ],
      [
        `/v1/adjustments/${noId}/order-item/`,
        `order_item is one row: GET /v1/adjustments/${noId}?include=order_item shows it.`,
      ],
      ['/v2/nothing/of/this', 'GET /v2 lists its collections.'],
      ['/healthz', 'GET / lists the versions.'],
    ])('%s is 404, and the detail says where to look', async (path, where) => {
      const { refusal, problem } = await served.get(path)
      expect(refusal).toEqual([404, 'not-found'])
      expect(problem.detail).toBe(`There is nothing at this path. ${where}`)
    })

    test('an unknown version is 404 and names those there are', async () => {
      for (const path of ['/v9/orders', '/v9', '/v02/orders', '/v3/nothing']) {
        const answer = await served.get(path)
        expect(answer.refusal).toEqual([404, 'not-found'])
        expect(answer.problem.versions).toEqual(['v2', 'v1'])
      }
    })

    test.each([
      'x',
      '1',
      'null',
      '%00',
      '%ff',
      "'--",
      'a'.repeat(2000),
      '..%2f..',
      '{id}',
      noId.toUpperCase(),
    ])('an id that is none is 404: %s', async (id) => {
      expect((await served.get(`/v2/orders/${id}`)).refusal).toEqual([404, 'not-found'])
      expect((await served.get(`/v2/orders/${id}/items`)).refusal).toEqual([404, 'not-found'])
      expect((await served.call('DELETE', `/v2/orders/${id}`)).status).toBe(404)
      expect((await served.call('PATCH', `/v2/orders/${id}`, { body: {} })).status).toBe(404)
    })

    test('a sub-resource of another owner is 404 under this one', async () => {
      const order = await newOrder(served)
      const item = await newItem(served, order.id)
      const payment = await newPayment(served, order.id)
      const other = await newOrder(served)
      for (const [segment, row] of [
        ['items', item],
        ['payments', payment],
      ] as const) {
        const wrong = `/v2/orders/${other.id}/${segment}/${row.id}`
        expect((await served.get(wrong)).status).toBe(404)
        expect((await served.call('PATCH', wrong, { body: {} })).status).toBe(404)
        expect((await served.get(`/v2/orders/${order.id}/${segment}/${row.id}`)).status).toBe(200)
      }
      expect((await served.call('DELETE', `/v2/orders/${other.id}/items/${item.id}`)).status).toBe(404)
      expect((await served.get(`/v2/order-items/${item.id}`)).status).toBe(200)
    })

    test('what lies three levels deep lives at the top level and under its direct owner', async () => {
      const order = await newOrder(served)
      const item = await newItem(served, order.id)
      const under = await served.call('POST', `/v2/order-items/${item.id}/adjustments`, {
        body: { amount: -5, reason: 'dent' },
      })
      expect(under.status).toBe(201)
      expect(under.headers.get('location')).toBe(`/v2/adjustments/${under.data.id}`)
      const top = await served.make('/v2/adjustments', { order_item_id: item.id, amount: 1, reason: 'r' })
      const list = await served.get(`/v2/order-items/${item.id}/adjustments`)
      expect(list.rows.map((row) => row.id)).toEqual([under.data.id, top.id])
    })

    test('a list under an owner holds that owner’s rows only, and under an unknown owner is 404', async () => {
      const customer = await newCustomer(served)
      const mine = await newOrder(served, { customer_id: customer.id })
      await newOrder(served)
      const { rows } = await served.get(`/v2/customers/${customer.id}/orders`)
      expect(rows.map((row) => row.id)).toEqual([mine.id])
      const missing = await served.get(`/v2/customers/${noId}/orders`)
      expect(missing.status).toBe(404)
      expect(missing.problem.detail).toContain('this id in customers,')
      const create = await served.call('POST', `/v1/clients/${noId}/orders`, { body: {} })
      expect([create.status, create.problem.detail]).toEqual([
        404,
        'There is nothing with this id in clients, or it is not yours.',
      ])
    })
  })

  describe('paths without a version', () => {
    test('are served by the pinned version, and name the versioned URL, query included', async () => {
      const order = await newOrder(served)
      const pairs = [
        '/orders?limit=2&sort=-created_at',
        `/orders/${order.id}`,
        `/orders/${order.id}/items?limit=1`,
        '/products',
      ]
      for (const path of pairs) {
        const plain = await served.get(path)
        const versioned = await served.get(`/v2${path}`)
        expect([plain.status, plain.text]).toEqual([200, versioned.text])
        expect(plain.headers.get('content-location')).toBe(`/v2${path}`)
        expect(versioned.headers.get('content-location')).toBeNull()
        expect(plain.headers.get('link')).toBe(versioned.headers.get('link'))
      }
    })

    test('with an include name the canonical versioned URL', async () => {
      const order = await newOrder(served)
      const answer = await served.get(`/orders/${order.id}?include=items.product,customer,items`)
      expect(answer.headers.get('content-location')).toBe(
        `/v2/orders/${order.id}?include=customer,items,items.product`,
      )
    })

    test('take writes too, and answer with versioned locations', async () => {
      const { id } = await newCustomer(served)
      const created = await served.call('POST', '/orders', { body: { customer_id: id, currency: 'EUR' } })
      expect(created.headers.get('location')).toBe(`/v2/orders/${created.data.id}`)
      const path = `/orders/${created.data.id}`
      const patched = await served.call('PATCH', path, { body: { note: 'n' } })
      expect(patched.headers.get('content-location')).toBe(`/v2${path}`)
      expect((await served.call('DELETE', path)).status).toBe(204)
    })

    test('a cursor made without a version works with it: they are one collection', async () => {
      const { page } = await served.get('/customers?limit=1')
      const answer = await served.get(`/v2/customers?limit=1&cursor=${page.next_cursor}`)
      expect(answer.status).toBe(200)
    })
  })

  describe('indexes', () => {
    test('GET / shows the versions with status and dates, without a key', async () => {
      const answer = await served.get('/', { as: null })
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
      const { versions, unversioned } = answer.data as unknown as { versions: object[]; unversioned: string }
      expect(unversioned).toBe('v2')
      expect(versions).toMatchObject([
        { name: 'v2', url: '/v2', published: '2026-06-01', deprecated: null, sunset: null },
        { name: 'v1', url: '/v1', published: '2025-01-15', deprecated: '2026-06-01', sunset: '2026-12-31' },
      ])
    })

    test('GET /v2 shows its collections and links to documents', async () => {
      const answer = await served.get('/v2', { as: null })
      expect(answer.data).toMatchObject({
        name: 'v2',
        openapi: '/v2/openapi.json',
        collections: {
          customers: '/v2/customers',
          products: '/v2/products',
          orders: '/v2/orders',
          'order-items': '/v2/order-items',
          adjustments: '/v2/adjustments',
          payments: '/v2/payments',
        },
      })
      expect(answer.data.sub_collections).toContain('/v2/payments/{id}/refunds')
      expect((await served.get('/v1', { as: null })).data.collections).toHaveProperty('clients')
    })

    test('HEAD of an index has no body', async () => {
      const head = await served.call('HEAD', '/v2', { as: null })
      expect([head.status, head.text]).toEqual([200, ''])
    })
  })
})
