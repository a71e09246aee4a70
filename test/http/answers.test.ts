import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { readOnly } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { anyOf } from '../../src/index.ts'
import { describeServing } from '../support/serving.ts'
import { noId } from '../support/shop-rows.ts'

interface Quote {
  readonly id?: string
  readonly carrier: 'dhl' | 'ups'
  readonly price: number
  readonly note?: string | null
  readonly order_id: string
}

/** What the code of the current test has and was asked. */
let quotes: Quote[] = []
let asked: unknown[] = []

const orders = resource('orders', {
  fields: { owner_name: z.string(), open: z.boolean().default(true) },
  relations: { quotes: hasMany('quotes'), reminders: hasMany('reminders') },
  include: ['quotes', 'quotes.picks'],
  rules: {
    read: ({ row, caller }) => anyOf(row.owner_name.is(caller.claim('name')), caller.has('orders:all')),
  },
})
const priced = resource('quotes', {
  fields: {
    carrier: z.enum(['dhl', 'ups']),
    note: z.string().max(20).trim().optional(),
    price: readOnly(z.int()),
  },
  relations: { order: belongsTo(orders), picks: hasMany('picks') },
  include: ['order', 'picks'],
  filter: ['order_id', 'carrier', 'price'],
  sort: ['price'],
  idPrefix: 'quo_',
  limits: { pageMax: 3, pageDefault: 3, bodyBytes: 1_000 },
  problems: { 'no-carrier': { status: 422, title: 'No carrier goes there' } },
  answers: {
    async create(input, { caller, find, reject, idempotencyKey }) {
      const order = await find('orders', input.order_id)
      asked.push({ input, scopes: caller.scopes, order: order?.owner_name, idempotencyKey })
      if (input.carrier === 'ups')
        reject({ code: 'no-carrier', detail: 'UPS does not go there.', field: 'carrier' })
      const quote = { ...input, price: 490 }
      return quote
    },
    get(id) {
      asked.push(id)
      return quotes.find((quote) => quote.id === id) ?? null
    },
    list({ filter, sort, limit = Number.POSITIVE_INFINITY, after = '0' }) {
      asked.push({ filter, sort, limit, after })
      const { order_id: order, price = {} } = filter
      const found = quotes.filter(
        (quote) =>
          (!order?.in || order.in.includes(quote.order_id)) && (!price.gte || quote.price >= price.gte),
      )
      if (filter.id?.in) return { rows: found.filter(({ id = '' }) => filter.id?.in?.includes(id)) }
      const from = Number(after)
      const rows = found.slice(from, from + limit)
      return { rows, next: from + limit < found.length ? String(from + limit) : null }
    },
  },
})
const picks = resource('picks', {
  fields: { by: z.string() },
  relations: { quote: belongsTo('quotes') },
  include: ['quote', 'quote.order'],
})
const reminders = resource('reminders', {
  fields: { text: z.string(), sent: readOnly(z.boolean()) },
  relations: { order: belongsTo('orders') },
  owner: 'order',
  answers: { create: async (input) => ({ ...input, id: `${input.text}-1`, sent: true }) },
})
const declaration = api('shipping', {
  resources: [orders, priced, picks, reminders],
  scopes: { 'orders:all': 'See all orders' },
})

