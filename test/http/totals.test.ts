import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Client } from '../../src/client/nounkit-client.ts'
import { api, belongsTo, decimal, needsScope, resource, states } from '../../src/index.ts'
import { readListQuery } from '../../src/request/read-query.ts'
import { type Answer, describeServing } from '../support/serving.ts'
import { unique } from '../support/shop-rows.ts'
import { toldAll } from '../support/told-all.ts'

const customers = resource('customers', {
  fields: { city: z.string(), open: z.boolean().default(true) },
  rules: { read: ({ row, caller }) => row.open.is(caller.claim('open')) },
})
const orders = resource('orders', {
  fields: {
    status: states('draft', { draft: ['paid'] }),
    currency: z.enum(['EUR', 'USD']).optional(),
    place: z.string().max(200).default('x'),
    total: z.int(),
    price: decimal({ scale: 2 }).optional(),
    margin: needsScope('orders:finance', z.int().optional()),
    grade: needsScope('orders:finance', z.enum(['a', 'b']).optional()),
    secret: z.boolean().default(false),
  },
  relations: { customer: belongsTo(customers, { optional: true }) },
  filter: ['status', 'currency', 'total', 'margin', 'created_at', 'customer.city'],
  bulk: true,
  limits: { bulkRows: 1_000 },
  rules: { read: ({ row, caller }) => row.secret.is(caller.claim('secret')) },
})
const orderTotals = resource('order-totals', {
  totals: {
    of: 'orders',
    by: ['status', 'currency', 'customer_id', 'place', 'grade'],
    sums: ['total', 'price', 'margin'],
  },
  limits: { totalRows: 1_100, responseBytes: 20_000 },
})
const colours = resource('colours', {
  shared: true,
  fields: { name: z.string().max(9) },
  scopes: { read: 'public' },
})
const colourTotals = resource('colour-totals', {
  description: 'How many colours there are.',
  totals: { of: 'colours', by: ['name'] },
  scopes: { read: 'public' },
})
const declaration = api('books', {
  resources: [customers, orders, orderTotals, colours, colourTotals],
  scopes: { 'orders:finance': 'See margins.' },
  rate: { perSecond: 10_000, burst: 10_000 },
})

