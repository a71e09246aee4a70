import { expect, test } from 'vitest'
import { describeServing } from '../support/serving.ts'
import {
  moveOrder,
  newCustomer,
  newItem,
  newOrder,
  newPayment,
  newProduct,
  unique,
} from '../support/shop-rows.ts'

describeServing('the shop', (served) => {
  const totalOf = async (orderId: string) => (await served.get(`/v2/orders/${orderId}`)).data.total
  const keyed = () => ({ 'Idempotency-Key': unique() })
  const refund = (payment: string, amount: number) =>
    served.call('POST', `/v2/payments/${payment}/refunds`, { body: { amount }, headers: keyed() })

  test('an order’s total is the sum of its items, through every change of them', async () => {
    const order = await newOrder(served)
    expect(await totalOf(order.id)).toBe(0)
    const first = await newItem(served, order.id, { quantity: 2, unit_price: 150 })
    const second = await newItem(served, order.id, { quantity: 3, unit_price: 10 })
    expect(await totalOf(order.id)).toBe(330)
    await served.call('PATCH', `/v2/order-items/${first.id}`, { body: { quantity: 1 } })
    expect(await totalOf(order.id)).toBe(180)
    await served.call('PUT', `/v2/orders/${order.id}/items/${second.id}`, {
      body: { product_id: second.product_id, quantity: 1, unit_price: 7 },
    })
    expect(await totalOf(order.id)).toBe(157)
    await served.call('DELETE', `/v2/order-items/${first.id}`)
    expect(await totalOf(order.id)).toBe(7)
    const { id: product_id } = await newProduct(served)
    await served.make('/v2/order-items', { order_id: order.id, product_id, quantity: 10, unit_price: 1 })
    expect(await totalOf(order.id)).toBe(17)
  })

  test('items added at the same time are all in the total', async () => {
    const order = await newOrder(served)
    const { id: product_id } = await newProduct(served)
    await Promise.all(
      Array.from({ length: 12 }, () => newItem(served, order.id, { product_id, unit_price: 5 })),
    )
    expect(await totalOf(order.id)).toBe(60)
    expect((await served.get(`/v2/orders/${order.id}`)).etag).toMatch(/^"13\./)
  })

  test('a total that a number cannot hold is 422, and the item is not kept', async () => {
    const order = await newOrder(served)
    await newItem(served, order.id, { quantity: 1, unit_price: 9007199254740991 })
    expect(await totalOf(order.id)).toBe(9007199254740991)
    const { id: product_id } = await newProduct(served)
    for (const [quantity, unit_price] of [
      [1, 1],
      [1000, 9007199254740991],
    ]) {
      const answer = await served.call('POST', `/v2/orders/${order.id}/items`, {
        body: { product_id, quantity, unit_price },
      })
      expect(answer.refusal).toEqual([422, 'validation-failed'])
    }
    expect((await served.get(`/v2/orders/${order.id}/items`)).rows).toHaveLength(1)
    expect(await totalOf(order.id)).toBe(9007199254740991)
  })

  test('items are created, changed and deleted only while their order is a draft', async () => {
    const order = await newOrder(served)
    const item = await newItem(served, order.id)
    const { id: product_id } = await newProduct(served)
    await moveOrder(served, order.id, 'placed')
    const body = { product_id, quantity: 1, unit_price: 1 }
    const attempts = [
      await served.call('POST', `/v2/orders/${order.id}/items`, { body }),
      await served.call('POST', '/v2/order-items', { body: { ...body, order_id: order.id } }),
      await served.call('PATCH', `/v2/order-items/${item.id}`, { body: { quantity: 2 } }),
      await served.call('PUT', `/v2/order-items/${item.id}`, { body }),
      await served.call('DELETE', `/v2/order-items/${item.id}`),
      await served.call('DELETE', `/v2/orders/${order.id}/items/${item.id}`),
    ]
    for (const attempt of attempts) {
      expect(attempt.refusal).toEqual([409, 'state-conflict'])
      expect(attempt.problem).toMatchObject({ field: 'status', value: 'placed', allowed: ['draft'] })
    }
    expect((await served.get(`/v2/order-items/${item.id}`)).rowVersion).toBe(1)
    expect(await totalOf(order.id)).toBe(100)
  })

  test('no item slips in while its order is being placed', async () => {
    const { id: product_id } = await newProduct(served)
    for (let round = 0; round < 5; round++) {
      const order = await newOrder(served)
      const [item] = await Promise.all([
        served.call('POST', `/v2/orders/${order.id}/items`, {
          body: { product_id, quantity: 1, unit_price: 9 },
        }),
        served.call('PATCH', `/v2/orders/${order.id}`, { body: { status: 'placed' } }),
      ])
      expect([201, 409]).toContain(item.status)
      expect(await totalOf(order.id)).toBe(item.status === 201 ? 9 : 0)
    }
  })

  test('adjustments are allowed on any order and are no part of the total', async () => {
    const order = await newOrder(served)
    const item = await newItem(served, order.id)
    await moveOrder(served, order.id, 'placed', 'paid', 'shipped')
    const adjustment = await served.make(`/v2/order-items/${item.id}/adjustments`, {
      amount: -30,
      reason: 'dent',
    })
    expect(await totalOf(order.id)).toBe(100)
    const path = `/v2/adjustments/${adjustment.id}`
    expect((await served.call('PATCH', path, { body: { amount: -20 } })).data.amount).toBe(-20)
    expect((await served.call('DELETE', path)).status).toBe(204)
  })

  test('a customer with orders or referrals cannot be deleted, and 409 says by what', async () => {
    const buyer = await newCustomer(served)
    const order = await newOrder(served, { customer_id: buyer.id })
    const blocked = await served.call('DELETE', `/v2/customers/${buyer.id}`)
    expect(blocked.refusal).toEqual([409, 'still-referenced'])
    expect(blocked.problem.referenced_by).toEqual(['orders'])
    await served.call('DELETE', `/v2/orders/${order.id}`)
    expect((await served.call('DELETE', `/v2/customers/${buyer.id}`)).status).toBe(204)
    const friend = await newCustomer(served)
    const referred = await newCustomer(served, { referrer_id: friend.id })
    const again = await served.call('DELETE', `/v2/customers/${friend.id}`)
    expect([again.status, again.problem.referenced_by]).toEqual([409, ['customers']])
    await served.call('PATCH', `/v2/customers/${referred.id}`, { body: { referrer_id: null } })
    expect((await served.call('DELETE', `/v2/customers/${friend.id}`)).status).toBe(204)
  })

  test('deleting a draft order deletes its items and their adjustments', async () => {
    const order = await newOrder(served)
    const item = await newItem(served, order.id)
    const adjustment = await served.make('/v2/adjustments', {
      order_item_id: item.id,
      amount: 1,
      reason: 'r',
    })
    expect((await served.call('DELETE', `/v2/orders/${order.id}`)).status).toBe(204)
    for (const path of [
      `orders/${order.id}`,
      `order-items/${item.id}`,
      `adjustments/${adjustment.id}`,
      `orders/${order.id}/items`,
    ])
      expect((await served.get(`/v2/${path}`)).status, path).toBe(404)
  })

  test('an order that is not a draft, or has payments, cannot be deleted', async () => {
    const placed = await newOrder(served)
    await moveOrder(served, placed.id, 'placed')
    expect((await served.call('DELETE', `/v2/orders/${placed.id}`)).refusal).toEqual([409, 'state-conflict'])
    const paid = await newOrder(served)
    await newPayment(served, paid.id)
    const blocked = await served.call('DELETE', `/v2/orders/${paid.id}`)
    expect(blocked.refusal).toEqual([409, 'still-referenced'])
    expect(blocked.problem.referenced_by).toEqual(['payments'])
  })

  test('payments need a key, are made for an order in any state and currency, and only their reference changes', async () => {
    const order = await newOrder(served)
    await moveOrder(served, order.id, 'cancelled')
    const body = { order_id: order.id, amount: 5, currency: 'USD' }
    const keyless = await served.call('POST', '/v2/payments', { body })
    expect(keyless.refusal).toEqual([400, 'idempotency-key-missing'])
    const payment = await served.make('/v2/payments', body, { headers: keyed() })
    const path = `/v2/payments/${payment.id}`
    const other = await newOrder(served)
    for (const change of [{ amount: 6 }, { currency: 'EUR' }, { order_id: other.id }]) {
      const answer = await served.call('PATCH', path, { body: change })
      expect(answer.refusal).toEqual([422, 'validation-failed'])
      expect(answer.problem.errors).toMatchObject([
        { pointer: `#/${Object.keys(change)[0]}`, code: 'immutable' },
      ])
    }
    const changed = await served.call('PATCH', path, { body: { ...body, reference: 'INV-1' } })
    expect([changed.status, changed.data.reference]).toEqual([200, 'INV-1'])
  })

  test('refunds of a payment never exceed it', async () => {
    const payment = await newPayment(served, (await newOrder(served)).id, { amount: 100 })
    const refused = await refund(payment.id, 101)
    expect(refused.problem).toEqual({
      type: '/problems/refund-exceeds-payment',
      title: 'The refund is more than is left of the payment',
      status: 409,
      detail: 'Of this payment 100 can still be refunded, not 101.',
      instance: refused.headers.get('x-request-id'),
      errors: [
        {
          pointer: '#/amount',
          detail: 'Of this payment 100 can still be refunded, not 101.',
          code: 'refund-exceeds-payment',
        },
      ],
    })
    const first = await refund(payment.id, 60)
    expect(first.status).toBe(201)
    expect((await refund(payment.id, 41)).status).toBe(409)
    expect((await refund(payment.id, 40)).status).toBe(201)
    expect((await refund(payment.id, 1)).status).toBe(409)
    const path = first.headers.get('location') ?? ''
    expect((await served.call('PATCH', path, { body: { amount: 1 } })).faults).toEqual(['#/amount'])
    expect((await served.call('PATCH', path, { body: { reason: 'late' } })).data.reason).toBe('late')
  })

  test('refunds made at the same time do not pass the ceiling together', async () => {
    const payment = await newPayment(served, (await newOrder(served)).id, { amount: 100 })
    const answers = await Promise.all(Array.from({ length: 10 }, () => refund(payment.id, 30)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array(7).fill(409)])
    const { rows } = await served.get(`/v2/payments/${payment.id}/refunds`)
    expect(rows.map((row) => row.amount)).toEqual([30, 30, 30])
  })

  test('products are shared: both accounts see them, writing needs the scope', async () => {
    const product = await newProduct(served)
    const path = `/v2/products/${product.id}`
    expect((await served.get(path, { as: 'globex' })).text).toBe((await served.get(path)).text)
    const reader = await served.api.key('globex', { scopes: ['orders:read'] })
    const all = await served.api.key('globex', { scopes: ['*'] })
    for (const as of [reader, all]) expect((await served.get(path, { as })).status).toBe(200)
    expect((await served.get(path, { as: null })).status).toBe(401)
    const headers = { 'If-Match': '*' }
    for (const as of [reader, all]) {
      const refused = await served.call('PATCH', path, { body: { price: 1 }, as, headers })
      expect(refused.refusal).toEqual([403, 'scope-missing'])
      expect((await served.get(path)).data.price).toBe(product.price)
    }
    const writer = await served.api.key('globex', { scopes: ['products:write'] })
    expect((await served.call('PATCH', path, { body: { price: 1 }, as: writer, headers })).status).toBe(200)
  })

  test('a product in use by anyone cannot be deleted, and nobody learns by whom', async () => {
    const product = await newProduct(served)
    const order = await newOrder(served)
    await newItem(served, order.id, { product_id: product.id })
    const headers = { 'If-Match': '*' }
    const mine = await served.call('DELETE', `/v2/products/${product.id}`, { headers })
    expect([mine.status, mine.problem.referenced_by]).toEqual([409, ['order-items']])
    const theirs = await served.call('DELETE', `/v2/products/${product.id}`, { headers, as: 'globex' })
    expect([theirs.status, theirs.problem.referenced_by]).toEqual([409, []])
    await served.call('DELETE', `/v2/orders/${order.id}`)
    expect((await served.call('DELETE', `/v2/products/${product.id}`, { headers })).status).toBe(204)
  })

  test('each account has its own seed, and both share the products', async () => {
    const page = async (path: string, as: string) => (await served.get(`${path}?limit=100`, { as })).rows
    const [acme, globex] = [await page('/v2/customers', 'acme'), await page('/v2/customers', 'globex')]
    expect(globex.length).toBeGreaterThanOrEqual(20)
    expect(acme.some((row) => globex.some((other) => other.id === row.id))).toBe(false)
    expect((await page('/v2/orders', 'globex')).length).toBeGreaterThanOrEqual(50)
    expect((await page('/v2/products', 'globex')).length).toBeGreaterThanOrEqual(40)
  })
})
