import { beforeAll, expect, test } from 'vitest'
import type { View } from '../../src/compile/model.ts'
import { type Answer, type CallOptions, describeServing, type Row } from '../support/serving.ts'
import { newCustomer, newItem, newOrder, newPayment, noId, unique } from '../support/shop-rows.ts'

const uuids = /[0-9a-f]{8}-[0-9a-f-]{27}/g

/** All that a caller can tell an answer by, but for the request's own id and the ids it sent itself. */
const seen = (answer: Answer): string => {
  const headers = Object.fromEntries(answer.headers)
  delete headers['x-request-id']
  // It counts the request id, and follows from the body, which is compared.
  delete headers['content-length']
  const body = answer.text.replace(/"instance":"[^"]+"/, '')
  return JSON.stringify([answer.status, headers, body], null, 1).replace(uuids, '{id}')
}

describeServing('accounts', (served) => {
  /** One row of each resource of globex: what acme must not find. */
  const theirs: { [resource: string]: Row } = {}
  beforeAll(async () => {
    const as = { as: 'globex' }
    const customer = await newCustomer(served, {}, as)
    const order = await newOrder(served, { customer_id: customer.id }, as)
    const item = await newItem(served, order.id, {}, as)
    const payment = await newPayment(served, order.id, {}, as)
    theirs.customers = customer
    theirs.orders = order
    theirs['order-items'] = item
    theirs.payments = payment
    theirs.adjustments = await served.make(
      '/v2/adjustments',
      { order_item_id: item.id, amount: 1, reason: 'r' },
      as,
    )
    theirs.refunds = await served.make(
      `/v2/payments/${payment.id}/refunds`,
      { amount: 1 },
      { ...as, headers: { 'Idempotency-Key': unique() } },
    )
    const endpoint = await served.make(
      '/v2/webhook-endpoints',
      { url: 'https://receiver.invalid/', event_types: ['*'], active: false },
      as,
    )
    theirs['webhook-endpoints'] = endpoint
    const [secret] = (await served.get(`/v2/webhook-endpoints/${endpoint.id}/secrets`, as)).rows
    if (secret) theirs['webhook-secrets'] = secret
    const [event] = (await served.get('/v2/events', as)).rows
    if (event) theirs.events = event
  })

  const idOf = (view: View): string => theirs[view.resource.name]?.id ?? ''
  const views = () =>
    served.api.service.model.versions
      .flatMap((version) => [...version.views.values()])
      .filter((view) => !view.resource.shared)

  /** Every path of every version that names a row, with the ids of globex, and with an id that never was. */
  const paths = (): readonly { readonly path: string; readonly nowhere: string }[] =>
    views().flatMap((view) => {
      const root = `/${view.version.name}`
      const top = view.topLevel ? [`${root}/${view.name}/${idOf(view)}`] : []
      const nested = view.under
        .filter((sub) => !sub.owner().resource.shared)
        .flatMap((sub) => {
          const collection = `${root}/${sub.owner().name}/${idOf(sub.owner())}/${sub.segment}`
          return [collection, `${collection}/${idOf(view)}`]
        })
      return [...top, ...nested].map((path) => ({
        path,
        nowhere: path.replace(uuids, noId),
      }))
    })

  test('the other account’s rows are indistinguishable from rows that never were, on every path and method', async () => {
    const ifMatch = { 'If-Match': '"1"' }
    const attempts: readonly [string, CallOptions][] = [
      ['GET', {}],
      ['HEAD', {}],
      ['OPTIONS', {}],
      ['GET', { headers: { 'If-None-Match': '*' } }],
      ['POST', { body: { amount: 1 }, headers: { 'Idempotency-Key': 'walk' } }],
      ['PUT', { body: {} }],
      ['PATCH', { body: {} }],
      ['PATCH', { body: { nope: 1 }, headers: ifMatch }],
      ['DELETE', {}],
      ['DELETE', { headers: ifMatch }],
    ]
    const walked = paths()
    expect(walked).toHaveLength(42)
    for (const { path, nowhere } of walked) {
      for (const [method, options] of attempts) {
        const answer = await served.call(method, path, options)
        expect([204, 404, 405], `${method} ${path}`).toContain(answer.status)
        expect(seen(answer), `${method} ${path}`).toEqual(seen(await served.call(method, nowhere, options)))
      }
    }
  })

  const statements = (path: string): Promise<number> => served.counted(() => served.get(path))

  test('looking for them takes as many statements as looking for nothing', async () => {
    for (const { path, nowhere } of paths()) {
      expect(await statements(path), path).toBe(await statements(nowhere))
    }
  })

  test('a reference to them is 422 like one to nothing', async () => {
    const mine = await newOrder(served)
    const headers = () => ({ 'Idempotency-Key': unique() })
    const product = (await served.get('/v2/products?limit=1')).rows[0]?.id
    const references: readonly [string, string, object, string][] = [
      ['POST', '/v2/customers', { name: 'x', email: 'x.y@example.com' }, 'referrer_id'],
      ['POST', '/v2/orders', { currency: 'EUR' }, 'customer_id'],
      ['PATCH', `/v2/orders/${mine.id}`, {}, 'customer_id'],
      ['POST', '/v2/order-items', { product_id: product, quantity: 1, unit_price: 1 }, 'order_id'],
      ['POST', '/v2/adjustments', { amount: 1, reason: 'r' }, 'order_item_id'],
      ['POST', '/v2/payments', { amount: 1, currency: 'EUR' }, 'order_id'],
    ]
    const target: { readonly [field: string]: string } = {
      referrer_id: 'customers',
      customer_id: 'customers',
      order_id: 'orders',
      order_item_id: 'order-items',
    }
    for (const [method, path, fields, field] of references) {
      const send = (id: string | undefined) =>
        served.call(method, path, { body: { ...fields, [field]: id }, headers: headers() })
      const answer = await send(theirs[target[field] ?? '']?.id)
      expect(answer.status, path).toBe(422)
      expect(seen(answer)).toEqual(seen(await send(noId)))
    }
  })

  test('no list, filter or include shows them', async () => {
    const strange = Object.values(theirs).map((row) => row.id)
    const lists = views()
      .filter((view) => view.topLevel)
      .flatMap((view) => {
        const path = `/${view.version.name}/${view.name}?limit=`
        return [`${path}100`, ...view.includePaths.map((include) => `${path}20&include=${include}`)]
      })
    for (const path of lists) {
      const { status, text } = await served.get(path)
      expect(status, path).toBe(200)
      for (const id of strange) expect(text.includes(id), `${path} shows ${id}`).toBe(false)
    }
    const customer = theirs.customers?.id
    expect((await served.get(`/v2/orders?filter[customer_id]=${customer}`)).rows).toEqual([])
    expect((await served.get(`/v2/orders?filter[customer_id][in]=${customer}`)).rows).toEqual([])
  })

  test('their cursors do not open here', async () => {
    const { page } = await served.get('/v2/orders?limit=1', { as: 'globex' })
    expect((await served.get(`/v2/orders?cursor=${page.next_cursor}`)).refusal).toEqual([400, 'bad-cursor'])
  })

  test('their unique values can be taken here, and one idempotency key makes two rows', async () => {
    const email = String(theirs.customers?.email)
    const body = { name: 'Same', email }
    const headers = { 'Idempotency-Key': unique() }
    const mine = await served.call('POST', '/v2/customers', { body, headers })
    expect(mine.status).toBe(201)
    const refused = await served.call('POST', '/v2/customers', { body, headers, as: 'globex' })
    expect(refused.refusal).toEqual([409, 'unique-conflict'])
    const other = { name: 'Same', email: `${unique()}@example.com` }
    const both = [
      await served.call('POST', '/v2/customers', { body: other, headers: { 'Idempotency-Key': 'one' } }),
      await served.call('POST', '/v2/customers', {
        body: other,
        headers: { 'Idempotency-Key': 'one' },
        as: 'globex',
      }),
    ]
    expect(both.map(({ status }) => status)).toEqual([201, 201])
    expect(both[0]?.data.id).not.toBe(both[1]?.data.id)
  })

  test('nothing of theirs was changed by all this', async () => {
    for (const [resource, row] of Object.entries(theirs)) {
      // These have nested paths only.
      if (resource === 'refunds' || resource === 'webhook-secrets') continue
      const { rowVersion, data } = await served.get(`/v2/${resource}/${row.id}`, { as: 'globex' })
      expect(data.id).toBe(row.id)
      expect(rowVersion).toBe(resource === 'orders' ? 2 : 1)
    }
  })
})