describeServing(
  'totals',
  (served) => {
    /** A caller of an account without rows. */
    const newCaller = async (scopes = ['*'], claims: object = { open: true, secret: false }) => {
      const account = unique()
      return { account, key: await served.api.key(account, { name: account, scopes, claims: { ...claims } }) }
    }
    const keyOf = (account: string, scopes: string[], claims: object = { open: true, secret: false }) =>
      served.api.key(account, { name: unique(), scopes, claims: { ...claims } })
    const get = (query: string, as: string) => served.get(`/v1/order-totals${query && `?${query}`}`, { as })
    const rowsOf = (answer: Answer) => {
      expect(answer.status, answer.text).toBe(200)
      return answer.rows
    }
    const make = (as: string, body: object) => served.make('/v1/orders', { total: 0, ...body }, { as })

    describe('of some orders', () => {
      let key = ''
      let account = ''
      beforeAll(async () => {
        const caller = await newCaller()
        key = caller.key
        account = caller.account
        await make(key, { currency: 'EUR', total: 100, price: '0.10' })
        await make(key, { currency: 'EUR', total: 50, price: '0.20' })
        await make(key, { currency: 'USD', total: 7 })
        await make(key, { total: 1, margin: 5, grade: 'b' })
        const { id } = await make(key, { currency: 'EUR', total: 1000, margin: -2 })
        await served.call('PATCH', `/v1/orders/${id}`, { body: { status: 'paid' }, as: key })
      })

      test('are one row for each group, in the order of the groups, unset values first', async () => {
        const answer = await get('by=currency', key)
        expect(answer.text).toBe(
          '{"data":[' +
            '{"currency":null,"count":1,"total":1,"price":"0.00","margin":5},' +
            '{"currency":"EUR","count":3,"total":1150,"price":"0.30","margin":-2},' +
            '{"currency":"USD","count":1,"total":7,"price":"0.00","margin":0}' +
            '],"page":{"limit":25,"has_more":false,"next_cursor":null}}',
        )
        expect(
          rowsOf(await get('by=currency,status', key)).map(({ currency, status }) => [currency, status]),
        ).toEqual([
          [null, 'draft'],
          ['EUR', 'draft'],
          ['EUR', 'paid'],
          ['USD', 'draft'],
        ])
        expect(Object.keys(rowsOf(await get('by=status,currency', key))[0] ?? {})).toEqual([
          'status',
          'currency',
          'count',
          'total',
          'price',
          'margin',
        ])
      })

      test.each([
        ['by=currency&sort=-currency', ['USD', 'EUR', null]],
        ['by=currency&sort=-count', ['EUR', 'USD', null]],
        ['by=currency&sort=count', [null, 'USD', 'EUR']],
        ['by=currency&sort=count,-currency', ['USD', null, 'EUR']],
      ])('are sorted by %s', async (query, wanted) => {
        expect(rowsOf(await get(query, key)).map(({ currency }) => currency)).toEqual(wanted)
      })

      test('of nothing to group by are one row, also of no rows', async () => {
        const all = { count: 5, total: 1158, price: '0.30', margin: 3 }
        for (const query of ['', 'sort=-count', 'limit=1'])
          expect(rowsOf(await get(query, key))).toEqual([all])
        expect(rowsOf(await get('filter[total]=99', key))).toEqual([
          { count: 0, total: 0, price: '0.00', margin: 0 },
        ])
        expect(rowsOf(await get('filter[total]=99&by=currency', key))).toEqual([])
      })

      test('are of the rows that the filters find', async () => {
        const counts = async (query: string) =>
          rowsOf(await get(`by=status&${query}`, key)).map(({ status, count }) => [status, count])
        expect(await counts('filter[currency]=EUR')).toEqual([
          ['draft', 2],
          ['paid', 1],
        ])
        expect(await counts('filter[total][gte]=100')).toEqual([
          ['draft', 1],
          ['paid', 1],
        ])
        expect(await counts('filter[currency]=null')).toEqual([['draft', 1]])
        expect(await counts('filter[or][0][status]=paid&filter[or][1][currency]=USD')).toEqual([
          ['draft', 1],
          ['paid', 1],
        ])
        expect(await counts('filter[created_at][gte]=2999-01-01T00:00:00Z')).toEqual([])
      })

      test('are walked with a cursor that fits this list alone', async () => {
        const path = 'by=currency,status&sort=-count&limit=2'
        const first = await get(path, key)
        expect(first.page).toMatchObject({ limit: 2, has_more: true })
        expect(first.headers.get('link')).toContain(`?${path}&cursor=`)
        const second = await get(`${path}&cursor=${first.page.next_cursor}`, key)
        expect(
          [...first.rows, ...rowsOf(second)].map(({ currency, status, count }) => [currency, status, count]),
        ).toEqual([
          ['EUR', 'draft', 2],
          ['USD', 'draft', 1],
          ['EUR', 'paid', 1],
          [null, 'draft', 1],
        ])
        expect(second.page).toEqual({ limit: 2, has_more: false, next_cursor: null })
        for (const other of [
          'by=status,currency&sort=-count',
          'by=currency,status',
          'by=currency&sort=-count',
          `${path}&filter[total]=1`,
        ])
          expect((await get(`${other}&cursor=${first.page.next_cursor}`, key)).refusal, other).toEqual([
            400,
            'bad-cursor',
          ])
        const other = await keyOf(unique(), ['*'])
        expect((await get(`${path}&cursor=${first.page.next_cursor}`, other)).refusal).toEqual([
          400,
          'bad-cursor',
        ])
      })

      test.each([
        ['by=', 'by', 'empty'],
        ['by=status,', 'by', 'empty element'],
        ['by=status,status', 'by', 'twice'],
        ['by=status&by=currency', 'by', 'is given twice; give it once, as in by=a,b'],
        ['by=customer', 'by', 'did you mean "customer_id"?'],
        ['by=stauts', 'by', 'did you mean "status"?'],
        ['by=total', 'by', 'group by status, currency, customer_id, place or grade'],
        ['by=count', 'by', 'group by'],
        ['by=status&sort=currency', 'sort', 'add it to by, or sort by status or count'],
        ['sort=status', 'sort', 'add it to by, or sort by count'],
        ['by=status&sort=total', 'sort', '"total" is not offered'],
        ['by=status&sort=id', 'sort', '"id" is not offered'],
        ['by=status&sort=count,-count', 'sort', 'twice'],
        ['by=status&limit=0', 'limit', 'whole number'],
        ['by=status&count=true', 'count', 'order-totals are not counted'],
        ['by=status&filter[place]=x', 'filter[place]', 'is not offered'],
        ['group=status', 'group', 'write by=status'],
        ['group_by=status,currency', 'group_by', 'write by=status,currency'],
        ['groupBy=total', 'groupBy', 'write by=status, currency, customer_id, place or grade'],
        ['bye=status', 'bye', 'did you mean "by"?'],
        ['status=paid', 'status', 'write filter[status]=paid'],
        ['page=2', 'page', 'cursor'],
      ])('are refused for %s', async (query, parameter, says) => {
        const answer = await get(query, key)
        expect(answer.refusal, answer.text).toEqual([400, 'bad-query'])
        expect(answer.faults).toEqual([parameter])
        expect(answer.problem.errors?.[0]?.detail).toContain(says)
      })

      test('stand in the model beside what they count, and are said to have no id', async () => {
        const open = async (accept: string) =>
          (await served.call('GET', '/docs/model', { headers: { accept } })).text
        expect(await open('text/markdown')).toContain('The rows of order-totals are totals of orders.')
        const page = await open('text/html')
        expect(page).toContain('; order-totals are totals of orders')
        expect(page).toContain('Every other resource also has <code>id</code>')
      })

      test('have no includes, and other lists have no groups', async () => {
        expect((await get('include=customer', key)).refusal).toEqual([400, 'include-unknown'])
        const answer = await served.get('/v1/orders?by=status', { as: key })
        expect([answer.refusal, answer.faults]).toEqual([[400, 'bad-query'], ['by']])
        expect(answer.problem.errors?.[0]?.detail).toContain('orders have no groups')
      })

      test('are only read, and never one by one', async () => {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
          const answer = await served.call(method, '/v1/order-totals', { body: {}, as: key })
          expect(answer.refusal, method).toEqual([405, 'method-not-allowed'])
          expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
        }
        for (const path of ['/v1/order-totals/1', '/v1/order-totals/1/orders', '/v1/order-totals/'])
          expect((await served.get(path, { as: key })).refusal, path).toEqual([404, 'not-found'])
        const { detail } = (await served.get('/v1/order-totals/1', { as: key })).problem
        expect(detail).toMatch(/ Rows of order-totals are at \S*\/v1\/order-totals\.$/)
        expect((await served.call('HEAD', '/v1/order-totals', { as: key })).status).toBe(200)
      })

      test('need a scope of their own, and no other', async () => {
        const own = await keyOf(account, ['order-totals:read'])
        expect(rowsOf(await get('by=status', own))).toHaveLength(2)
        const others = await keyOf(account, ['orders:read', 'order-totals:write'])
        expect((await get('by=status', others)).refusal).toEqual([403, 'scope-missing'])
        expect((await served.get('/v1/order-totals', { as: null })).refusal).toEqual([
          401,
          'credentials-missing',
        ])
        // A filter through a relation reads its rows.
        expect((await get('filter[customer.city]=x', own)).refusal).toEqual([403, 'scope-missing'])
      })

      test('show and take fields that need a scope only where it is held', async () => {
        const own = await keyOf(account, ['order-totals:read'])
        expect(rowsOf(await get('by=status', own))[0]).toEqual({
          status: 'draft',
          count: 4,
          total: 158,
          price: '0.30',
        })
        const grouped = await get('by=status,grade', own)
        expect([grouped.refusal, grouped.faults]).toEqual([[403, 'scope-missing'], ['by']])
        expect((await get('by=grade&sort=grade', own)).faults).toEqual(['by'])
        expect((await get('filter[margin][gt]=1', own)).refusal).toEqual([403, 'scope-missing'])
        const finance = await keyOf(account, ['order-totals:read', 'orders:finance'])
        expect(rowsOf(await get('by=grade', finance)).map(({ grade, margin }) => [grade, margin])).toEqual([
          [null, -2],
          ['b', 5],
        ])
        // Names that a caller may not know are not suggested.
        expect((await get('by=grde', own)).text).not.toContain('grade')
        expect((await get('by=grde', finance)).text).toContain('grade')
      })

      test('are of the account alone', async () => {
        const { key: other } = await newCaller()
        expect(rowsOf(await get('', other))).toEqual([{ count: 0, total: 0, price: '0.00', margin: 0 }])
        expect(rowsOf(await get('by=status', other))).toEqual([])
      })
    })

    test('do not count rows that the caller may not read, nor find them through hidden ones', async () => {
      const { account, key } = await newCaller()
      const hider = await keyOf(account, ['*'], { open: false, secret: true })
      await make(key, { total: 1 })
      await make(hider, { total: 10, secret: true, currency: 'USD' })
      const bonn = await served.make('/v1/customers', { city: 'Bonn', open: false }, { as: hider })
      const both = await keyOf(account, ['*'], { open: false, secret: false })
      await make(both, { total: 100, customer_id: bonn.id })
      expect(rowsOf(await get('by=currency', key)).map(({ count, total }) => [count, total])).toEqual([
        [2, 101],
      ])
      expect(rowsOf(await get('', hider)).map(({ count, total }) => [count, total])).toEqual([[1, 10]])
      expect(rowsOf(await get('filter[customer.city]=Bonn', key))[0]?.count).toBe(0)
      expect(rowsOf(await get('filter[customer.city]=Bonn', both))[0]?.count).toBe(1)
    })

    test('beyond what a number or a decimal can hold are a problem, and the largest are exact', async () => {
      const { key } = await newCaller()
      const safe = Number.MAX_SAFE_INTEGER
      await make(key, { total: safe - 1, price: '999999999999.99', place: 'a' })
      await make(key, { total: 1, place: 'a' })
      await make(key, { total: -5, place: 'b' })
      expect(rowsOf(await get('by=place', key))[0]).toMatchObject({ total: safe, price: '999999999999.99' })
      await make(key, { total: 5, place: 'a' })
      const answer = await get('by=place', key)
      expect(answer.refusal).toEqual([422, 'totals-too-large'])
      expect(answer.problem.detail).toContain('The sum of total is larger')
      // Other rows take it back.
      expect(rowsOf(await get('', key))[0]).toMatchObject({ count: 4, total: safe })
      await make(key, { price: '0.01', place: 'c' })
      expect((await get('', key)).problem.detail).toContain('The sum of price is larger')
      for (let at = 0; at < 3; at++) await make(key, { total: safe, place: 'd' })
      expect((await get('filter[total][gt]=9', key)).refusal).toEqual([422, 'totals-too-large'])
    })

    test('of too many rows or groups are refused with what to do, and pages with too many bytes', async () => {
      const { key } = await newCaller()
      const rows = Array.from({ length: 1_101 }, (_, at) => ({ total: at, place: `${at}`.padEnd(200, 'p') }))
      for (const data of [rows.slice(0, 600), rows.slice(600)])
        expect((await served.call('POST', '/v1/orders', { body: { data }, as: key })).status).toBe(201)
      const whole = await get('', key)
      expect(whole.refusal).toEqual([422, 'totals-too-large'])
      expect(whole.problem).toMatchObject({ limit: 1_100 })
      expect(whole.problem.detail).toContain('More than 1100 rows of orders would be counted')
      expect(whole.problem.detail).toContain('filter[status]')
      expect(rowsOf(await get('filter[total][gte]=1', key))[0]?.count).toBe(1_100)
      const groups = await get('by=place&filter[total][gte]=1', key)
      expect(groups.refusal).toEqual([422, 'totals-too-large'])
      expect(groups.problem.detail).toContain('There are 1100 groups, and 1000 is the limit')
      expect(rowsOf(await get('by=place&filter[total][gt]=100&limit=5', key))).toHaveLength(5)
      const bytes = await get('by=place&filter[total][gt]=100&limit=100', key)
      expect(bytes.refusal).toEqual([422, 'response-too-large'])
      expect(rowsOf(await get('by=place&filter[total][gt]=100&limit=50', key))).toHaveLength(50)
    })

    test('of shared rows can be public', async () => {
      const { key } = await newCaller(['colours:write'])
      await served.make('/v1/colours', { name: 'red' }, { as: key })
      const answer = await served.get('/v1/colour-totals?by=name', { as: null })
      expect(answer.rows).toEqual([{ name: 'red', count: 1 }])
      const none = await served.get('/v1/colour-totals', { as: null })
      expect(none.rows).toEqual([{ count: 1 }])
    })

    test('are one statement, and told by the typed client', async () => {
      const { account, key } = await newCaller()
      for (const total of [1, 2, 3]) await make(key, { total, currency: total > 1 ? 'EUR' : 'USD' })
      expect(await served.counted(() => get('by=currency&filter[total][gt]=0&sort=-count', key))).toBe(1)
      const claims = { open: true, secret: false }
      const api = (await served.api.client(account, { claims })) as unknown as Client<typeof declaration>
      const { data, page } = await api.orderTotals.list({
        by: ['currency'],
        filter: { total: { gt: 0 } },
        sort: ['-count'],
        limit: 1,
      })
      expect(data.map(({ currency, count, total }) => [currency, count, total])).toEqual([['EUR', 2, 5]])
      expect(page.has_more).toBe(true)
      const all: unknown[] = []
      for await (const { status, currency, count } of api.orderTotals.list({
        by: ['status', 'currency'],
        limit: 1,
      }))
        all.push([status, currency, count])
      expect(all).toEqual([
        ['draft', 'EUR', 2],
        ['draft', 'USD', 1],
      ])
    })

    test('stand in the index, in the documents and on the pages of their version', async () => {
      const index = (await served.get('/v1', { as: null })).data as unknown as { collections: object }
      expect(index.collections).toMatchObject({ 'order-totals': '/v1/order-totals' })
      for (const path of ['/v1/openapi.json', '/docs', '/docs/v1', '/docs/model']) {
        const answer = await served.get(path, { as: null })
        expect([path, answer.status]).toEqual([path, 200])
        if (path.includes('v1')) expect(answer.text, path).toContain('order-totals')
      }
    })

    test('count as uses of their filters and groups', () => {
      const view = served.api.service.model.head.views.get('order-totals')
      if (!view) throw new Error('no totals')
      const { list } = readListQuery('by=status,place&filter[total]=1&sort=-count', view, 100, toldAll)
      expect(list.uses).toMatchObject({ filters: ['total'], fields: ['status', 'place'] })
    })
  },
  { declaration },
)

describeServing(
  'totals with a rate of their own',
  (served) => {
    test('are 429 beyond it, and the rows are not', async () => {
      const statuses: number[] = []
      for (let at = 0; at < 3; at++) statuses.push((await served.get('/v1/pebble-totals')).status)
      expect(statuses).toEqual([200, 200, 429])
      expect((await served.get('/v1/pebbles')).status).toBe(200)
    })
  },
  {
    declaration: api('pebbles', {
      resources: [
        resource('pebbles', { fields: { size: z.int() } }),
        resource('pebble-totals', {
          totals: { of: 'pebbles', by: ['size'] },
          rate: { perSecond: 0.001, burst: 2 },
        }),
      ],
    }),
    rate: '1000',
  },
)
