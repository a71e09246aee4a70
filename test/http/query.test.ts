import { expect, test } from 'vitest'
import { describeServing } from '../support/serving.ts'
import { newOrder, unique } from '../support/shop-rows.ts'

describeServing('query parameters', (served) => {
  test.each([
    ['/v2/orders?page=2', ['page'], 'unknown'],
    ['/v2/orders?Limit=2', ['Limit'], 'unknown'],
    ['/v2/orders?limt=2', ['limt'], 'unknown'],
    ['/v2/orders?a=1&b=2&limit=3', ['a', 'b'], 'unknown'],
    ['/v2/orders?limit=', ['limit'], 'empty'],
    ['/v2/orders?limit', ['limit'], 'empty'],
    ['/v2/orders?sort=', ['sort'], 'empty'],
    ['/v2/orders?include=', ['include'], 'empty'],
    ['/v2/orders?filter[total]=', ['filter[total]'], 'empty'],
    ['/v2/orders?limit=1&limit=2', ['limit'], 'repeated'],
    ['/v2/orders?limit=1&%6Cimit=1', ['limit'], 'repeated'],
    ['/v2/orders?filter[total]=1&filter[total]=1', ['filter[total]'], 'repeated'],
    ['/v2/orders?sort=%ff', ['sort'], 'encoding'],
    ['/v2/orders?sort=%', ['sort'], 'encoding'],
    ['/v2/orders?filter[email]=%00', ['filter[email]'], 'encoding'],
    ['/v2/orders?&', ['', ''], 'empty'],
    ['/v2/orders?=1', [''], 'unknown'],
    ['/v2/orders?limit=1&', [''], 'empty'],
    ['/v2/orders?cursor=x&', [''], 'empty'],
    ['/v2/orders?&cursor=x', [''], 'empty'],
    ['/v2/orders?cursor=', ['cursor'], 'empty'],
    ['/v2/orders?cursor=x&cursor=y', ['cursor'], 'repeated'],
    ['/v2/orders?cursor=x&%63ursor=y', ['cursor'], 'repeated'],
    ['/v2/orders?cursor=x&cursor=y&limit=z', ['cursor', 'limit'], 'repeated'],
    ['/v2/orders?xcursor=x', ['xcursor'], 'unknown'],
    ['/v2/orders?limit=0&sort=nope&filter[x]=1', ['limit', 'sort', 'filter[x]'], 'type'],
    ['/v2/orders?limit=0&nope=1&sort=&filter[x]=1', ['sort', 'nope', 'limit', 'filter[x]'], 'empty'],
  ])('%s is 400 and names what is wrong', async (path, faults, code) => {
    const answer = await served.get(path)
    expect(answer.refusal).toEqual([400, 'bad-query'])
    expect(answer.faults).toEqual(faults)
    expect(answer.problem.errors?.[0]?.code).toBe(code)
  })

  test('a near miss is suggested', async () => {
    const answer = await served.get('/v2/orders?limt=2')
    expect(answer.problem.detail).toBe('limt is not a parameter of a list; did you mean "limit"?')
    const bare = await served.get('/v2/orders?filter=paid')
    expect(bare.problem.detail).toContain('write filter[field]=value, with one of status, customer_id')
  })

  test.each([
    ['customer_id=x', 'write filter[customer_id]=x.'],
    ['custmer_id=x', 'did you mean "filter[customer_id]=x"?'],
    ['total[gte]=5', 'write filter[total][gte]=5.'],
    ['sorts=total', 'did you mean "sort"?'],
  ])('a field without "filter" is suggested as a filter: %s', async (query, meant) => {
    const answer = await served.get(`/v2/orders?${query}`)
    expect(answer.refusal).toEqual([400, 'bad-query'])
    expect(answer.problem.detail).toContain(`is not a parameter of a list; ${meant}`)
  })

  test('the document shows how filters are written, with a call that is answered', async () => {
    for (const version of ['v2', 'v1']) {
      const { info } = (await served.get(`/${version}/openapi.json`)).json as {
        info: { description: string }
      }
      const lists = info.description.split(/^## /m).find((section) => section.startsWith('Lists'))
      expect(lists).toContain('`filter[field][op]=value`')
      const [, call = ''] = /`GET ([^`]+)`/.exec(lists ?? '') ?? []
      expect(call).toMatch(/^\/v\d\/\S+\?filter\[\w+\]=\S+&filter\[\w+\]\[gte\]=/)
      expect((await served.get(call)).status).toBe(200)
    }
  })

  test('wrong names in filter, sort and include are reported together, each with the names that are allowed', async () => {
    const paths = ['customer', 'items', 'items.product', 'payments']
    const answer = await served.get(
      '/v2/orders?filter[totl]=1&filter[status][like]=x&sort=-nope&include=itms,payments.refunds,itms.product',
    )
    expect(answer.refusal).toEqual([400, 'bad-query'])
    expect(answer.problem.errors).toEqual([
      {
        parameter: 'sort',
        detail: '"-nope" is not offered; sort by id, created_at, total or status',
        code: 'unknown',
        allowed: ['id', 'created_at', 'total', 'status'],
      },
      {
        parameter: 'filter[totl]',
        detail: 'is not offered; did you mean filter[total]?',
        code: 'unknown',
        allowed: ['status', 'customer_id', 'customer.email', 'total', 'created_at'],
      },
      {
        parameter: 'filter[status][like]',
        detail: 'has an unknown operator; use eq, ne or in',
        code: 'operator',
        allowed: ['eq', 'ne', 'in'],
      },
      {
        parameter: 'include',
        detail: 'names "itms", which is not a relation of orders. Did you mean "items"?',
        code: 'unknown',
        allowed: paths,
      },
      {
        parameter: 'include',
        detail:
          'names the relation "payments.refunds", which orders does not offer for inclusion. Include customer, items, items.product or payments',
        code: 'not_allowed',
        allowed: paths,
      },
    ])
  })

  test('the detail of very many faults stays short', async () => {
    const answer = await served.get(`/v2/orders?${'a&'.repeat(2_000)}`)
    expect(answer.problem.detail).toMatch(/^(a is empty; leave it out instead\. ){10}There are 1991 more\.$/)
    expect(answer.problem.errors).toHaveLength(100)
  })

  test('a bare question mark is no query', async () => {
    expect((await served.get('/v2/orders?')).status).toBe(200)
  })

  test('on one resource only include means anything', async () => {
    const { id } = await newOrder(served)
    for (const query of ['limit=1', 'cursor=x', 'sort=total', 'filter[total]=1', 'x=1', 'include=']) {
      const answer = await served.get(`/v2/orders/${id}?${query}`)
      expect(answer.refusal, query).toEqual([400, 'bad-query'])
    }
    expect((await served.get(`/v2/orders/${id}?include=items`)).status).toBe(200)
  })

  test('a write takes none, not even include, and changes nothing', async () => {
    const { id } = await newOrder(served)
    const body = { note: 'changed' }
    for (const query of ['include=items', 'limit=1', 'x=1', 'include=']) {
      expect((await served.call('PATCH', `/v2/orders/${id}?${query}`, { body })).refusal).toEqual([
        400,
        'bad-query',
      ])
      expect((await served.call('PUT', `/v2/orders/${id}?${query}`, { body })).status).toBe(400)
      expect((await served.call('DELETE', `/v2/orders/${id}?${query}`)).status).toBe(400)
      const post = await served.call('POST', `/v2/customers?${query}`, {
        body: { name: 'x', email: `${unique()}@example.com` },
      })
      expect(post.refusal).toEqual([400, 'bad-query'])
    }
    expect((await served.get(`/v2/orders/${id}`)).data.note).toBeNull()
  })
})
