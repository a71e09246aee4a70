import { expect, test } from 'vitest'
import { z } from 'zod'
import { api, needsScope, resource } from '../../src/index.ts'
import { describeServing } from '../support/serving.ts'
import { newOrder } from '../support/shop-rows.ts'

const filters = 'status, customer_id, customer.email, total, created_at'
const sorts = 'id, created_at, total or status'

describeServing('a refused query parameter', (served) => {
  const refused = async (path: string) => {
    const answer = await served.get(path)
    expect(answer.refusal, path).toEqual([400, 'bad-query'])
    const [error] = answer.problem.errors ?? []
    expect(answer.problem.detail).toContain(error?.detail)
    return error
  }

  test.each([
    ['status=paid', 'write filter[status]=paid'],
    ['status[in]=paid,draft', 'write filter[status][in]=paid,draft'],
    ['customer.email=a@example.com', 'write filter[customer.email]=a@example.com'],
    ['customer[email]=a@example.com', 'write filter[customer.email]=a@example.com'],
    ['or[0][status]=paid', 'write filter[or][0][status]=paid'],
    ['or[1][total][gte]=5', 'write filter[or][1][total][gte]=5'],
    ['filter_status=paid', 'write filter[status]=paid'],
    ['status!=paid', 'write filter[status][ne]=paid'],
    ['total>=5', 'write filter[total][gte]=5'],
    ['total<=5', 'write filter[total][lte]=5'],
    ['total>5', 'write filter[total][gt]=5'],
    ['total%3C5', 'write filter[total][lt]=5'],
    ['status[not]=paid', 'write filter[status][ne]=paid'],
    ['total[min]=5', 'write filter[total][gte]=5'],
    ['total[roughly]=5', 'write filter[total][operator]=5'],
    ['total_gt=5', 'write filter[total][gt]=5'],
    ['total__lt=5', 'write filter[total][lt]=5'],
    ['customer.email.ne=x', 'write filter[customer.email][ne]=x'],
    ['totl__lt=5', 'did you mean "filter[total][lt]=5"?'],
    ['filter.status=paid', 'write filter[status]=paid'],
    ['statsu=paid', 'did you mean "filter[status]=paid"?'],
    [`status=${'%20'.repeat(60)}`, `write filter[status]=${'%20'.repeat(50)}`],
    ['page=2', 'pages have no numbers: write cursor=… with the next_cursor of the page before'],
    ['offset=10', 'pages have no numbers: write cursor=… with the next_cursor of the page before'],
    ['page[number]=2', 'pages have no numbers: write cursor=… with the next_cursor of the page before'],
    ['page[cursor]=x', 'pages have no numbers: write cursor=… with the next_cursor of the page before'],
    ['starting_after=x', 'pages have no numbers: write cursor=… with the next_cursor of the page before'],
    ['per_page=10', 'write limit=10'],
    ['page[size]=10', 'write limit=10'],
    ['pageSize=many', 'write limit=25'],
    ['order_by=-total', `write sort=-total, by ${sorts}; a minus before a name reverses`],
    ['$orderby=total desc', `write sort=-total, by ${sorts}; a minus before a name reverses`],
    ['order=desc', `write sort=…, by ${sorts}; a minus before a name reverses`],
    ['expand=customer', 'write include=customer'],
    ['with=nothing', 'write include=customer, items, items.product or payments'],
    ['fields=id', 'answers have all fields; leave it out'],
    ['fields[orders]=id', 'answers have all fields; leave it out'],
    ['total_count=1', 'write count=true'],
    [
      'where=x',
      `write filter[field]=value, with one of ${filters.replace(', created_at', ' or created_at')}`,
    ],
    ['limt=1', 'did you mean "limit"?'],
    [
      'nonsense=1',
      `write include, limit, cursor, sort, count or filter[field] with one of ${filters.replace(', created_at', ' or created_at')}`,
    ],
  ])('of a list says what to write instead: %s', async (query, told) => {
    expect(await refused(`/v2/orders?${query}`)).toMatchObject({
      detail: `is not a parameter of a list; ${told}`,
      code: 'unknown',
      allowed: expect.arrayContaining([expect.any(String)]),
    })
  })

  test('of a search says that there is none, and what there is', async () => {
    expect((await refused('/v2/orders?q=ada'))?.detail).toBe(
      `is not a parameter of a list; orders offers no search; write filter[field]=value, with one of ${filters.replace(', created_at', ' or created_at')}`,
    )
    expect((await refused('/v2/adjustments?search=ada'))?.detail).toBe(
      'is not a parameter of a list; adjustments offers no search; leave it out',
    )
  })

  test('lists what is allowed, in the words of the version', async () => {
    const allowed = ['include', 'limit', 'cursor', 'sort', 'count']
    const fields = ['status', 'customer_id', 'customer.email', 'total', 'created_at']
    const all = [...allowed, ...fields.map((name) => `filter[${name}]`)]
    expect((await refused('/v2/orders?nonsense=1'))?.allowed).toEqual(all)
    expect((await refused('/v1/orders?nonsense=1'))?.allowed).toEqual(
      all.map((name) => name.replace('customer', 'client')),
    )
    expect((await refused('/v2/orders?order=x'))?.allowed).toEqual(['id', 'created_at', 'total', 'status'])
    expect((await refused('/v2/orders?filter[status=x'))?.allowed).toEqual(fields)
    expect((await refused('/v2/adjustments?count=true'))?.detail).toBe(
      'is not a parameter of a list; adjustments are not counted; leave it out',
    )
    expect((await refused('/v2/adjustments?expand=x'))?.detail).toBe(
      'is not a parameter of a list; write include=order_item',
    )
  })

  test.each([
    ['note', `"note" is not offered; sort by ${sorts}`],
    ['created_at desc', '"created_at desc" is not offered; did you mean "-created_at"?'],
    ['created_at:asc', '"created_at:asc" is not offered; did you mean "created_at"?'],
    ['+total', '" total" is not offered; did you mean "total"?'],
    ['totl', '"totl" is not offered; did you mean "total"?'],
    ['-totl', '"-totl" is not offered; did you mean "-total"?'],
    ['--total', '"--total" is not offered; did you mean "-total"?'],
  ])('of a sort says by what lists can be sorted: %s', async (sort, told) => {
    expect(await refused(`/v2/orders?sort=${sort}`)).toMatchObject({
      detail: told,
      allowed: ['id', 'created_at', 'total', 'status'],
    })
  })

  test.each([
    ['filter[customer][email]=x', 'is not offered; did you mean filter[customer.email]?'],
    ['filter[customer]=x', 'is not offered; did you mean filter[customer_id]?'],
    ['filter[customer][email][ne]=x', 'is not a filter; did you mean filter[customer.email][ne]?'],
    ['filter[or][0][customer][email]=x', 'is not offered; did you mean filter[or][0][customer.email]?'],
    ['filter[statsu]=x', 'is not offered; did you mean filter[status]?'],
  ])('of a filter says the path that is meant: %s', async (query, told) => {
    expect((await refused(`/v2/orders?${query}`))?.detail).toBe(told)
  })

  test.each([
    [
      'filter[status]=paid&filter[status]=draft',
      'is given twice; for one of several values write filter[status][in]=a,b',
    ],
    ['sort=total&sort=status', 'is given twice; give it once, as in sort=a,b'],
    [
      'filter[status][in]=paid&filter[status][in]=x',
      'is given twice; give it once, as in filter[status][in]=a,b',
    ],
    ['limit=1&limit=2&limit=3', 'is given twice; give it once'],
    ['limit=1&limit=2', 'is given twice; give it once'],
  ])('that is given twice says how it is given once: %s', async (query, told) => {
    expect(await refused(`/v2/orders?${query}`)).toMatchObject({ detail: told, code: 'repeated' })
    expect((await served.get(`/v2/orders?${query}`)).faults).toHaveLength(1)
  })

  test('of one resource, a write or a document says where it belongs', async () => {
    const { id } = await newOrder(served)
    const one = async (query: string) => (await refused(`/v2/orders/${id}?${query}`))?.detail
    expect(await one('filter[status]=paid')).toBe(
      'is not a parameter of one resource; ask the list, /v2/orders',
    )
    expect(await one('limit=1')).toBe('is not a parameter of one resource; ask the list, /v2/orders')
    expect(await one('inclde=items')).toBe('is not a parameter of one resource; did you mean "include"?')
    expect(await one('fields=id')).toBe(
      'is not a parameter of one resource; it has include alone, of customer, items, items.product or payments',
    )
    const written = await served.call('PATCH', `/v2/orders/${id}?include=items`, { body: {} })
    expect(written.problem.detail).toBe('include is not a parameter of a write; leave it out.')
    const document = await served.get('/v2/openapi.json?pretty=1')
    expect(document.problem.detail).toBe('pretty is not a parameter of this document; leave it out.')
  })

  test('is put into bounded words, whatever it is', async () => {
    for (const name of [
      'x'.repeat(3_000),
      'constructor',
      '__proto__',
      '%F0%9F%98%80',
      '[',
      ']',
      'filter[]',
      'q'.repeat(40),
    ]) {
      const error = await refused(`/v2/orders?${name}=${'%F0%9F%98%80'.repeat(60)}`)
      expect(JSON.stringify(error).length, name).toBeLessThan(1_500)
    }
  })
})

const secrets = resource('secrets', {
  fields: { code: needsScope('secrets:codes', z.string()), word: z.string() },
  filter: ['code', 'word'],
  sort: ['code', 'word'],
})

describeServing(
  'a refused query parameter',
  (served) => {
    test('names nothing that the caller may not know', async () => {
      const as = await served.api.key('acme', { name: `${served.kind} plain`, scopes: ['secrets:read'] })
      for (const query of ['nonsense=1', 'q=x', 'order=x', 'where=x', 'code=x', 'cod=x', 'filter_code=x']) {
        const answer = await served.get(`/v1/secrets?${query}`, { as })
        expect(answer.refusal).toEqual([400, 'bad-query'])
        expect(
          answer.text.replaceAll('"parameter":"code"', '').replaceAll(/"detail":"code is/g, ''),
        ).not.toMatch(/\bcode\b(?!":)/)
      }
    })
  },
  {
    declaration: api('secrets', { resources: [secrets], scopes: { 'secrets:codes': 'See codes.' } }),
  },
)
