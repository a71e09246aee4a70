import { expect, test } from 'vitest'
import { problemKinds } from '../../src/problems.ts'
import { type Answer, describeServing } from '../support/serving.ts'
import { newCustomer, newOrder, noId, unique } from '../support/shop-rows.ts'

describeServing('problems', (served) => {
  const someOfEach = async (): Promise<readonly Answer[]> => {
    const { email } = await newCustomer(served)
    const order = await newOrder(served)
    return [
      await served.call('POST', '/v2/customers', { body: '{' }),
      await served.get('/v2/orders?x=1'),
      await served.get('/v2/orders?include=nope'),
      await served.get('/v2/orders?cursor=x'),
      await served.call('POST', '/v2/payments', { body: {} }),
      await served.get('/v2/orders', { as: null }),
      await served.get('/v2/orders', { headers: { Authorization: 'Bearer nk_wrong' } }),
      await served.get('/v2/orders', { as: await served.api.key('acme', { scopes: ['customers:read'] }) }),
      await served.get(`/v2/orders/${noId}`),
      await served.call('PUT', '/v2/orders'),
      await served.get('/v2/orders', { headers: { Accept: 'text/html' } }),
      await served.call('POST', '/v2/customers', { body: { name: 'A', email } }),
      await served.call('DELETE', `/v2/customers/${order.customer_id}`),
      await served.call('PATCH', `/v2/orders/${order.id}`, { body: { status: 'paid' } }),
      await served.call('PATCH', `/v2/orders/${order.id}`, { body: {}, headers: { 'If-Match': '"9"' } }),
      await served.call('POST', '/v2/customers', { body: {}, headers: { 'Content-Type': 'text/plain' } }),
      await served.call('POST', '/v2/customers', { body: {} }),
    ]
  }

  test('each is problem+json with type, title, status, detail and the request id', async () => {
    for (const answer of await someOfEach()) {
      const { problem, headers } = answer
      expect(headers.get('content-type')).toBe('application/problem+json')
      expect(Object.keys(problem).slice(0, 5)).toEqual(['type', 'title', 'status', 'detail', 'instance'])
      expect(problem.status).toBe(answer.status)
      expect(problem.instance).toBe(headers.get('x-request-id'))
      const kind = Object.entries(problemKinds).find(([type]) => problem.type === `/problems/${type}`)
      expect(kind?.[1]).toMatchObject({ status: problem.status, title: problem.title })
      expect(problem.detail).not.toBe('')
    }
  })

  test('none of them is stored by caches, or tells of SQL, files or drivers', async () => {
    for (const answer of await someOfEach()) {
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.text).not.toMatch(/select|insert|sqlite|postgres|constraint|\.ts|node:|stack/i)
    }
  })

  test('missing and wrong credentials are 401 with a challenge, a missing scope 403', async () => {
    const missing = await served.get('/v2/orders', { as: null })
    expect(missing.refusal).toEqual([401, 'credentials-missing'])
    expect(missing.headers.get('www-authenticate')).toMatch(/^Bearer/)
    const wrong = await served.get('/v2/orders', { headers: { Authorization: 'Basic eDp5' } })
    expect(wrong.refusal).toEqual([401, 'credentials-invalid'])
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Bearer/)
    const key = await served.api.key('acme', { scopes: ['orders:read'] })
    const customer = await newCustomer(served)
    const body = { customer_id: customer.id, currency: 'EUR' }
    const forbidden = await served.call('POST', '/v2/orders', { as: key, body })
    expect(forbidden.refusal).toEqual([403, 'scope-missing'])
    expect(JSON.stringify(forbidden.problem)).toContain('orders:write')
  })

  test('a unique value that is taken is 409 with a pointer', async () => {
    const { email } = await newCustomer(served)
    const answer = await served.call('POST', '/v2/customers', { body: { name: 'A', email } })
    expect(answer.refusal).toEqual([409, 'unique-conflict'])
    expect(answer.problem.errors).toMatchObject([{ pointer: '#/email', code: 'unique' }])
    const other = await served.call('POST', '/v2/customers', { body: { name: 'A', email }, as: 'globex' })
    expect(other.status).toBe(201)
  })

  test('a reference to a row that does not exist is 422 with a pointer', async () => {
    for (const id of [noId, 'x', '']) {
      const body = { customer_id: id, currency: 'EUR' }
      const answer = await served.call('POST', '/v2/orders', { body })
      expect(answer.refusal).toEqual([422, 'validation-failed'])
      expect(answer.faults).toEqual(['#/customer_id'])
    }
    const item = { order_id: noId, product_id: noId, quantity: 1, unit_price: 1 }
    const both = await served.call('POST', '/v2/order-items', { body: item })
    expect([both.status, [...both.faults].sort()]).toEqual([422, ['#/order_id', '#/product_id']])
  })

  test('the problem of a hook is of the API’s own', async () => {
    const order = await newOrder(served)
    const headers = () => ({ 'Idempotency-Key': unique() })
    const payment = await served.make(
      '/v2/payments',
      { order_id: order.id, amount: 5, currency: 'EUR' },
      { headers: headers() },
    )
    const answer = await served.call('POST', `/v2/payments/${payment.id}/refunds`, {
      body: { amount: 6 },
      headers: headers(),
    })
    expect(answer.refusal).toEqual([409, 'refund-exceeds-payment'])
    expect(answer.problem.title).toBe('The refund is more than is left of the payment')
    expect(answer.faults).toEqual(['#/amount'])
  })
})
