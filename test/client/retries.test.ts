import { expect, test } from 'vitest'
import { CallError, isProblem, type ProblemError } from '../../src/client/nounkit-client.ts'
import { describeClients, type ShopClient } from '../support/client-shop.ts'
import type { Fault } from '../support/faulty-proxy.ts'
import { freePort } from '../support/free-port.ts'

let emails = 0
const newCustomer = (api: ShopClient) =>
  api.customers.create({ name: 'Ada', email: `r${++emails}@example.com` })
const thrown = (call: Promise<unknown>): Promise<ProblemError | CallError> =>
  call.then(
    () => {
      throw new Error('The call succeeded.')
    },
    (error) => error,
  )
const refuse = (status: number, type = 'x', headers = {}): Fault => ({
  status,
  headers: { 'content-type': 'application/problem+json', ...headers },
  body: JSON.stringify({ type: `/problems/${type}`, title: 't', status, detail: 'd', instance: 'i' }),
})
const html = (status: number): Fault => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: '<html><body>Bad gateway, said the proxy</body></html>',
})

describeClients('retries of the client', (served) => {
  /** How often the call was sent, given what becomes of its first tries. */
  const sent = async (faults: readonly Fault[], call: () => Promise<unknown>): Promise<number> => {
    const before = served.proxy.seen.length
    served.proxy.next(...faults)
    await call()
    return served.proxy.seen.length - before
  }

  test('reads are sent again after lost connections, cut answers and passing failures', async () => {
    const api = served.client()
    const { id } = await newCustomer(api)
    const get = async () => expect((await api.customers.get(id)).id).toBe(id)
    expect(await sent(['drop', 'cut', 'half'], get)).toBe(4)
    expect(
      await sent(
        [408, 425, 429, 500, 502].map((status) => refuse(status)),
        get,
      ),
    ).toBe(6)
    expect(await sent([html(503), html(504)], get)).toBe(3)
  })

  test('a create is one row, however often it is sent, and whoever repeats it', async () => {
    const api = served.client()
    await newCustomer(api)
    const before = served.proxy.seen.length
    served.proxy.next('cut', 'half', refuse(500), refuse(409, 'idempotency-in-progress'), 'twice')
    const made = await newCustomer(api)
    const creates = served.proxy.seen.slice(before).filter(({ method }) => method === 'POST')
    const keys = creates.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(5)
    expect(new Set(keys).size).toBe(1)
    expect((await api.customers.list({ filter: { email: made.email } })).data).toEqual([made])
  })

  test('each create has a key of its own, unless it is given one', async () => {
    const api = served.client()
    const before = served.proxy.seen.length
    await newCustomer(api)
    await newCustomer(api)
    const body = { name: 'Eve', email: `r${++emails}@example.com` }
    const one = await api.customers.create(body, { idempotencyKey: 'my-key' })
    expect(await api.customers.create(body, { idempotencyKey: 'my-key' })).toEqual(one)
    const keys = served.proxy.seen.slice(before).map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(3)
    expect(keys.slice(2)).toEqual(['my-key', 'my-key'])
  })

  test('a create that may have been carried out is not sent again where keys are not kept', async () => {
    const api = served.client()
    const customer = await newCustomer(api)
    const product = await api.products.create({ sku: `r${++emails}`, title: 't', price: 1, currency: 'EUR' })
    const order = await api.orders.create({ currency: 'EUR', customer_id: customer.id })
    const item = await api.orders
      .at(order)
      .items.create({ product_id: product.id, quantity: 1, unit_price: 1 })
    const adjustments = api.orderItems.at(item).adjustments
    const adjust = () => adjustments.create({ amount: 1, reason: 'why not' })
    served.proxy.next('cut')
    expect(await thrown(adjust())).toMatchObject({ name: 'CallError', tries: 1 })
    served.proxy.next(refuse(502))
    expect(
      await thrown(api.adjustments.create({ amount: 1, reason: 'x', order_item_id: item.id })),
    ).toMatchObject({
      status: 502,
      tries: 1,
    })
    expect((await adjustments.list()).data).toHaveLength(1)
    // One that was surely not carried out is.
    expect(await sent([refuse(503), refuse(429)], adjust)).toBe(3)
    expect((await adjustments.list()).data).toHaveLength(2)
  })

  test('a change that says what was seen is sent again, another only where it was surely not carried out', async () => {
    const api = served.client()
    const seen = await newCustomer(api)
    expect(await sent(['drop', refuse(502)], () => api.customers.update(seen, { phone: '1' }))).toBe(3)
    const fresh = await api.customers.get(seen.id)
    served.proxy.next('cut')
    expect(await thrown(api.customers.update(fresh, { phone: '2' }))).toMatchObject({ status: 412, tries: 2 })
    served.proxy.next('cut')
    expect(await thrown(api.customers.update(seen.id, { phone: '3' }))).toBeInstanceOf(CallError)
    served.proxy.next(refuse(502))
    expect(await thrown(api.customers.update(seen.id, { phone: '4' }))).toMatchObject({ tries: 1 })
    expect((await api.customers.get(seen.id)).phone).toBe('3')
    expect(await sent([refuse(503), refuse(429)], () => api.customers.update(seen.id, { phone: '5' }))).toBe(
      3,
    )
  })

  test('a request that never left is sent again, whatever it is', async () => {
    const api = served.client()
    const { id } = await newCustomer(api)
    let refusals = 2
    const closed = await freePort()
    const unreachable = served.client({
      fetch: (url, init) => (refusals-- > 0 ? fetch(`http://127.0.0.1:${closed}/`, init) : fetch(url, init)),
    })
    expect((await unreachable.customers.update(id, { phone: '7' })).phone).toBe('7')
    expect(refusals).toBe(-1)
  })

  test('replacements and deletes are sent again; a delete that finds nothing then is done', async () => {
    const api = served.client()
    const { id, email } = await newCustomer(api)
    expect(await sent(['cut', refuse(504)], () => api.customers.replace(id, { name: 'x', email }))).toBe(3)
    served.proxy.next(refuse(500, 'unexpected'))
    expect(isProblem(await thrown(api.customers.replace(id, { name: 'y', email })), 'unexpected')).toBe(true)
    expect(await sent(['cut'], () => api.customers.delete(id))).toBe(2)
    expect(await thrown(api.customers.delete(id))).toMatchObject({ status: 404, tries: 1 })
  })

  test('Retry-After is kept to, in seconds and as a date, and not waited for where it is beyond the deadline', async () => {
    const api = served.client()
    const start = Date.now()
    expect(await sent([refuse(503, 'x', { 'retry-after': '1' })], () => api.orders.list({ limit: 1 }))).toBe(
      2,
    )
    expect(Date.now() - start).toBeGreaterThanOrEqual(990)
    const soon = new Date(Date.now() + 1_500).toUTCString()
    expect(await sent([refuse(429, 'x', { 'retry-after': soon })], () => api.orders.list({ limit: 1 }))).toBe(
      2,
    )
    served.proxy.next(refuse(503, 'x', { 'retry-after': '61' }))
    expect(await thrown(api.orders.list())).toMatchObject({ status: 503, retryAfter: 61, tries: 1 })
  })

  test('what is thrown at the end is the last answer, or the last failure of the network, with the number of tries', async () => {
    const api = served.client({ retries: 2 })
    served.proxy.next('drop', 'drop', refuse(503, 'overloaded'))
    expect(await thrown(api.orders.list())).toMatchObject({ name: 'ProblemError', status: 503, tries: 3 })
    served.proxy.next(refuse(503), 'drop', 'drop')
    const error = await thrown(api.orders.list())
    expect(error).toMatchObject({ name: 'CallError', status: null, tries: 3 })
    expect(error.message).toMatch(/^GET \/orders: .*\(3 tries\)$/)
    served.proxy.next(refuse(503))
    expect(await thrown(served.client({ retries: 0 }).orders.list())).toMatchObject({ tries: 1 })
  })

  test('the deadline ends a call that is not answered', async () => {
    const api = served.client({ deadline: 300 })
    served.proxy.next('hang')
    const error = await thrown(api.orders.list())
    expect(error).toBeInstanceOf(CallError)
    expect(error.message).toMatch(/^GET \/orders: no answer within \d+ ms \(1 try\)$/)
  })

  test('an answer that is not of the API is an error that says so, with its beginning', async () => {
    const api = served.client({ retries: 1 })
    served.proxy.next(html(200))
    const page = await thrown(api.orders.list())
    expect(page).toMatchObject({ name: 'CallError', status: 200, tries: 1 })
    expect(page.message).toBe(
      'GET /orders: 200 with text/html, not an answer of the API (1 try): <html><body>Bad gateway, said the proxy</body></html>',
    )
    served.proxy.next(html(502), html(502))
    expect(await thrown(api.orders.list())).toMatchObject({ status: 502, tries: 2 })
    served.proxy.next({
      status: 404,
      headers: { 'content-type': 'application/json' },
      body: '{"message":"no Route"}',
    })
    expect((await thrown(api.orders.find('x'))).message).toContain(
      '404 with application/json, not an answer of the API',
    )
    const cut: Fault = {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"data":[{"id"',
    }
    served.proxy.next(cut, cut)
    const half = await thrown(api.orders.list())
    expect(half.message).toBe('GET /orders: 200 with JSON that is cut off (2 tries): {"data":[{"id"')
    served.proxy.next(cut)
    expect((await api.orders.list()).data).not.toEqual([])
    served.proxy.next({ status: 307, headers: { location: '/elsewhere' } })
    expect((await thrown(newCustomer(api))).message).toContain('307 with no type')
  })
})
