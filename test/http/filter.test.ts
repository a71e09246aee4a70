import { beforeAll, expect, test } from 'vitest'
import { describeServing, type Row } from '../support/serving.ts'
import { newCustomer, newOrder, noId, unique } from '../support/shop-rows.ts'

const ids = (rows: readonly Row[]) => rows.map((row) => row.id)

describeServing('filter', (served) => {
  let all: readonly Row[] = []
  beforeAll(async () => {
    all = (await served.get('/v2/orders?limit=100')).rows
  })

  const expectOrders = async (query: string, keep: (row: Row) => boolean) => {
    const answer = await served.get(`/v2/orders?limit=100&${query}`)
    expect(answer.status, answer.text).toBe(200)
    const expected = ids(all.filter(keep))
    expect(ids(answer.rows).filter((id) => all.some((row) => row.id === id))).toEqual(expected)
    return expected.length
  }

  test('eq is the default, and ne, in work on every kind', async () => {
    const buyer = all[0]?.customer_id
    expect(await expectOrders('filter[status]=paid', (row) => row.status === 'paid')).toBeGreaterThan(0)
    await expectOrders('filter[status][eq]=paid', (row) => row.status === 'paid')
    await expectOrders('filter[status][ne]=paid', (row) => row.status !== 'paid')
    await expectOrders('filter[status][in]=paid,draft', (row) => /^(paid|draft)$/.test(String(row.status)))
    await expectOrders('filter[status][in]=paid,draft,placed', (row) =>
      /^(paid|draft|placed)$/.test(String(row.status)),
    )
    await expectOrders(`filter[customer_id]=${buyer}`, (row) => row.customer_id === buyer)
    await expectOrders(`filter[customer_id][ne]=${buyer}`, (row) => row.customer_id !== buyer)
    await expectOrders(`filter[customer_id][in]=${buyer},${noId}`, (row) => row.customer_id === buyer)
    const total = Number(all[3]?.total)
    await expectOrders(`filter[total]=${total}`, (row) => row.total === total)
    await expectOrders(`filter[total][ne]=${total}`, (row) => row.total !== total)
    await expectOrders(`filter[total][in]=1,${total},2`, (row) => row.total === total)
  })

  test('gt, gte, lt, lte compare numbers and times, whatever the offset of a time', async () => {
    const total = Number(all[3]?.total)
    await expectOrders(`filter[total][gt]=${total}`, (row) => Number(row.total) > total)
    await expectOrders(`filter[total][gte]=${total}`, (row) => Number(row.total) >= total)
    await expectOrders(`filter[total][lt]=${total}`, (row) => Number(row.total) < total)
    await expectOrders(`filter[total][lte]=${total}`, (row) => Number(row.total) <= total)
    const moment = String(all[20]?.created_at)
    const at = Date.parse(moment)
    const shifted = new Date(at + 5.5 * 3_600_000).toISOString().replace('Z', '')
    for (const text of [moment, encodeURIComponent(`${shifted}+05:30`), `${shifted}+05:30`]) {
      await expectOrders(`filter[created_at][gt]=${text}`, (row) => Date.parse(String(row.created_at)) > at)
      await expectOrders(`filter[created_at][lte]=${text}`, (row) => Date.parse(String(row.created_at)) <= at)
      await expectOrders(`filter[created_at]=${text}`, (row) => row.created_at === moment)
    }
  })

  test('a time between two milliseconds is compared as what it is', async () => {
    const moment = String(all[20]?.created_at)
    const at = Date.parse(moment)
    const between = moment.replace('Z', '5Z')
    const exact = moment.replace('Z', '000Z')
    const time = (row: Row) => Date.parse(String(row.created_at))
    await expectOrders(`filter[created_at][gt]=${between}`, (row) => time(row) > at)
    await expectOrders(`filter[created_at][gte]=${between}`, (row) => time(row) > at)
    await expectOrders(`filter[created_at][lt]=${between}`, (row) => time(row) <= at)
    await expectOrders(`filter[created_at][lte]=${between}`, (row) => time(row) <= at)
    await expectOrders(`filter[created_at][gte]=${exact}`, (row) => time(row) >= at)
    await expectOrders(`filter[created_at]=${exact}`, (row) => time(row) === at)
  })

  test('several filters all hold, also two on one field', async () => {
    await expectOrders(
      'filter[total][gte]=10000&filter[total][lt]=40000&filter[status][ne]=draft',
      (row) => Number(row.total) >= 10000 && Number(row.total) < 40000 && row.status !== 'draft',
    )
  })

  test('strings compare by code point; a comma within a value is written with a backslash', async () => {
    const mark = unique()
    const emails = ['b', 'a', 'c'].map((letter) => `${letter}.${mark}@example.com`)
    for (const email of emails) await newCustomer(served, { email })
    const found = async (query: string) =>
      (await served.get(`/v2/customers?limit=100&sort=email&${query}`)).rows
        .map((row) => String(row.email))
        .filter((email) => email.includes(mark))
    expect(await found(`filter[email][gt]=b.${mark}@example.com`)).toEqual([`c.${mark}@example.com`])
    expect(await found(`filter[email][in]=${emails[0]},${emails[1]}`)).toHaveLength(2)
    expect(await found(`filter[email][in]=${emails[0]}%5C,${emails[1]}`)).toHaveLength(0)
    expect(await found(`filter[email][in]=${emails[0]}%5C%5C,${emails[1]}`)).toHaveLength(1)
  })

  test('null unquoted is the NULL of an optional field; ne also finds NULLs', async () => {
    const friend = await newCustomer(served)
    const referred = await newCustomer(served, { referrer_id: friend.id })
    const found = async (query: string) =>
      new Set(ids((await served.get(`/v2/customers?limit=100&${query}`)).rows))
    const missing = await found('filter[referrer_id]=null')
    expect([missing.has(friend.id), missing.has(referred.id)]).toEqual([true, false])
    const set = await found('filter[referrer_id][ne]=null')
    expect([set.has(friend.id), set.has(referred.id)]).toEqual([false, true])
    const others = await found(`filter[referrer_id][ne]=${friend.id}`)
    expect([others.has(friend.id), others.has(referred.id)]).toEqual([true, false])
    const either = await found(`filter[referrer_id][in]=null,${friend.id}`)
    expect([either.has(friend.id), either.has(referred.id)]).toEqual([true, true])
    expect((await served.get('/v2/customers?filter[referrer_id]=%22null%22')).status).toBe(400)
  })

  test('booleans and enums are filtered by their values', async () => {
    const count = async (query: string) => (await served.get(`/v2/products?limit=100&${query}`)).rows.length
    const every = await count('filter[price][gte]=0')
    expect((await count('filter[active]=true')) + (await count('filter[active]=false'))).toBe(every)
    expect((await count('filter[currency]=EUR')) + (await count('filter[currency][ne]=EUR'))).toBe(every)
    expect(await count('filter[active][in]=true,false')).toBe(every)
  })

  test.each([
    ['filter[nope]=1', 'not offered; filter by status, customer_id, '],
    ['filter[note]=x', 'not offered'],
    ['filter[totl]=1', 'did you mean filter[total]?'],
    ['filter=1', 'not a parameter'],
    ['filter[]=1', 'is not a filter'],
    ['filter[total][]=1', 'is not a filter'],
    ['filter[total][gt][x]=1', 'is not a filter'],
    ['filter[total]x=1', 'is not a filter'],
    ['filter[total][like]=1', 'unknown operator; use eq, ne, in, gt, gte, lt or lte'],
    ['filter[status][inn]=paid', 'unknown operator; did you mean in?'],
    ['filter[total]=x', 'an integer'],
    ['filter[total]=1.5', 'an integer'],
    ['filter[total][in]=1,', 'empty'],
    ['filter[total][in]=1,x', 'an integer'],
    ['filter[total]=null', 'an integer'],
    ['filter[status]=open', 'one of'],
    ['filter[status][gt]=draft', 'eq, ne or in'],
    [`filter[customer_id][gt]=${noId}`, 'eq, ne or in'],
    ['filter[customer_id]=x', 'an id'],
    [`filter[customer_id][in]=${noId},x`, 'an id'],
    ['filter[created_at][gt]=yesterday', 'a time'],
    ['filter[created_at]=2026-01-01', 'a time'],
    ['filter[created_at]=2026-02-30T00:00:00Z', 'a time'],
    ['filter[created_at]=2026-02-20T00:00:00.0001Z', 'milliseconds'],
    ['filter[created_at][ne]=2026-02-20T00:00:00.0001Z', 'milliseconds'],
    ['filter[created_at][in]=2026-02-20T00:00:00Z,2026-02-20T00:00:00.000001Z', 'milliseconds'],
    ['filter[total]=9007199254740993', '2^53 - 1'],
    ['filter[total]=1&filter[total][eq]=2', 'twice'],
  ])('%s is 400', async (query, said) => {
    const answer = await served.get(`/v2/orders?${query}`)
    expect(answer.refusal).toEqual([400, 'bad-query'])
    expect(answer.problem.errors?.[0]?.detail).toContain(said)
    expect(answer.faults[0]).toContain('filter')
  })

  test('comparing with null is 400', async () => {
    const answer = await served.get('/v2/customers?filter[created_at][gt]=null')
    expect(answer.status).toBe(400)
    expect((await served.get('/v2/products?filter[active]=1')).status).toBe(400)
    expect((await served.get('/v2/products?filter[active][gt]=true')).status).toBe(400)
  })

  test('a filter by a reference that does not exist finds nothing', async () => {
    const order = await newOrder(served)
    expect((await served.get(`/v2/orders?filter[customer_id]=${noId}`)).rows).toEqual([])
    const nested = `/v2/customers/${order.customer_id}/orders?filter[status]=paid`
    expect((await served.get(nested)).rows).toEqual([])
  })

  test('an in with many values is answered like one with few', async () => {
    const totals = Array.from({ length: 700 }, (_, at) => at * 50)
    await expectOrders(`filter[total][in]=${totals.join(',')}`, (row) => totals.includes(Number(row.total)))
  })
})
