import { expect, test } from 'vitest'
import { describeServing } from '../support/serving.ts'
import { moveOrder, newCustomer, newItem, newOrder, newProduct, unique } from '../support/shop-rows.ts'

describeServing('PUT', (served) => {
  test('replaces the whole: an absent optional field is unset', async () => {
    const { id, email } = await newCustomer(served, { phone: '030 1' })
    const answer = await served.call('PUT', `/v2/customers/${id}`, { body: { name: 'Cleo', email } })
    expect(answer.status).toBe(200)
    expect(answer.rowVersion).toBe(2)
    expect(answer.data).toMatchObject({ id, name: 'Cleo', email, phone: null })
    expect((await served.get(`/v2/customers/${id}`)).text).toBe(answer.text)
  })

  test('an absent or null field with a default returns to it', async () => {
    const { id, sku, title, price, currency } = await newProduct(served, { active: false })
    const whole = { sku, title, price, currency }
    const headers = { 'If-Match': '*' }
    const absent = await served.call('PUT', `/v2/products/${id}`, { body: whole, headers })
    expect(absent.data.active).toBe(true)
    await served.call('PATCH', `/v2/products/${id}`, { body: { active: false }, headers })
    const nulled = await served.call('PUT', `/v2/products/${id}`, {
      body: { ...whole, active: null },
      headers,
    })
    expect(nulled.data.active).toBe(true)
  })

  test('an absent required field is 422 and changes nothing', async () => {
    const { id } = await newCustomer(served)
    const before = await served.get(`/v2/customers/${id}`)
    const answer = await served.call('PUT', `/v2/customers/${id}`, { body: { name: 'Cleo' } })
    expect(answer.refusal).toEqual([422, 'validation-failed'])
    expect(answer.faults).toEqual(['#/email'])
    expect((await served.get(`/v2/customers/${id}`)).text).toBe(before.text)
  })

  test('a state field that is absent or null stays', async () => {
    const { id, customer_id } = await newOrder(served)
    await moveOrder(served, id, 'placed')
    for (const state of [{}, { status: null }]) {
      const answer = await served.call('PUT', `/v2/orders/${id}`, {
        body: { customer_id, currency: 'USD', ...state },
      })
      expect(answer.data).toMatchObject({ status: 'placed', currency: 'USD' })
    }
  })

  test('what GET returned can be sent back unchanged, and changes nothing', async () => {
    const order = await newOrder(served, { note: 'as it is' })
    await newItem(served, order.id)
    const { rows: products } = await served.get('/v2/products?limit=1')
    const paths = [
      `/v2/customers/${order.customer_id}`,
      `/v2/orders/${order.id}`,
      `/v2/products/${products[0]?.id}`,
      `/v2/order-items/${(await served.get(`/v2/orders/${order.id}/items`)).rows[0]?.id}`,
    ]
    for (const path of paths) {
      const before = await served.get(path)
      const answer = await served.call('PUT', path, {
        body: before.data,
        headers: { 'If-Match': before.etag },
      })
      expect(answer.status, path).toBe(200)
      expect(answer.text).toBe(before.text)
      expect(answer.etag).toBe(before.etag)
    }
  })

  test('the same PUT twice gives the same end state', async () => {
    const { id, email } = await newCustomer(served)
    const put = () => served.call('PUT', `/v2/customers/${id}`, { body: { name: 'Dora', email, phone: '1' } })
    const first = await put()
    const second = await put()
    expect(second.text).toBe(first.text)
    expect(second.etag).toBe(first.etag)
  })

  test('a read-only field with another value is 422', async () => {
    const { id, customer_id } = await newOrder(served)
    const answer = await served.call('PUT', `/v2/orders/${id}`, {
      body: { customer_id, currency: 'EUR', total: 5, id: 'x', created_at: '2020-01-01T00:00:00.000Z' },
    })
    expect(answer.refusal).toEqual([422, 'validation-failed'])
    expect([...answer.faults].sort()).toEqual(['#/created_at', '#/id', '#/total'])
    expect(answer.problem.errors?.every(({ code }) => code === 'read_only')).toBe(true)
  })

  test('a unique value that another row has is 409, its own is not', async () => {
    const taken = await newCustomer(served)
    const { id, email } = await newCustomer(served)
    const path = `/v2/customers/${id}`
    expect((await served.call('PUT', path, { body: { name: 'E', email: taken.email } })).refusal).toEqual([
      409,
      'unique-conflict',
    ])
    expect((await served.call('PUT', path, { body: { name: 'E', email } })).status).toBe(200)
  })

  test('a reference to a row that does not exist is 422 with a pointer', async () => {
    const { id, email } = await newCustomer(served)
    const body = { name: 'F', email, referrer_id: unique() }
    const answer = await served.call('PUT', `/v2/customers/${id}`, { body })
    expect(answer.refusal).toEqual([422, 'validation-failed'])
    expect(answer.faults).toEqual(['#/referrer_id'])
  })
})
