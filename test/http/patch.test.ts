import { expect, test } from 'vitest'
import { describeServing } from '../support/serving.ts'
import { newCustomer, newItem, newOrder, newProduct } from '../support/shop-rows.ts'

describeServing('PATCH', (served) => {
  test('changes what is sent and leaves the rest', async () => {
    const before = await newCustomer(served, { phone: '030 1' })
    const answer = await served.call('PATCH', `/v2/customers/${before.id}`, { body: { name: 'Cleo' } })
    expect(answer.status).toBe(200)
    const { updated_at, ...kept } = answer.data
    expect(kept).toEqual({ ...kept, name: 'Cleo', phone: '030 1', email: before.email, id: before.id })
    expect(String(updated_at) >= String(before.updated_at)).toBe(true)
    expect(answer.rowVersion).toBe(2)
  })

  test('null unsets an optional field, and gives a field with a default its default', async () => {
    const customer = await newCustomer(served, { phone: '1' })
    const unset = await served.call('PATCH', `/v2/customers/${customer.id}`, { body: { phone: null } })
    expect(unset.data.phone).toBeNull()
    const product = await newProduct(served, { active: false })
    const answer = await served.call('PATCH', `/v2/products/${product.id}`, {
      body: { active: null },
      headers: { 'If-Match': '*' },
    })
    expect(answer.data.active).toBe(true)
  })

  test('null for a required field is 422', async () => {
    const { id } = await newCustomer(served)
    const answer = await served.call('PATCH', `/v2/customers/${id}`, { body: { name: null } })
    expect(answer.refusal).toEqual([422, 'validation-failed'])
    expect(answer.faults).toEqual(['#/name'])
  })

  test('applied twice it equals once: same bytes, same ETag', async () => {
    const { id } = await newCustomer(served)
    const patch = () => served.call('PATCH', `/v2/customers/${id}`, { body: { name: 'Dora', phone: null } })
    const first = await patch()
    const second = await patch()
    expect(second.text).toBe(first.text)
    expect(second.etag).toBe(first.etag)
  })

  test('an empty patch changes nothing', async () => {
    const { id } = await newCustomer(served)
    const before = await served.get(`/v2/customers/${id}`)
    const answer = await served.call('PATCH', `/v2/customers/${id}`, { body: {} })
    expect([answer.status, answer.text, answer.etag]).toEqual([200, before.text, before.etag])
  })

  test('application/merge-patch+json is as good as application/json', async () => {
    const { id } = await newCustomer(served)
    for (const type of [
      'application/merge-patch+json',
      'application/json; charset=utf-8',
      'Application/JSON',
    ]) {
      const answer = await served.call('PATCH', `/v2/customers/${id}`, {
        body: { name: type },
        headers: { 'Content-Type': type },
      })
      expect([answer.status, answer.data.name]).toEqual([200, type])
    }
  })

  test('a read-only field may be sent unchanged, not changed', async () => {
    const order = await newOrder(served)
    const path = `/v2/orders/${order.id}`
    const { total, id, created_at } = order
    const same = await served.call('PATCH', path, { body: { total, id, created_at, note: 'n' } })
    expect(same.data.note).toBe('n')
    const other = await served.call('PATCH', path, { body: { total: 1 } })
    expect(other.refusal).toEqual([422, 'validation-failed'])
    expect(other.faults).toEqual(['#/total'])
  })

  test('the id of the owner can be sent unchanged, never changed', async () => {
    const order = await newOrder(served)
    const another = await newOrder(served)
    const item = await newItem(served, order.id)
    for (const path of [`/v2/order-items/${item.id}`, `/v2/orders/${order.id}/items/${item.id}`]) {
      expect((await served.call('PATCH', path, { body: { order_id: order.id } })).status).toBe(200)
      const moved = await served.call('PATCH', path, { body: { order_id: another.id } })
      expect(moved.refusal).toEqual([422, 'validation-failed'])
      expect(moved.problem.errors).toMatchObject([{ pointer: '#/order_id', code: 'immutable' }])
    }
  })

  test('a reference that is no owner can be moved to another row', async () => {
    const order = await newOrder(served)
    const { id } = await newCustomer(served)
    const answer = await served.call('PATCH', `/v2/orders/${order.id}`, { body: { customer_id: id } })
    expect(answer.data.customer_id).toBe(id)
    expect((await served.get(`/v2/customers/${id}/orders`)).rows.map((row) => row.id)).toEqual([order.id])
  })
})
