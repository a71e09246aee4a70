import { expect, test } from 'vitest'
import { describeServing } from '../support/serving.ts'
import { newCustomer, newItem, newOrder, newPayment, noId, unique } from '../support/shop-rows.ts'

const body = () => ({ name: 'Bo', email: `bo.${unique()}@example.com` })

describeServing('methods and statuses', (served) => {
  test('POST answers 201 with Location, ETag and the row', async () => {
    const sent = body()
    const answer = await served.call('POST', '/v2/customers', { body: sent })
    expect(answer.status).toBe(201)
    expect(answer.data).toMatchObject({ ...sent, phone: null })
    expect(answer.headers.get('location')).toBe(`/v2/customers/${answer.data.id}`)
    expect(answer.rowVersion).toBe(1)
    expect((await served.get(`/v2/customers/${answer.data.id}`)).text).toBe(answer.text)
  })

  test('Location is the top-level URL where there is one, the nested one where there is none', async () => {
    const order = await newOrder(served)
    const item = await served.call('POST', `/v2/orders/${order.id}/items`, {
      body: {
        product_id: (await served.get('/v2/products?limit=1')).rows[0]?.id,
        quantity: 1,
        unit_price: 1,
      },
    })
    expect(item.headers.get('location')).toBe(`/v2/order-items/${item.data.id}`)
    const payment = await newPayment(served, order.id)
    const refund = await served.call('POST', `/v2/payments/${payment.id}/refunds`, {
      body: { amount: 1 },
      headers: { 'Idempotency-Key': unique() },
    })
    const location = refund.headers.get('location') ?? ''
    expect(location).toBe(`/v2/payments/${payment.id}/refunds/${refund.data.id}`)
    expect((await served.get(location)).text).toBe(refund.text)
  })

  test('HEAD has the status and headers of GET and no body, for one and for a list', async () => {
    const { id } = await newCustomer(served)
    for (const path of [`/v2/customers/${id}`, '/v2/orders?limit=1&include=items', `/v2/customers/${noId}`]) {
      const get = await served.get(path)
      const head = await served.call('HEAD', path)
      const shown = ({ headers }: typeof get) => {
        const all = Object.fromEntries(headers)
        delete all['x-request-id']
        return all
      }
      expect(head.status).toBe(get.status)
      expect(head.text).toBe('')
      expect(shown(head)).toEqual(shown(get))
    }
  })

  test('OPTIONS names the methods, without a key and whether or not the row exists', async () => {
    const allow = async (path: string) => {
      const answer = await served.call('OPTIONS', path, { as: null })
      expect([answer.status, answer.text]).toEqual([204, ''])
      return answer.headers.get('allow')
    }
    expect(await allow('/v2/orders')).toBe('GET, HEAD, POST, OPTIONS')
    expect(await allow(`/v2/orders/${noId}`)).toBe('GET, HEAD, PUT, PATCH, DELETE, OPTIONS')
    expect(await allow('/v2/payments')).toBe('GET, HEAD, POST, OPTIONS')
    expect(await allow(`/v2/payments/${noId}`)).toBe('GET, HEAD, PATCH, OPTIONS')
    expect(await allow(`/v2/payments/${noId}/refunds/${noId}`)).toBe('GET, HEAD, PATCH, OPTIONS')
    expect(await allow('/')).toBe('GET, HEAD, OPTIONS')
  })

  test('a method that is not offered is 405 and names those that are', async () => {
    const order = await newOrder(served)
    const payment = await newPayment(served, order.id)
    const refused = [
      ['PUT', '/v2/orders'],
      ['DELETE', '/v2/orders'],
      ['PATCH', '/v2/customers'],
      ['POST', `/v2/orders/${order.id}`],
      ['PUT', `/v2/payments/${payment.id}`],
      ['DELETE', `/v2/payments/${payment.id}`],
      ['PUT', `/v2/orders/${order.id}/payments/${payment.id}`],
      ['DELETE', `/v2/payments/${payment.id}/refunds/${noId}`],
      ['POST', '/'],
      ['DELETE', '/v2'],
    ] as const
    for (const [method, path] of refused) {
      const answer = await served.call(method, path)
      expect(answer.refusal, `${method} ${path}`).toEqual([405, 'method-not-allowed'])
      const options = await served.call('OPTIONS', path)
      expect(answer.headers.get('allow')).toBe(options.headers.get('allow'))
    }
  })

  test('DELETE answers 204 without a body, and 404 when repeated', async () => {
    const { id } = await newCustomer(served)
    const gone = await served.call('DELETE', `/v2/customers/${id}`)
    expect([gone.status, gone.text]).toEqual([204, ''])
    expect((await served.call('DELETE', `/v2/customers/${id}`)).refusal).toEqual([404, 'not-found'])
    expect((await served.get(`/v2/customers/${id}`)).status).toBe(404)
  })

  test('PUT, PATCH and DELETE of an unknown id are 404: nothing is created that way', async () => {
    const before = (await served.get('/v2/customers?limit=100')).rows.length
    expect((await served.call('PUT', `/v2/customers/${noId}`, { body: body() })).status).toBe(404)
    expect((await served.call('PATCH', `/v2/customers/${noId}`, { body: body() })).status).toBe(404)
    expect((await served.call('DELETE', `/v2/customers/${noId}`)).status).toBe(404)
    expect((await served.get('/v2/customers?limit=100')).rows).toHaveLength(before)
  })

  test('every method works under the owner as it does at top level', async () => {
    const order = await newOrder(served)
    const item = await newItem(served, order.id)
    const path = `/v2/orders/${order.id}/items/${item.id}`
    expect((await served.get(path)).text).toBe((await served.get(`/v2/order-items/${item.id}`)).text)
    const patched = await served.call('PATCH', path, { body: { quantity: 3 } })
    expect([patched.status, patched.data.quantity, patched.rowVersion]).toEqual([200, 3, 2])
    const put = await served.call('PUT', path, {
      body: { product_id: item.product_id, quantity: 4, unit_price: 1 },
    })
    expect([put.status, put.data.quantity]).toEqual([200, 4])
    expect((await served.call('DELETE', path)).status).toBe(204)
    expect((await served.get(path)).status).toBe(404)
  })
})
