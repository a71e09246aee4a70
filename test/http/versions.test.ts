import { expect, test } from 'vitest'
import { describeServing } from '../support/serving.ts'
import { moveOrder, newCustomer, newOrder, noId, unique } from '../support/shop-rows.ts'

const email = () => `ada.${unique()}@example.com`

describeServing('two versions of one row', (served) => {
  test('a client of v1 is a customer of v2, under the same id', async () => {
    const sent = { full_name: 'Ada', email: email(), fax: '030 1' }
    const client = await served.make('/v1/clients', sent)
    expect(Object.keys(client)).toEqual(['id', 'full_name', 'email', 'fax', 'created_at', 'updated_at'])
    expect(client).toMatchObject(sent)
    const { data } = await served.get(`/v2/customers/${client.id}`)
    expect(data).toMatchObject({
      id: client.id,
      name: 'Ada',
      email: sent.email,
      phone: null,
      referrer_id: null,
    })
    expect(data).not.toHaveProperty('fax')
  })

  test("a v1 client's GET-then-PUT does not erase what only v2 can see", async () => {
    const referrer = await newCustomer(served)
    const { id } = await newCustomer(served, { phone: '030 2', referrer_id: referrer.id })
    const before = (await served.get(`/v2/customers/${id}`)).data
    const { data } = await served.get(`/v1/clients/${id}`)
    const put = await served.call('PUT', `/v1/clients/${id}`, { body: { ...data, full_name: 'Bea' } })
    expect(put.status).toBe(200)
    const { updated_at: _, ...after } = (await served.get(`/v2/customers/${id}`)).data
    expect({ ...before, ...after }).toEqual({ ...before, name: 'Bea' })
  })

  test('a v2 PUT does not erase what only v1 can see', async () => {
    const { id } = await served.make('/v1/clients', { full_name: 'Ada', email: email(), fax: '030 3' })
    const { data } = await served.get(`/v2/customers/${id}`)
    expect((await served.call('PUT', `/v2/customers/${id}`, { body: data })).status).toBe(200)
    expect((await served.get(`/v1/clients/${id}`)).data.fax).toBe('030 3')
  })

  test('a v1 create of an order means EUR, and a v1 PUT leaves dollars alone', async () => {
    const client = await served.make('/v1/clients', { full_name: 'Ada', email: email() })
    const order = await served.make('/v1/orders', { client_id: client.id })
    expect(order).not.toHaveProperty('currency')
    expect((await served.get(`/v2/orders/${order.id}`)).data.currency).toBe('EUR')
    const dollars = await newOrder(served, { currency: 'USD' })
    const { data } = await served.get(`/v1/orders/${dollars.id}`)
    await served.call('PUT', `/v1/orders/${dollars.id}`, { body: { ...data, note: 'x' } })
    expect((await served.get(`/v2/orders/${dollars.id}`)).data).toMatchObject({ currency: 'USD', note: 'x' })
  })

  test('a refunded order reads as cancelled; writing that back changes nothing; v1 cannot refund', async () => {
    const { id } = await newOrder(served)
    await moveOrder(served, id, 'placed', 'paid', 'refunded')
    const { data } = await served.get(`/v1/orders/${id}`)
    expect(data.status).toBe('cancelled')
    expect((await served.call('PUT', `/v1/orders/${id}`, { body: data })).status).toBe(200)
    expect((await served.call('PATCH', `/v1/orders/${id}`, { body: { status: 'cancelled' } })).status).toBe(
      200,
    )
    expect((await served.get(`/v2/orders/${id}`)).data.status).toBe('refunded')
    const paid = await newOrder(served)
    await moveOrder(served, paid.id, 'placed', 'paid')
    for (const [status, refusal] of [
      ['refunded', [422, 'validation-failed']],
      ['cancelled', [409, 'transition-not-allowed']],
    ] as const) {
      const answer = await served.call('PATCH', `/v1/orders/${paid.id}`, { body: { status } })
      expect(answer.refusal).toEqual(refusal)
      if (refusal[0] === 409) expect(answer.problem.allowed).toEqual(['shipped'])
    }
  })

  test('filters and sorts see values as the version does', async () => {
    const customer = await newCustomer(served)
    const made = async (...to: string[]) => {
      const { id } = await newOrder(served, { customer_id: customer.id })
      await moveOrder(served, id, ...to)
      return id
    }
    const draft = await made()
    const placed = await made('placed')
    const cancelled = await made('cancelled')
    const refunded = await made('placed', 'paid', 'refunded')
    const shipped = await made('placed', 'paid', 'shipped')
    const found = async (query: string) => {
      const answer = await served.get(`/v1/clients/${customer.id}/orders?${query}`)
      expect(answer.status, answer.text).toBe(200)
      return answer.rows.map(({ id }) => id)
    }
    expect(await found('filter[status]=cancelled')).toEqual([cancelled, refunded])
    expect(await found('filter[status]=open')).toEqual([placed])
    expect(await found('filter[status][ne]=cancelled')).toEqual([draft, placed, shipped])
    expect(await found('filter[status][in]=open,cancelled')).toEqual([placed, cancelled, refunded])
    expect(await found('sort=status')).toEqual([cancelled, refunded, draft, placed, shipped])
    expect(await found('sort=-status')).toEqual([shipped, placed, draft, refunded, cancelled])
  })

  test('a walk sorted by a mapped value meets every row once', async () => {
    const customer = await newCustomer(served)
    const ids: string[] = []
    for (const to of [
      ['cancelled'],
      ['placed', 'paid', 'refunded'],
      ['placed'],
      [],
      ['placed', 'paid', 'refunded'],
      ['cancelled'],
    ]) {
      const { id } = await newOrder(served, { customer_id: customer.id })
      await moveOrder(served, id, ...to)
      ids.push(id)
    }
    const met: string[] = []
    let cursor = ''
    do {
      const answer = await served.get(`/v1/clients/${customer.id}/orders?sort=status&limit=2${cursor}`)
      met.push(...answer.rows.map(({ id }) => id))
      cursor = answer.page.next_cursor === null ? '' : `&cursor=${answer.page.next_cursor}`
    } while (cursor !== '')
    expect(met.toSorted()).toEqual(ids.toSorted())
  })

  test('a cursor of one version is refused in the other', async () => {
    for (let at = 0; at < 2; at++) await newOrder(served)
    const { page } = await served.get('/v1/orders?limit=1')
    expect((await served.get(`/v1/orders?limit=1&cursor=${page.next_cursor}`)).status).toBe(200)
    expect((await served.get(`/v2/orders?limit=1&cursor=${page.next_cursor}`)).refusal).toEqual([
      400,
      'bad-cursor',
    ])
  })

  test('an idempotency key of one version is no replay in the other', async () => {
    const { id } = await newOrder(served)
    const headers = { 'Idempotency-Key': unique() }
    const body = { amount: 5, currency: 'EUR' }
    const first = await served.call('POST', `/v1/orders/${id}/payments`, { body, headers })
    const again = await served.call('POST', `/v1/orders/${id}/payments`, { body, headers })
    expect(again.text).toBe(first.text)
    expect(again.headers.get('location')).toMatch(/^\/v1\/|:\/\/[^/]+\/v1\//)
    const other = await served.call('POST', `/v2/orders/${id}/payments`, { body, headers })
    expect(other.refusal).toEqual([422, 'idempotency-key-reused'])
  })

  test('an ETag is one for both versions, because the row is', async () => {
    const { id } = await newCustomer(served)
    const { etag } = await served.get(`/v1/clients/${id}`)
    await served.call('PATCH', `/v2/customers/${id}`, { body: { phone: '1' } })
    const stale = await served.call('PATCH', `/v1/clients/${id}`, {
      body: { full_name: 'B' },
      headers: { 'If-Match': etag },
    })
    expect(stale.status).toBe(412)
  })
})

describeServing('which version answers', (served) => {
  test('paths without a version are served by the pinned one, which Content-Location names', async () => {
    const { id } = await newCustomer(served)
    const answer = await served.get(`/customers/${id}?include=orders`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-location')).toBe(`/v2/customers/${id}?include=orders`)
    expect((await served.get('/clients')).status).toBe(404)
  })

  test('an unknown version is 404 with the versions that exist', async () => {
    const answer = await served.get(`/v9/customers/${noId}`)
    expect(answer.refusal).toEqual([404, 'not-found'])
    expect(answer.problem.versions).toEqual(['v2', 'v1'])
  })
})
