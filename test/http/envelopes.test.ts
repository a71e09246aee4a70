import { expect, test } from 'vitest'
import { describeServing } from '../support/serving.ts'
import { newCustomer, newItem, newOrder, newPayment, unique } from '../support/shop-rows.ts'

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const ownFields: { readonly [collection: string]: string } = {
  customers: 'referrer_id name email phone',
  products: 'sku title price currency active',
  orders: 'customer_id currency note status total',
  'order-items': 'order_id product_id quantity unit_price',
  adjustments: 'order_item_id amount reason',
  payments: 'order_id amount currency reference',
}

describeServing('envelopes', (served) => {
  test('one resource is an object with the single key data', async () => {
    const { id } = await newCustomer(served)
    const answer = await served.get(`/v2/customers/${id}`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(Object.keys(answer.json as object)).toEqual(['data'])
  })

  test.each(Object.entries(ownFields))(
    'the base form of %s has id, references, fields as declared, times, and nothing related',
    async (collection, fields) => {
      const { rows } = await served.get(`/v2/${collection}?limit=1`)
      expect(Object.keys(rows[0] ?? {})).toEqual(['id', ...fields.split(' '), 'created_at', 'updated_at'])
    },
  )

  test('refunds, which live under payments only, have the same order of fields', async () => {
    const order = await newOrder(served)
    const payment = await newPayment(served, order.id)
    const refund = await served.make(
      `/v2/payments/${payment.id}/refunds`,
      { amount: 1 },
      { headers: { 'Idempotency-Key': unique() } },
    )
    expect(Object.keys(refund)).toEqual(['id', 'payment_id', 'amount', 'reason', 'created_at', 'updated_at'])
  })

  test('an unset optional field is null, never absent', async () => {
    const customer = await newCustomer(served)
    expect(customer).toMatchObject({ phone: null, referrer_id: null })
    const order = await newOrder(served, { customer_id: customer.id })
    expect(order).toMatchObject({ note: null })
  })

  test('ids are UUIDv7 in creation order, times RFC 3339 in UTC with milliseconds', async () => {
    const first = await newCustomer(served)
    const second = await newCustomer(served)
    expect(first.id).toMatch(uuid7)
    expect(second.id > first.id).toBe(true)
    expect(first.created_at).toMatch(time)
    expect(first.updated_at).toBe(first.created_at)
  })

  test('a list has data and page, with a cursor and a Link while there is more', async () => {
    const answer = await served.get('/v2/customers?limit=2')
    expect(Object.keys(answer.json as object)).toEqual(['data', 'page'])
    expect(answer.rows).toHaveLength(2)
    expect(Object.keys(answer.page)).toEqual(['limit', 'has_more', 'next_cursor'])
    expect(answer.page).toMatchObject({ limit: 2, has_more: true })
    expect(answer.headers.get('link')).toBe(
      `</v2/customers?limit=2&cursor=${answer.page.next_cursor}>; rel="next"`,
    )
  })

  test('the last page of a list has no cursor and no Link', async () => {
    const customer = await newCustomer(served)
    const order = await newOrder(served, { customer_id: customer.id })
    const answer = await served.get(`/v2/customers/${customer.id}/orders`)
    expect(answer.rows.map((row) => row.id)).toEqual([order.id])
    expect(answer.page).toEqual({ limit: 25, has_more: false, next_cursor: null })
    expect(answer.headers.get('link')).toBeNull()
  })

  test('an empty list is an envelope like any other', async () => {
    const order = await newOrder(served)
    const answer = await served.get(`/v2/orders/${order.id}/items`)
    expect(answer.json).toEqual({ data: [], page: { limit: 25, has_more: false, next_cursor: null } })
  })

  test('a row in a list is the same, byte for byte, as the row fetched alone', async () => {
    const order = await newOrder(served, { note: 'tab\t, quote ", slash \\, snow ☃, clef 𝄞' })
    await newItem(served, order.id)
    const alone = await served.get(`/v2/orders/${order.id}`)
    const list = await served.get(`/v2/customers/${order.customer_id}/orders`)
    expect(list.text).toContain(alone.text.slice('{"data":'.length, -1))
  })
})
