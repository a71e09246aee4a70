import { expect, test } from 'vitest'
import { describeServing } from '../support/serving.ts'
import { moveOrder, newCustomer, newOrder } from '../support/shop-rows.ts'

const moves: { readonly [from: string]: readonly string[] } = {
  draft: ['placed', 'cancelled'],
  placed: ['paid', 'cancelled'],
  paid: ['shipped', 'refunded'],
  shipped: [],
  cancelled: [],
  refunded: [],
}
const wayTo: { readonly [state: string]: readonly string[] } = {
  draft: [],
  placed: ['placed'],
  paid: ['placed', 'paid'],
  shipped: ['placed', 'paid', 'shipped'],
  cancelled: ['cancelled'],
  refunded: ['placed', 'paid', 'refunded'],
}

describeServing('states', (served) => {
  test('the server sets the first state; a create may name only that one', async () => {
    const { id: customer_id } = await newCustomer(served)
    const post = (status: unknown) =>
      served.call('POST', '/v2/orders', { body: { customer_id, currency: 'EUR', status } })
    expect((await post(undefined)).data.status).toBe('draft')
    expect((await post('draft')).data.status).toBe('draft')
    expect((await post(null)).data.status).toBe('draft')
    for (const state of ['placed', 'paid', 'nonsense', 1, {}]) {
      const answer = await post(state)
      expect([answer.status, answer.faults]).toEqual([422, ['#/status']])
    }
  })

  test.each(Object.keys(moves))('from %s only the declared moves are possible', async (from) => {
    const { id } = await newOrder(served)
    await moveOrder(served, id, ...(wayTo[from] ?? []))
    const move = (to: string) => served.call('PATCH', `/v2/orders/${id}`, { body: { status: to } })
    for (const to of Object.keys(moves).filter((one) => one !== from && !moves[from]?.includes(one))) {
      const answer = await move(to)
      expect(answer.refusal).toEqual([409, 'transition-not-allowed'])
      expect(answer.problem).toMatchObject({ field: 'status', from, to, allowed: moves[from] })
      expect(answer.faults).toEqual(['#/status'])
    }
    const same = await move(from)
    expect([same.status, same.data.status]).toEqual([200, from])
  })

  test.each([
    ['placed', 'paid', 'shipped'],
    ['placed', 'paid', 'refunded'],
    ['placed', 'cancelled'],
    ['cancelled'],
  ])('every declared move can be made: %s, %s, %s', async (...way) => {
    const { id } = await newOrder(served)
    for (const to of way) {
      const answer = await served.call('PATCH', `/v2/orders/${id}`, { body: { status: to } })
      expect([answer.status, answer.data.status]).toEqual([200, to])
    }
  })

  test('null leaves the state as it is, in PUT as in PATCH, and in every version', async () => {
    const { id, customer_id } = await newOrder(served)
    await moveOrder(served, id, 'placed')
    const put = await served.call('PUT', `/v2/orders/${id}`, {
      body: { customer_id, currency: 'EUR', status: null },
    })
    expect([put.status, put.data.status]).toEqual([200, 'placed'])
    const patch = await served.call('PATCH', `/v2/orders/${id}`, { body: { status: null, note: 'kept' } })
    expect([patch.status, patch.data.status, patch.data.note]).toEqual([200, 'placed', 'kept'])
    const older = await served.call('PATCH', `/v1/orders/${id}`, { body: { status: null } })
    expect([older.status, older.data.status]).toEqual([200, 'open'])
  })

  test('PUT moves it too, and is held to the same moves', async () => {
    const { id, customer_id } = await newOrder(served)
    const put = (status: string) =>
      served.call('PUT', `/v2/orders/${id}`, { body: { customer_id, currency: 'EUR', status } })
    expect((await put('placed')).data.status).toBe('placed')
    expect((await put('draft')).refusal).toEqual([409, 'transition-not-allowed'])
    expect((await put('placed')).status).toBe(200)
  })

  test('a state that does not exist is 422', async () => {
    const { id } = await newOrder(served)
    for (const status of ['open', '', 'Placed', 3]) {
      const answer = await served.call('PATCH', `/v2/orders/${id}`, { body: { status } })
      expect([answer.status, answer.faults]).toEqual([422, ['#/status']])
    }
  })

  test('a refused move undoes the other changes of the same request', async () => {
    const { id } = await newOrder(served)
    const answer = await served.call('PATCH', `/v2/orders/${id}`, { body: { note: 'n', status: 'shipped' } })
    expect(answer.status).toBe(409)
    expect((await served.get(`/v2/orders/${id}`)).data.note).toBeNull()
  })

  test('of two concurrent moves that exclude each other one wins', async () => {
    const { id } = await newOrder(served)
    await moveOrder(served, id, 'placed', 'paid')
    const answers = await Promise.all(
      ['shipped', 'refunded'].map((status) => served.call('PATCH', `/v2/orders/${id}`, { body: { status } })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})
