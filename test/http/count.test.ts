import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { api, belongsTo, hasMany, resource } from '../../src/index.ts'
import { describeServing } from '../support/serving.ts'
import { newCustomer, newOrder } from '../support/shop-rows.ts'

describeServing('a count of orders', (served) => {
  test('stands in the page where it is asked for, whatever page, order and relations are', async () => {
    const customer = await newCustomer(served)
    for (let at = 0; at < 5; at++) await newOrder(served, { customer_id: customer.id })
    const path = `/v2/orders?filter[customer_id]=${customer.id}&limit=2`
    const { page: plain } = await served.get(path)
    expect(Object.keys(plain)).toEqual(['limit', 'has_more', 'next_cursor'])
    const first = await served.get(`${path}&count=true`)
    expect(first.page).toEqual({ ...plain, total: 5, total_is_exact: true })
    const following = await served.get(`${path}&count=true&cursor=${plain.next_cursor}`)
    expect(following.page).toMatchObject({ limit: 2, has_more: true, total: 5, total_is_exact: true })
    for (const more of ['sort=-total', 'include=customer,items.product', 'limit=1', 'limit=100'])
      expect((await served.get(`${path.replace('&limit=2', '')}&count=true&${more}`)).page.total).toBe(5)
  })

  test('is in the link to the next page, and a cursor does without it', async () => {
    const { page, headers } = await served.get('/v2/orders?count=true&limit=3')
    expect(headers.get('link')).toContain('?count=true&limit=3&cursor=')
    const next = await served.get(`/v2/orders?limit=3&cursor=${page.next_cursor}`)
    expect([next.status, 'total' in next.page]).toEqual([200, false])
  })

  test('is of the rows that the filters find, below an owner of its rows, and of the account alone', async () => {
    const customer = await newCustomer(served)
    expect((await served.get(`/v2/customers/${customer.id}/orders?count=true`)).page).toEqual({
      limit: 25,
      has_more: false,
      next_cursor: null,
      total: 0,
      total_is_exact: true,
    })
    await newOrder(served, { customer_id: customer.id })
    await newOrder(served, { customer_id: customer.id, currency: 'USD' })
    const path = `/v2/customers/${customer.id}/orders?count=true`
    expect((await served.get(path)).page.total).toBe(2)
    expect((await served.get(`${path}&filter[status]=paid`)).page.total).toBe(0)
    expect((await served.get(`${path}&filter[status][in]=draft,paid&filter[total][lt]=1`)).page.total).toBe(2)
    expect((await served.get(path, { as: 'globex' })).refusal).toEqual([404, 'not-found'])
    const rows = async (as: string) => {
      const { page } = await served.get('/v2/orders?count=true&limit=100', { as })
      return page.total
    }
    const before = await rows('globex')
    await newOrder(served)
    expect(await rows('globex')).toBe(before)
  })

  test('is in the words of an older version', async () => {
    const customer = await newCustomer(served)
    const { id } = await newOrder(served, { customer_id: customer.id })
    const total = async (status: string) =>
      (await served.get(`/v1/orders?count=true&filter[client_id]=${customer.id}&filter[status]=${status}`))
        .page.total
    await served.call('PATCH', `/v2/orders/${id}`, { body: { status: 'placed' } })
    expect([await total('open'), await total('cancelled')]).toEqual([1, 0])
    for (const status of ['paid', 'refunded'])
      await served.call('PATCH', `/v2/orders/${id}`, { body: { status } })
    expect([await total('open'), await total('cancelled')]).toEqual([0, 1])
  })

  test.each(['count=false', 'count=1', 'count=yes', 'count=', 'count', 'count=true&count=true'])(
    'is refused as %s',
    async (query) => {
      const answer = await served.get(`/v2/orders?${query}`)
      expect([answer.refusal, answer.faults]).toEqual([[400, 'bad-query'], ['count']])
    },
  )

  test('is refused where it is not offered: other resources, one row, a write', async () => {
    const { id } = await newOrder(served)
    for (const path of [
      '/v2/customers?count=true',
      '/v1/products?count=true',
      `/v2/orders/${id}?count=true`,
    ]) {
      const answer = await served.get(path)
      expect([answer.refusal, answer.faults], path).toEqual([[400, 'bad-query'], ['count']])
    }
    const answer = await served.call('PATCH', `/v2/orders/${id}?count=true`, { body: {} })
    expect(answer.refusal).toEqual([400, 'bad-query'])
  })
})

