import { beforeAll, describe, expect, test } from 'vitest'
import { describeServing, type Row, type RowList } from '../support/serving.ts'
import { newCustomer, newItem, newOrder, newPayment } from '../support/shop-rows.ts'

describeServing('included rows', (served) => {
  describe('include', () => {
    let order: Row
    let items: readonly Row[] = []
    beforeAll(async () => {
      order = await newOrder(served, { note: 'with "quotes"' })
      for (let at = 1; at <= 3; at++) await newItem(served, order.id, { quantity: at })
      await newPayment(served, order.id)
      items = (await served.get(`/v2/orders/${order.id}/items`)).rows
      order = (await served.get(`/v2/orders/${order.id}`)).data
    })
    const one = async (include: string) =>
      (await served.get(`/v2/orders/${order.id}?include=${include}`)).data

    test('without it nothing related is shown', async () => {
      expect(Object.keys(order)).not.toContain('customer')
    })

    test('a to-one relation is the object, with the same fields as when fetched alone', async () => {
      const { customer, ...own } = await one('customer')
      expect(own).toEqual(order)
      expect(customer).toEqual((await served.get(`/v2/customers/${order.customer_id}`)).data)
    })

    test('a to-one relation that is unset is null', async () => {
      const { id } = await newCustomer(served)
      expect((await served.get(`/v2/customers/${id}?include=referrer`)).data).toHaveProperty('referrer', null)
      const referred = await newCustomer(served, { referrer_id: id })
      const { data } = await served.get(`/v2/customers/${referred.id}?include=referrer`)
      expect((data.referrer as Row).id).toBe(id)
    })

    test('a to-many relation is a list envelope whose page has a fourth key', async () => {
      const { items: included } = await one('items')
      expect(included).toEqual({
        data: items,
        page: { limit: 50, has_more: false, next_cursor: null, next: null },
      })
      const empty = await newOrder(served)
      expect((await served.get(`/v2/orders/${empty.id}?include=payments`)).data.payments).toEqual({
        data: [],
        page: { limit: 50, has_more: false, next_cursor: null, next: null },
      })
    })

    test('a nested path shows its parents too', async () => {
      const data = await one('items.product')
      const included = (data.items as RowList).data
      expect(included.map(({ product, ...item }) => item)).toEqual(items)
      for (const { product, product_id } of included) {
        expect(product).toEqual((await served.get(`/v2/products/${product_id}`)).data)
      }
      expect(await one('items,items.product')).toEqual(data)
    })

    test('included rows are byte for byte those fetched alone', async () => {
      const { text } = await served.get(`/v2/orders/${order.id}?include=customer,items,payments`)
      const parts = [`customers/${order.customer_id}`, ...items.map(({ id }) => `order-items/${id}`)]
      for (const part of parts) {
        const alone = (await served.get(`/v2/${part}`)).text
        expect(text).toContain(alone.slice('{"data":'.length, -1))
      }
    })

    test('order and duplicates do not matter: same bytes, same ETag', async () => {
      const path = `/v2/orders/${order.id}?include=`
      const canonical = await served.get(`${path}customer,items,items.product`)
      for (const form of [
        'items.product,customer',
        'customer,items.product,items',
        'items,customer,items.product,customer,items',
        'customer%2Citems%2Eproduct',
      ]) {
        const answer = await served.get(path + form)
        expect([answer.text, answer.etag]).toEqual([canonical.text, canonical.etag])
        expect(answer.headers.get('content-location')).toBe(
          `/v2/orders/${order.id}?include=customer,items,items.product`,
        )
      }
      expect(canonical.headers.get('content-location')).toBeNull()
    })

    test('on a list each row has it, and rows, order and page stay the same', async () => {
      const query = 'limit=7&sort=-total&filter[total][gt]=100'
      const plain = await served.get(`/v2/orders?${query}`)
      const answer = await served.get(`/v2/orders?include=items.product,customer&${query}`)
      expect(answer.page).toEqual(plain.page)
      const stripped = answer.rows.map(({ items: _, customer: __, ...own }) => own)
      expect(stripped).toEqual(plain.rows)
      for (const row of answer.rows) {
        const alone = await served.get(`/v2/orders/${row.id}?include=customer,items.product`)
        expect(answer.text).toContain(alone.text.slice('{"data":'.length, -1))
      }
      expect(answer.headers.get('content-location')).toBe(
        `/v2/orders?${query}&include=customer,items,items.product`,
      )
    })

    test('the cursors of a list lead on with its include', async () => {
      const first = await served.get('/v2/orders?limit=2&include=customer')
      const link = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
      const second = await served.get(link)
      expect(second.rows).toHaveLength(2)
      expect(second.rows.every((row) => row.customer !== undefined)).toBe(true)
      expect(second.headers.get('content-location')).toBeNull()
      const cursor = first.page?.next_cursor
      const other = await served.get(`/v2/orders?cursor=${cursor}&include=customer,customer&limit=2`)
      expect(other.headers.get('content-location')).toBe(
        `/v2/orders?limit=2&include=customer&cursor=${cursor}`,
      )
    })

    test('works in sub-collections, on one and on lists', async () => {
      const path = `/v2/orders/${order.id}/items`
      const list = await served.get(`${path}?include=product,order`)
      expect(list.rows.map((row) => (row.order as Row).id)).toEqual(items.map(() => order.id))
      const single = await served.get(`${path}/${items[0]?.id}?include=product,order`)
      expect(single.data).toEqual(list.rows[0])
      expect(single.headers.get('content-location')).toBe(`${path}/${items[0]?.id}?include=order,product`)
    })

    test('a to-one of a to-one is shown', async () => {
      const [payment] = (await served.get(`/v2/orders/${order.id}/payments`)).rows
      const { data } = await served.get(`/v2/payments/${payment?.id}?include=order.customer,refunds`)
      expect(((data.order as Row).customer as Row).id).toBe(order.customer_id)
      expect((data.refunds as RowList).data).toEqual([])
    })

    test('any tree is one statement, whatever the number of rows', async () => {
      await served.get('/v2/orders?limit=1')
      const statements = (path: string) => served.counted(() => served.get(path))
      expect(await statements(`/v2/orders/${order.id}`)).toBe(1)
      expect(await statements(`/v2/orders/${order.id}?include=customer,items.product,payments`)).toBe(1)
      expect(await statements('/v2/orders?limit=1&include=customer,items.product')).toBe(1)
      expect(await statements('/v2/orders?limit=40&include=customer,items.product')).toBe(1)
      expect(await statements(`/v2/orders/${order.id}/items?include=product,adjustments`)).toBe(1)
    })
  })

  describe('an include’s ETag', () => {
    test('has the version first, and changes when an included row changes, appears or goes', async () => {
      const order = await newOrder(served)
      const item = await newItem(served, order.id, { unit_price: 0 })
      const path = `/v2/orders/${order.id}`
      const etag = async (include: string) => (await served.get(`${path}?include=${include}`)).etag
      const seen = [await etag('items')]
      expect(seen[0]).toMatch(/^"1\.[\w-]{8}\.[\w-]+"$/)
      expect(await etag('items')).toBe(seen[0])
      await served.call('PATCH', `/v2/order-items/${item.id}`, { body: { quantity: 2 } })
      seen.push(await etag('items'))
      const second = await newItem(served, order.id, { unit_price: 0 })
      seen.push(await etag('items'))
      await served.call('DELETE', `/v2/order-items/${second.id}`)
      seen.push(await etag('items'))
      expect(new Set(seen).size).toBe(3)
      expect(seen[3]).toBe(seen[1])
      expect((await served.get(path)).rowVersion).toBe(1)
      const named = await etag('customer')
      await served.call('PATCH', `/v2/customers/${order.customer_id}`, { body: { name: 'Other' } })
      expect(await etag('customer')).not.toBe(named)
    })

    test('of to-ones tells of each of them, the far one too, and of no other', async () => {
      const referrer = await newCustomer(served)
      const customer = await newCustomer(served, { referrer_id: referrer.id })
      const order = await newOrder(served, { customer_id: customer.id })
      const payment = await newPayment(served, order.id)
      const path = `/v2/payments/${payment.id}?include=order.customer`
      const etag = async () => (await served.get(path)).etag
      const first = await etag()
      expect(first).toMatch(/^"1\.[\w-]{8}\.[\w-]+"$/)
      await served.call('PATCH', `/v2/customers/${referrer.id}`, { body: { name: 'Not shown' } })
      expect(await etag()).toBe(first)
      await served.call('PATCH', `/v2/customers/${customer.id}`, { body: { name: 'Shown' } })
      const second = await etag()
      await served.call('PATCH', `/v2/orders/${order.id}`, { body: { note: 'Shown' } })
      const third = await etag()
      expect(new Set([first, second, third]).size).toBe(3)
      const { status, text } = await served.get(path)
      expect([status, JSON.parse(text).data.order.customer.name]).toEqual([200, 'Shown'])
      const alone = await served.get(`/v2/customers/${referrer.id}?include=referrer`)
      expect(alone.data.referrer).toBeNull()
      expect(alone.etag).toMatch(/^"2\.[\w-]{8}\.[\w-]+"$/)
    })

    test('each canonical set has its own, and the base URL keeps its own', async () => {
      const order = await newOrder(served)
      const path = `/v2/orders/${order.id}`
      const tags = await Promise.all(
        ['', '?include=customer', '?include=items', '?include=customer,items', '?include=items.product'].map(
          async (query) => (await served.get(path + query)).etag,
        ),
      )
      expect(new Set(tags).size).toBe(5)
    })

    test('answers 304 to itself, not to the base form’s', async () => {
      const order = await newOrder(served)
      const path = `/v2/orders/${order.id}?include=customer`
      const { etag } = await served.get(path)
      const same = await served.get(path, { headers: { 'If-None-Match': etag } })
      expect([same.status, same.text, same.etag]).toEqual([304, '', etag])
      expect(same.headers.get('content-location')).toBeNull()
      const base = (await served.get(`/v2/orders/${order.id}`)).etag
      expect((await served.get(path, { headers: { 'If-None-Match': base } })).status).toBe(200)
      await served.call('PATCH', `/v2/customers/${order.customer_id}`, { body: { phone: '1' } })
      expect((await served.get(path, { headers: { 'If-None-Match': etag } })).status).toBe(200)
    })

    test('is good for If-Match as long as the resource itself has not changed', async () => {
      const order = await newOrder(served)
      const { etag } = await served.get(`/v2/orders/${order.id}?include=customer`)
      await served.call('PATCH', `/v2/customers/${order.customer_id}`, { body: { phone: '2' } })
      const patch = () =>
        served.call('PATCH', `/v2/orders/${order.id}`, { body: { note: 'n' }, headers: { 'If-Match': etag } })
      expect((await patch()).status).toBe(200)
      expect((await patch()).status).toBe(412)
    })
  })
})
