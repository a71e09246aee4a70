import { expect, test } from 'vitest'
import type shop from '../../examples/shop/api.ts'
import { client, isProblem, ProblemError } from '../../src/client/nounkit-client.ts'
import { describeClients, type ShopClient } from '../support/client-shop.ts'
import { until } from '../support/until.ts'

let emails = 0
const newCustomer = (api: ShopClient, name = 'Ada') =>
  api.customers.create({ name, email: `${++emails}@example.com` })
const newProduct = (api: ShopClient, title = 'A thing') =>
  api.products.create({ sku: `sku-${++emails}`, title, price: 250, currency: 'EUR' })

const thrown = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => {
      throw new Error('The call was not refused.')
    },
    (error: unknown) => error,
  )
const refusal = async (call: Promise<unknown>): Promise<ProblemError> => {
  const error = await thrown(call)
  if (!isProblem(error)) throw error
  return error
}

describeClients(
  'calls of the client',
  (served) => {
    test('create, get, find, update, replace and delete a row', async () => {
      const api = served.client()
      const made = await newCustomer(api)
      expect(await api.customers.get(made.id)).toEqual(made)
      const changed = await api.customers.update(made.id, { phone: '123' })
      expect(changed).toMatchObject({ name: 'Ada', phone: '123' })
      const replaced = await api.customers.replace(made.id, { name: 'Eve', email: made.email })
      expect(replaced).toMatchObject({ name: 'Eve', phone: null })
      expect(await api.customers.find(made.id)).toEqual(replaced)
      expect(await api.customers.delete(made.id)).toBeUndefined()
      expect(await api.customers.find(made.id)).toBeNull()
      expect((await refusal(api.customers.get(made.id))).status).toBe(404)
    })

    test('get what is included, at every depth', async () => {
      const api = served.client()
      const [customer, product] = [await newCustomer(api, 'Bo'), await newProduct(api, 'A chair')]
      const { id } = await api.orders.create({ currency: 'EUR', customer_id: customer.id })
      await api.orders.at(id).items.create({ product_id: product.id, quantity: 2, unit_price: 250 })
      const order = await api.orders.get(id, { include: ['customer', 'items.product'] })
      expect(order.customer.name).toBe('Bo')
      expect(order.items.data.map((item) => item.product.title)).toEqual(['A chair'])
      expect(order.items.page).toEqual({ limit: 50, has_more: false, next_cursor: null, next: null })
      expect(order).not.toHaveProperty('payments')
      expect(order.total).toBe(500)
    })

    test('create many rows with one call, under a key, also below an owner', async () => {
      const api = served.client()
      const [customer, product] = [await newCustomer(api), await newProduct(api)]
      const { id } = await api.orders.create({ currency: 'EUR', customer_id: customer.id })
      const lines = [1, 2, 3].map((quantity) => ({ product_id: product.id, quantity, unit_price: 250 }))
      const options = { idempotencyKey: `lines of ${id}`.replaceAll(' ', '-') }
      const items = await api.orders.at(id).items.createMany(lines, options)
      expect(items.map(({ quantity, order_id }) => [quantity, order_id])).toEqual([
        [1, id],
        [2, id],
        [3, id],
      ])
      expect(await api.orders.at(id).items.createMany(lines, options)).toEqual(items)
      const more = await api.orderItems.createMany(lines.map((line) => ({ ...line, order_id: id })))
      expect(more).toHaveLength(3)
      expect((await api.orders.get(id)).total).toBe(3_000)
      expect((await refusal(api.orderItems.createMany([]))).errors[0]?.pointer).toBe('#/data')
    })

    test('list one page when awaited, and all rows of all pages in for await', async () => {
      const api = served.client()
      const customer = await newCustomer(api)
      for (let number = 0; number < 5; number++)
        await api.orders.create({ currency: 'EUR', customer_id: customer.id, note: String(number) })
      const list = () =>
        api.orders.list({ filter: { customer_id: customer.id }, sort: ['-created_at'], limit: 2 })
      const page = await list()
      expect(page.data.map(({ note }) => note)).toEqual(['4', '3'])
      expect(page.page).toMatchObject({ limit: 2, has_more: true })
      const before = served.proxy.seen.length
      const notes: (string | null)[] = []
      for await (const { note } of list()) notes.push(note)
      expect(notes).toEqual(['4', '3', '2', '1', '0'])
      expect(served.proxy.seen.length - before).toBe(3)
      // Pages are fetched as the loop goes on: one that ends early asks for no more.
      for await (const { note } of list()) if (note === '3') break
      expect(served.proxy.seen.length - before).toBe(4)
    })

    test('filter by texts, numbers, null, lists, ranges and dates', async () => {
      const api = served.client()
      const [one, two] = [await newCustomer(api, 'One'), await newCustomer(api, 'Two')]
      const referred = await api.customers.create({
        name: 'a, b \\ c',
        email: `${++emails}@example.com`,
        referrer_id: one.id,
      })
      const emailsOf = async (...options: Parameters<ShopClient['customers']['list']>) =>
        (await api.customers.list(...options)).data.map(({ email }) => email)
      const both = { in: [one.email, two.email] }
      expect(await emailsOf({ filter: { email: both }, sort: ['name'] })).toEqual([one.email, two.email])
      expect(await emailsOf({ filter: { email: both, referrer_id: null }, sort: ['-name'] })).toEqual([
        two.email,
        one.email,
      ])
      expect(await emailsOf({ filter: { referrer_id: one.id } })).toEqual([referred.email])
      const either = [{ email: two.email }, { referrer_id: one.id, email: { ne: 'x' } }]
      expect(await emailsOf({ filter: { or: either } })).toEqual([two.email, referred.email])
      expect(await emailsOf({ filter: { or: either, email: one.email } })).toEqual([])
      // Left out, they would find all customers.
      for (const or of [[], [{}], [{ email: one.email }, { email: undefined }]])
        expect((await refusal(api.customers.list({ filter: { or } }))).status).toBe(400)
      expect(await emailsOf({ filter: { email: both, created_at: { gt: new Date() } } })).toEqual([])
      expect(await emailsOf({ filter: { email: both, created_at: { lte: new Date() } } })).toHaveLength(2)
      const order = await api.orders.create({ currency: 'EUR', customer_id: two.id })
      const byCustomer = await api.orders.list({ filter: { 'customer.email': two.email } })
      expect(byCustomer.data.map(({ id }) => id)).toEqual([order.id])
      // @ts-expect-error a text is wanted
      void (() => api.orders.list({ filter: { 'customer.email': { gt: null } } }))
      const products = [await newProduct(api, 'x'), await newProduct(api, 'y')]
      const skus = products.map(({ sku }) => sku)
      const found = await api.products.list({
        filter: { sku: { in: skus }, price: { gte: 250, lt: 251 }, active: true },
      })
      expect(found.data).toHaveLength(2)
    })

    test('find texts with commas, backslashes and the word null in a list', async () => {
      const api = served.client()
      const skus = [`a,b${++emails}`, `c\\,d${++emails}`, 'null']
      for (const sku of skus) await api.products.create({ sku, title: 't', price: 1, currency: 'USD' })
      const found = await api.products.list({ filter: { sku: { in: skus } }, sort: ['sku'] })
      expect(found.data.map(({ sku }) => sku)).toEqual(skus)
      expect((await api.products.list({ filter: { sku: 'null' } })).data).toHaveLength(1)
      for (const { id } of found.data) await api.products.delete(await api.products.get(id))
    })

    test('of a sub-collection have its path', async () => {
      const api = served.client()
      const customer = await newCustomer(api)
      const order = await api.customers.at(customer).orders.create({ currency: 'USD' })
      expect(order.customer_id).toBe(customer.id)
      const payments = api.orders.at(order.id).payments
      const payment = await payments.create({ amount: 500, currency: 'USD' })
      expect((await payments.list()).data).toEqual([payment])
      expect(await payments.get(payment.id, { include: ['order.customer'] })).toMatchObject({
        order: { id: order.id, customer: { id: customer.id } },
      })
      const refund = await api.payments.at(payment).refunds.create({ amount: 5 })
      expect(await api.payments.at(payment).refunds.find(refund.id)).toEqual(refund)
      const item = { product_id: (await newProduct(api)).id, quantity: 1, unit_price: 1 }
      const made = await api.orderItems.create({ ...item, order_id: order.id })
      expect(await api.orderItems.at(made).adjustments.list()).toMatchObject({ data: [] })
    })

    test('send the tag of a row that was got alone, so that no change is lost', async () => {
      const api = served.client()
      const seen = await newCustomer(api)
      await api.customers.update(seen, { name: 'Changed' })
      const late = await refusal(api.customers.update(seen, { name: 'Late' }))
      expect([late.status, late.tries]).toEqual([412, 1])
      expect((await refusal(api.customers.replace(seen, { name: 'x', email: seen.email }))).status).toBe(412)
      expect((await refusal(api.customers.delete(seen))).status).toBe(412)
      expect((await api.customers.get(seen.id)).name).toBe('Changed')
      // Of an id, and of a row in a list, nothing is known of what was seen.
      expect((await api.customers.update(seen.id, { name: 'By id' })).name).toBe('By id')
      const [listed] = (await api.customers.list({ filter: { email: seen.email } })).data
      if (!listed) throw new Error('The customer is not in the list.')
      await api.customers.update(listed, { name: 'First' })
      expect((await api.customers.update(listed, { name: 'By row' })).name).toBe('By row')
    })

    test('send the tag of rows that this client got alone, and of no others', async () => {
      const api = served.client()
      const made = await newCustomer(api)
      const order = await api.orders.create({ currency: 'EUR', customer_id: made.id })
      const product = await newProduct(api)
      const line = { order_id: order.id, product_id: product.id, quantity: 1, unit_price: 1 }
      const [item] = await api.orderItems.createMany([line])
      const [listed] = (await api.customers.list({ filter: { email: made.email } })).data
      const { customer } = await api.orders.get(order.id, { include: ['customer'] })
      const sendsTag = async (change: () => Promise<unknown>) => {
        const before = served.proxy.seen.length
        await change()
        return served.proxy.seen[before]?.headers['if-match'] !== undefined
      }
      const { email } = made
      const update = (row: typeof made | null | undefined, by = api) =>
        sendsTag(() => by.customers.update(row ?? '', { phone: `${++emails}` }))
      expect({
        get: await update(await api.customers.get(made.id)),
        find: await update(await api.customers.find(made.id)),
        create: await update(await newCustomer(api)),
        update: await update(await api.customers.update(made.id, { phone: '1' })),
        replace: await update(await api.customers.replace(made.id, { name: 'x', email })),
        list: await update(listed),
        include: await update(customer),
        createMany: await sendsTag(() => api.orderItems.update(item ?? '', { quantity: 2 })),
        'of another client': await update(await served.client().customers.get(made.id)),
      }).toEqual({
        get: true,
        find: true,
        create: true,
        update: true,
        replace: true,
        list: false,
        include: false,
        createMany: false,
        'of another client': false,
      })
    })

    test('send a tag that a proxy made weak as the strong one it stands for', async () => {
      const send = async (url: string, init: RequestInit) => {
        const { status, headers, body } = await fetch(url, init)
        const etag = headers.get('etag')
        return new Response(body, { status, headers: { ...(etag && { etag: `W/${etag}` }) } })
      }
      const api = served.client({ fetch: send })
      const product = await newProduct(api)
      expect((await api.products.update(product, { price: 3 })).price).toBe(3)
    })

    test('are refused with problems that say what is wrong', async () => {
      const api = served.client()
      const { email } = await newCustomer(api)
      const error = await thrown(api.customers.create({ name: '', email: 'x' }))
      if (!isProblem(error, 'validation-failed')) throw error
      expect(error).toBeInstanceOf(ProblemError)
      expect(error.type).toMatch(/\/problems\/validation-failed$/)
      expect(error.errors.map(({ pointer }) => pointer)).toEqual(['#/name', '#/email'])
      expect(error).toMatchObject({ status: 422, tries: 1, retryAfter: null, body: { title: error.title } })
      expect(error.requestId).not.toBe('')
      expect(error.message).toMatch(/^POST \/customers: 422 validation-failed: .*#\/name .*#\/email /s)
      expect(isProblem(error, 'unique-conflict')).toBe(false)
      expect(isProblem(await thrown(api.customers.create({ name: 'a', email })), 'unique-conflict')).toBe(
        true,
      )
      expect(isProblem(new Error('x'))).toBe(false)
    })

    test('are refused with the members that a problem has, and with problems of hooks', async () => {
      const api = served.client()
      const customer = await newCustomer(api)
      const order = await api.orders.create({ currency: 'EUR', customer_id: customer.id })
      const move = await thrown(api.orders.update(order.id, { status: 'shipped' }))
      if (!isProblem(move, 'transition-not-allowed')) throw move
      expect([move.body.from, move.body.to, move.body.allowed]).toEqual([
        'draft',
        'shipped',
        ['placed', 'cancelled'],
      ])
      const payment = await api.payments.create({ order_id: order.id, amount: 5, currency: 'EUR' })
      const refund = await thrown(api.payments.at(payment).refunds.create({ amount: 6 }))
      expect(isProblem<typeof shop>(refund, 'refund-exceeds-payment')).toBe(true)
      // By the name in the reference, also where IANA registers the type.
      served.proxy.next({
        status: 429,
        headers: { 'retry-after': '120' },
        body: JSON.stringify({
          type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
          title: 't',
          status: 429,
          detail: 'd',
          instance: 'i',
        }),
      })
      const limited = await thrown(api.orders.list())
      expect(isProblem(limited, 'too-many-requests')).toBe(true)
      expect(limited).toMatchObject({ retryAfter: 120, tries: 1 })
    })

    test('need a row or an id, and never call the collection in its place', async () => {
      const api = served.client()
      await expect(api.customers.get('')).rejects.toThrow('A row or its id is needed, not ""')
      await expect(api.customers.delete({} as never)).rejects.toThrow('A row or its id is needed, not {}')
      expect((await refusal(api.customers.get('../orders'))).status).toBe(404)
    })

    test('find nothing only where a row could be: another version or path is a mistake', async () => {
      const gone = (await newCustomer(served.client())).id
      await served.client().customers.delete(gone)
      const wrong = [
        served.client({ version: 'v9' as never }),
        served.client({ url: `${served.proxy.url}/api` }),
      ]
      for (const api of wrong) {
        expect((await refusal(api.customers.find(gone))).status).toBe(404)
        served.proxy.next({ status: 503 })
        expect(await refusal(api.customers.delete(gone))).toMatchObject({ status: 404, tries: 2 })
      }
      expect(await served.client().customers.find(gone)).toBeNull()
      const nowhere = client<typeof shop>({ url: `${served.proxy.url}/v2`, key: served.shop.key })
      expect((await refusal(nowhere.orders.list())).message).toBe(
        `GET ${served.proxy.url}/v2/: 404 not-found: There is nothing at this path. Did you mean /v2?`,
      )
    })

    test('call the newest version where none is named, which is asked once', async () => {
      const { proxy } = served
      const before = proxy.seen.length
      const api = client<typeof shop>({ url: `${proxy.url}/`, key: served.shop.key })
      const none = { status: 200, body: '{"data":{"versions":[]}}' }
      proxy.plan = () => none
      await expect(api.customers.list()).rejects.toThrow('names no version that is served')
      proxy.next()
      await Promise.all([api.customers.list({ limit: 1 }), api.orders.list({ limit: 1 })])
      expect(proxy.seen.slice(before + 1).map(({ url }) => url)).toEqual([
        '/',
        '/v2/customers?limit=1',
        '/v2/orders?limit=1',
      ])
    })

    test('are refused without a key, and take a token for each request, and once more after a 401', async () => {
      expect((await refusal(served.client({ key: undefined }).orders.list())).status).toBe(401)
      const tokens = ['nk_old', served.shop.key, served.shop.key]
      let asked = 0
      const api = served.client({ key: undefined, token: async () => tokens[asked++] ?? 'nk_none' })
      expect((await api.customers.list()).data).not.toEqual([])
      expect(asked).toBe(2)
      await api.customers.list()
      expect(asked).toBe(3)
      const wrong = await refusal(api.customers.list())
      expect([wrong.status, wrong.tries, asked]).toEqual([401, 2, 5])
    })

    test('end when their signal is aborted', async () => {
      const api = served.client()
      const gone = AbortSignal.abort(new Error('not needed'))
      await expect(api.customers.list({ signal: gone })).rejects.toThrow('not needed')
      const controller = new AbortController()
      served.proxy.next('hang')
      const before = served.proxy.seen.length
      const call = api.customers.get('x', { signal: controller.signal })
      call.catch(() => {})
      // Aborted earlier, the request would not be sent, and the next test's would hang.
      await until(() => served.proxy.seen.length > before)
      controller.abort(new Error('too late'))
      await expect(call).rejects.toThrow('too late')
    })

    test('tell once that a version is deprecated', async () => {
      const told: unknown[] = []
      const options = {
        url: served.proxy.url,
        key: served.shop.key,
        onDeprecated: (one: unknown) => told.push(one),
      }
      for (let time = 0; time < 2; time++) {
        const old = client({ ...options, version: 'v1' as never }) as unknown as ShopClient
        await old.orders.list({ limit: 1 })
      }
      expect(told).toEqual([
        { version: 'v1', sunset: '2026-12-31', guide: `${served.proxy.url}/docs/migrations/v1-to-v2` },
      ])
    })
  },
  {},
)