const boxes = resource('boxes', {
  fields: { name: z.string() },
  relations: { stones: hasMany('stones') },
  rules: { read: ({ row, caller }) => row.name.is(caller.claim('box')) },
})
const stones = resource('stones', {
  fields: { colour: z.enum(['red', 'grey']), note: z.string().max(2_000_000).optional() },
  relations: { box: belongsTo(boxes) },
  filter: ['colour'],
  include: ['box'],
  count: true,
  limits: { countRows: 3, responseBytes: 4_000 },
  rules: { read: ({ row, caller }) => row.box.name.is(caller.claim('box')) },
})

describeServing(
  'a count with a limit',
  (served) => {
    const keyOf = async (box: string) =>
      served.api.key('acme', { name: `${served.kind} ${box}`, scopes: ['*'], claims: { box } })
    const counted = async (path: string, as: string) => {
      const { status, text, page } = await served.get(path, { as })
      expect(status, text).toBe(200)
      return [page.total, page.total_is_exact]
    }

    describe('of rows that a caller may read', () => {
      test('ends at the limit, and says so', async () => {
        const [own, other] = [await keyOf('a'), await keyOf('b')]
        const box = await served.make('/v1/boxes', { name: 'a' }, { as: own })
        const hidden = await served.make('/v1/boxes', { name: 'b' }, { as: other })
        for (let at = 0; at < 5; at++) {
          await served.make(
            '/v1/stones',
            { colour: at < 3 ? 'red' : 'grey', box_id: hidden.id },
            { as: other },
          )
          if (at < 3) await served.make('/v1/stones', { colour: 'red', box_id: box.id }, { as: own })
        }
        expect(await counted('/v1/stones?count=true&limit=1', own)).toEqual([3, true])
        expect(await counted('/v1/stones?count=true', other)).toEqual([3, false])
        expect(await counted('/v1/stones?count=true&filter[colour]=red', other)).toEqual([3, true])
        expect(await counted('/v1/stones?count=true&filter[colour]=grey', other)).toEqual([2, true])
        expect(await counted(`/v1/boxes/${hidden.id}/stones?count=true&include=box`, other)).toEqual([
          3,
          false,
        ])
        const { page } = await served.get('/v1/stones?count=true&limit=100', { as: other })
        expect(page).toEqual({
          limit: 100,
          has_more: false,
          next_cursor: null,
          total: 3,
          total_is_exact: false,
        })
        expect((await served.get(`/v1/boxes/${hidden.id}/stones?count=true`, { as: own })).status).toBe(404)
      })

      test('stands beside an answer whose bytes are measured, and not beside one that is too large', async () => {
        const as = await keyOf('c')
        const box = await served.make('/v1/boxes', { name: 'c' }, { as })
        const stone = (note: string) =>
          served.make('/v1/stones', { colour: 'red', box_id: box.id, note }, { as })
        await stone('x'.repeat(100))
        expect(await counted('/v1/stones?count=true&sort=-id', as)).toEqual([1, true])
        expect(await counted(`/v1/boxes/${box.id}/stones?count=true`, as)).toEqual([1, true])
        await stone('x'.repeat(2_500))
        await stone('x'.repeat(2_500))
        expect((await served.get('/v1/stones?count=true', { as })).refusal).toEqual([
          422,
          'response-too-large',
        ])
      })
    })

    test('is one statement', async () => {
      const as = await keyOf('d')
      const get = (path: string) => () => served.get(path, { as })
      expect(await served.counted(get('/v1/stones?count=true'))).toBe(await served.counted(get('/v1/stones')))
    })
  },
  { declaration: api('boxes', { resources: [boxes, stones] }) },
)
