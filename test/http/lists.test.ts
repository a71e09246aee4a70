import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { describeServing, type Row } from '../support/serving.ts'
import { newCustomer, newItem, newOrder } from '../support/shop-rows.ts'

const ids = (rows: readonly Row[]) => rows.map((row) => row.id)

describeServing('lists', (served) => {
  describe('pages', () => {
    test('the page is 25 unless said, at most 100, and echoes what was used', async () => {
      const limitOf = async (limit: string) => (await served.get(`/v2/orders${limit}`)).page.limit
      expect(await limitOf('')).toBe(25)
      expect(await limitOf('?limit=1')).toBe(1)
      expect(await limitOf('?limit=100')).toBe(100)
      expect(await limitOf('?limit=101')).toBe(100)
      expect(await limitOf('?limit=99999999999999999999')).toBe(100)
      expect((await served.get('/v2/orders')).rows).toHaveLength(25)
    })

    test.each(['0', '-1', 'ten', '1.5', '1e2', '0x10', '%201', '1,2', 'NaN'])(
      'limit=%s is 400',
      async (limit) => {
        const answer = await served.get(`/v2/orders?limit=${limit}`)
        expect(answer.refusal).toEqual([400, 'bad-query'])
        expect(answer.faults).toEqual(['limit'])
      },
    )

    test('following the cursors, by hand or by Link, shows every row once in creation order', async () => {
      const whole = ids((await served.get('/v2/orders?limit=100')).rows)
      const walked: string[] = []
      let next: string | null = '/v2/orders?limit=7'
      while (next) {
        const answer = await served.get(next)
        walked.push(...ids(answer.rows))
        const link: string | null = answer.headers.get('link')
        next = link ? (/^<([^>]+)>; rel="next"$/.exec(link)?.[1] ?? null) : null
        expect(next !== null).toBe(answer.page.has_more)
      }
      expect(walked).toEqual(whole)
      expect(whole).toEqual([...whole].sort())
    })

    test('a page may be followed with another limit or include', async () => {
      const whole = ids((await served.get('/v2/orders?limit=10')).rows)
      const { page } = await served.get('/v2/orders?limit=3')
      const rest = await served.get(`/v2/orders?include=customer&limit=7&cursor=${page.next_cursor}`)
      expect(ids(rest.rows)).toEqual(whole.slice(3))
    })

    test('a full last page says that there is no more', async () => {
      const customer = await newCustomer(served)
      for (let at = 0; at < 2; at++) await newOrder(served, { customer_id: customer.id })
      const { page } = await served.get(`/v2/customers/${customer.id}/orders?limit=2`)
      expect(page).toEqual({ limit: 2, has_more: false, next_cursor: null })
    })

    test('rows that come and go meanwhile shift no page', async () => {
      const customer = await newCustomer(served)
      const orders: Row[] = []
      for (let at = 0; at < 6; at++) orders.push(await newOrder(served, { customer_id: customer.id }))
      const path = `/v2/customers/${customer.id}/orders?limit=2`
      const first = await served.get(path)
      await served.call('DELETE', `/v2/orders/${orders[1]?.id}`)
      const late = await newOrder(served, { customer_id: customer.id })
      const second = await served.get(`${path}&cursor=${first.page.next_cursor}`)
      expect(ids(second.rows)).toEqual([orders[2]?.id, orders[3]?.id])
      const third = await served.get(`${path}&cursor=${second.page.next_cursor}`)
      const last = await served.get(`${path}&cursor=${third.page.next_cursor}`)
      expect(ids([...third.rows, ...last.rows])).toEqual([orders[4]?.id, orders[5]?.id, late.id])
    })
  })

  describe('cursors', () => {
    const refused = async (path: string, as = 'acme') => {
      const answer = await served.get(path, { as })
      expect(answer.refusal, path).toEqual([400, 'bad-cursor'])
      expect(answer.faults).toEqual(['cursor'])
    }

    test('fit only the collection, account, version, sort and filter they were made with', async () => {
      const order = await newOrder(served)
      for (let at = 0; at < 3; at++) await newItem(served, order.id)
      const cursorOf = async (path: string) => (await served.get(path)).page.next_cursor
      const plain = await cursorOf('/v2/orders?limit=1')
      expect((await served.get(`/v2/orders?cursor=${plain}`)).status).toBe(200)
      await refused(`/v2/customers?cursor=${plain}`)
      await refused(`/v2/customers/${order.customer_id}/orders?cursor=${plain}`)
      await refused(`/v1/orders?cursor=${plain}`)
      await refused(`/v2/orders?sort=total&cursor=${plain}`)
      await refused(`/v2/orders?sort=-id&cursor=${plain}`)
      await refused(`/v2/orders?filter[total][gt]=1&cursor=${plain}`)
      await refused(`/v2/orders?cursor=${plain}`, 'globex')
      const filtered = await cursorOf('/v2/orders?limit=1&filter[total][gt]=1&sort=-total')
      await refused(`/v2/orders?filter[total][gt]=2&sort=-total&cursor=${filtered}`)
      await refused(`/v2/orders?filter[total][gte]=1&sort=-total&cursor=${filtered}`)
      await refused(`/v2/orders?filter[total][gt]=1&sort=total&cursor=${filtered}`)
      const other = await newOrder(served)
      const nested = await cursorOf(`/v2/orders/${order.id}/items?limit=1`)
      await refused(`/v2/orders/${other.id}/items?cursor=${nested}`)
      await refused(`/v2/order-items?cursor=${nested}`)
    })

    test('the order in which filters are written does not matter', async () => {
      const { page } = await served.get('/v2/orders?limit=1&filter[total][gt]=1&filter[status]=paid')
      const answer = await served.get(
        `/v2/orders?filter[status]=paid&filter[total][gt]=1&cursor=${page.next_cursor}`,
      )
      expect(answer.status).toBe(200)
    })

    test('are tamper-evident: no character can be changed, added or taken away', async () => {
      const cursor = (await served.get('/v2/orders?limit=1&sort=total')).page.next_cursor ?? ''
      const path = '/v2/orders?sort=total&cursor='
      expect((await served.get(path + cursor)).status).toBe(200)
      for (let at = 0; at < cursor.length; at += 3) {
        const flipped = cursor[at] === 'A' ? 'B' : 'A'
        await refused(path + cursor.slice(0, at) + flipped + cursor.slice(at + 1))
      }
      for (const other of [`${cursor}A`, cursor.slice(0, -1), 'x', 'null', '%5B%5D', `${cursor}%3D`])
        await refused(path + other)
    })

    test('an empty cursor is a bad query, like any empty parameter', async () => {
      expect((await served.get('/v2/orders?cursor=')).refusal).toEqual([400, 'bad-query'])
    })
  })
})

const owner = (name: string) =>
  resource(name, { fields: { name: z.string().max(20) }, relations: { books: hasMany('books') } })
const books = resource('books', {
  fields: { title: z.string().max(20) },
  relations: { author: belongsTo('authors'), shelf: belongsTo('shelves') },
})

describeServing(
  'lists of one name below two resources',
  (served) => {
    test('a cursor fits only below the resource it was made for, even if the owners had the same id', async () => {
      const author = await served.make('/v1/authors', { name: 'Ann' })
      const shelf = await served.make('/v1/shelves', { name: 'A' })
      const book = { title: 'One', author_id: author.id, shelf_id: shelf.id }
      for (let at = 0; at < 2; at++) await served.make('/v1/books', book)
      const { page } = await served.get(`/v1/authors/${author.id}/books?limit=1`)
      const next = `books?limit=1&cursor=${page.next_cursor}`
      expect((await served.get(`/v1/authors/${author.id}/${next}`)).rows).toHaveLength(1)
      const elsewhere = await served.get(`/v1/shelves/${author.id}/${next}`)
      expect(elsewhere.refusal).toEqual([400, 'bad-cursor'])
    })
  },
  { declaration: api('library', { resources: [owner('authors'), owner('shelves'), books] }) },
)