describeServing(
  'a noun answered by code',
  (served) => {
    let order = ''
    beforeEach(async () => {
      asked = []
      if (order === '') order = (await served.make('/v1/orders', { owner_name: 'ada' })).id
      quotes = [1, 2, 3, 4, 5].map((n) => ({ id: `q-${n}`, carrier: 'dhl', price: n, order_id: order }))
    })

    describe('what comes in and goes out', () => {
      test('a create gets checked input, and its row gets an id', async () => {
        const made = await served.call('POST', '/v1/quotes', {
          body: { carrier: 'dhl', note: ' fast ', order_id: order },
        })
        expect(made.status, made.text).toBe(201)
        const { id } = made.data
        expect(id).toMatch(/^quo_[0-9a-f-]{36}$/)
        expect(made.data).toEqual({ id, order_id: order, carrier: 'dhl', note: 'fast', price: 490 })
        expect(made.headers.get('location')).toBe(`/v1/quotes/${id}`)
        expect(made.etag).toMatch(/^"[\w-]+"$/)
        expect(asked).toMatchObject([
          { input: { carrier: 'dhl', note: 'fast', order_id: order }, order: 'ada', idempotencyKey: null },
        ])
      })

      test('input that is not valid never reaches the code', async () => {
        const refused = async (body: unknown) => {
          const answer = await served.call('POST', '/v1/quotes', { body })
          return [...answer.refusal, ...answer.faults]
        }
        expect(await refused({ carrier: 'x', order_id: order, price: 3 })).toEqual([
          422,
          'validation-failed',
          '#/carrier',
          '#/price',
        ])
        expect(await refused({ carrier: 'dhl', order_id: noId })).toEqual([
          422,
          'validation-failed',
          '#/order_id',
        ])
        expect(await refused({ carrier: 'dhl', order_id: order, prise: 1 })).toContain('#/prise')
        expect(await refused('{')).toEqual([400, 'malformed-json'])
        expect(await refused({ note: 'x'.repeat(2_000) })).toEqual([413, 'body-too-large'])
        expect(asked).toEqual([])
      })

      test('the code refuses with its declared problems', async () => {
        const answer = await served.call('POST', '/v1/quotes', { body: { carrier: 'ups', order_id: order } })
        expect(answer.refusal).toEqual([422, 'no-carrier'])
        expect(answer.problem).toMatchObject({
          title: 'No carrier goes there',
          detail: 'UPS does not go there.',
        })
        expect(answer.faults).toEqual(['#/carrier'])
      })

      test('one row, its ETag, and none', async () => {
        const one = await served.get('/v1/quotes/q-2')
        expect(one.data).toEqual({ id: 'q-2', order_id: order, carrier: 'dhl', note: null, price: 2 })
        const again = await served.call('GET', '/v1/quotes/q-2', { headers: { 'If-None-Match': one.etag } })
        expect(again.status).toBe(304)
        quotes = quotes.map((quote) => ({ ...quote, price: quote.price + 1 }))
        const changed = await served.call('GET', '/v1/quotes/q-2', { headers: { 'If-None-Match': one.etag } })
        expect(changed.status).toBe(200)
        expect(changed.etag).not.toBe(one.etag)
        expect((await served.get('/v1/quotes/q-9')).refusal).toEqual([404, 'not-found'])
        expect(await served.call('HEAD', '/v1/quotes/q-2')).toMatchObject({ status: 200, text: '' })
      })

      test('an id that could be none is not asked for', async () => {
        for (const id of ['.x', 'a%2Fb', 'a b', 'x'.repeat(201), '%00'])
          expect((await served.get(`/v1/quotes/${encodeURI(id)}`)).status, id).toBe(404)
        expect(asked).toEqual([])
      })
    })

    describe('lists', () => {
      test('pages are sealed with what the code says of the next one', async () => {
        const first = await served.get('/v1/quotes?limit=2')
        expect(first.rows.map(({ id }) => id)).toEqual(['q-1', 'q-2'])
        expect(first.page).toMatchObject({ limit: 2, has_more: true })
        const { next_cursor: cursor } = first.page
        expect(first.headers.get('link')).toContain(`cursor=${cursor}`)
        const second = await served.get(`/v1/quotes?limit=2&cursor=${cursor}`)
        expect(second.rows.map(({ id }) => id)).toEqual(['q-3', 'q-4'])
        const last = await served.get(`/v1/quotes?limit=2&cursor=${second.page.next_cursor}`)
        expect(last.page).toEqual({ limit: 2, has_more: false, next_cursor: null })
        expect((await served.get(`/v1/quotes?sort=price&cursor=${cursor}`)).refusal).toEqual([
          400,
          'bad-cursor',
        ])
        expect((await served.get(`/v1/quotes?cursor=${cursor}x`)).refusal).toEqual([400, 'bad-cursor'])
      })

      test('filters and sorts are declared, checked and typed', async () => {
        const query = `filter[price][gte]=2&filter[price][lt]=9&filter[carrier][in]=dhl,ups&filter[order_id]=${order}&sort=-price&limit=2`
        await served.get(`/v1/quotes?${query}`)
        expect(asked).toEqual([
          {
            filter: {
              price: { gte: 2, lt: 9 },
              carrier: { in: ['dhl', 'ups'] },
              order_id: { eq: order },
            },
            sort: ['-price'],
            limit: 2,
            after: '0',
          },
        ])
        asked = []
        for (const wrong of [
          'filter[note]=x',
          'filter[price]=x',
          'sort=note',
          'filter[or][0][price]=1',
          'count=true',
        ])
          expect((await served.get(`/v1/quotes?${wrong}`)).refusal, wrong).toEqual([400, 'bad-query'])
        expect(asked).toEqual([])
      })
    })

    describe('methods', () => {
      const allowed = async (path: string, method: string) => {
        const answer = await served.call(method, path)
        return [answer.status, answer.headers.get('allow')]
      }
      test('those without a function are not offered', async () => {
        expect(await allowed('/v1/quotes/q-1', 'DELETE')).toEqual([405, 'GET, HEAD, OPTIONS'])
        expect(await allowed(`/v1/orders/${order}/reminders`, 'GET')).toEqual([405, 'POST, OPTIONS'])
        expect(await allowed(`/v1/orders/${order}/reminders/x`, 'GET')).toEqual([405, 'OPTIONS'])
      })

      test('an action below a stored row: its owner must be there for the caller', async () => {
        const made = await served.call('POST', `/v1/orders/${order}/reminders`, { body: { text: 'pay' } })
        expect([made.status, made.data]).toEqual([
          201,
          { id: 'pay-1', order_id: order, text: 'pay', sent: true },
        ])
        expect(made.headers.get('location')).toBe(null)
        const absent = await served.call('POST', `/v1/orders/${noId}/reminders`, { body: {} })
        expect(absent.refusal).toEqual([404, 'not-found'])
        const bob = await served.api.key('acme', {
          name: `bob ${served.kind}`,
          scopes: ['reminders:write', 'orders:read', 'quotes:read'],
          claims: { name: 'bob' },
        })
        const hidden = await served.call('POST', `/v1/orders/${order}/reminders`, {
          body: { text: 'x' },
          as: bob,
        })
        expect(hidden.refusal).toEqual([404, 'not-found'])
        expect((await served.get(`/v1/orders/${order}/quotes`, { as: bob })).refusal).toEqual([
          404,
          'not-found',
        ])
        expect((await served.call('POST', '/v1/quotes', { body: {}, as: bob })).refusal).toEqual([
          403,
          'scope-missing',
        ])
      })
    })

    describe('includes', () => {
      test('rows below a stored one', async () => {
        quotes = [...quotes, { id: 'q-6', carrier: 'dhl', price: 6, order_id: noId }]
        const below = await served.get(`/v1/orders/${order}/quotes?limit=3`)
        expect(below.rows.map(({ id }) => id)).toEqual(['q-1', 'q-2', 'q-3'])
        expect((await served.get(`/v1/orders/${order}/quotes/q-1`)).status).toBe(200)
        expect((await served.get(`/v1/orders/${order}/quotes/q-6`)).status).toBe(404)
      })

      test('to-many from stored rows: the code is asked once for a page', async () => {
        const other = (await served.make('/v1/orders', { owner_name: 'ada' })).id
        quotes = quotes.map((quote, index) => (index === 4 ? { ...quote, order_id: other } : quote))
        const { rows } = await served.get('/v1/orders?include=quotes&limit=50')
        const of = (id: string) =>
          rows.find((row) => row.id === id)?.quotes as { data: Quote[]; page: object }
        expect(of(order).data.map(({ id }) => id)).toEqual(['q-1', 'q-2', 'q-3', 'q-4'])
        expect(of(order).page).toEqual({ limit: 50, has_more: false, next_cursor: null, next: null })
        expect(of(other).data.map(({ id }) => id)).toEqual(['q-5'])
        expect(asked).toHaveLength(1)
        expect(asked).toMatchObject([
          {
            limit: Number.POSITIVE_INFINITY,
            filter: { order_id: { in: expect.arrayContaining([order, other]) } },
          },
        ])
      })

      test('to-one from stored rows, and on from there', async () => {
        const pick = await served.make('/v1/picks', { by: 'ada', quote_id: 'q-2' })
        const gone = await served.make('/v1/picks', { by: 'ada', quote_id: 'q-77' })
        asked = []
        const { rows } = await served.get('/v1/picks?include=quote.order')
        expect(asked).toHaveLength(1)
        const of = (id: string) => rows.find((row) => row.id === id)
        expect(of(pick.id)).toMatchObject({ quote: { id: 'q-2', order: { id: order } } })
        expect(of(gone.id)).toMatchObject({ quote_id: 'q-77', quote: null })
        const one = await served.get(`/v1/picks/${pick.id}?include=quote`)
        expect(Object.keys(one.data).at(-1)).toBe('quote')
        expect(JSON.stringify(one.data)).not.toContain('@')
      })

      test('stored rows from rows of code, to-one and to-many, by one statement', async () => {
        await served.make('/v1/picks', { by: 'eve', quote_id: 'q-3' })
        const list = () => served.get('/v1/quotes?include=order,picks')
        const { rows } = await list()
        expect(rows[2]).toMatchObject({ id: 'q-3', order: { id: order }, picks: { data: [{ by: 'eve' }] } })
        expect(rows[0]).toMatchObject({ picks: { data: [], page: { limit: 50, has_more: false } } })
        expect(await served.counted(list)).toBe(1)
        const one = await served.get('/v1/quotes/q-3?include=picks')
        expect(one.data).toMatchObject({ picks: { data: [{ by: 'eve' }] } })
        const below = await served.get('/v1/quotes/q-3/picks')
        expect(below.rows).toMatchObject([{ by: 'eve' }])
        expect((await served.get('/v1/quotes/q-33/picks')).refusal).toEqual([404, 'not-found'])
      })

      test('a relation that is not offered', async () => {
        expect((await served.get('/v1/quotes?include=nothing')).refusal).toEqual([400, 'include-unknown'])
        expect((await served.get(`/v1/orders?include=reminders`)).refusal).toEqual([
          400,
          'include-not-allowed',
        ])
      })
    })
  },
  { declaration },
)
