import { expect, test } from 'vitest'
import { describeServing, type Row, type Serving } from '../support/serving.ts'
import { newCustomer, unique } from '../support/shop-rows.ts'

const walk = async (served: Serving, path: string, limit: number): Promise<Row[]> => {
  const rows: Row[] = []
  let cursor: string | null = null
  do {
    const answer = await served.get(`${path}&limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`)
    expect(answer.status, answer.text).toBe(200)
    rows.push(...answer.rows)
    cursor = answer.page.next_cursor
  } while (cursor)
  return rows
}

/** By code point: what JavaScript compares by is UTF-16. */
const compare = (a: unknown, b: unknown): number => {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? -1 : 1
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const left = [...String(a)].map((c) => c.codePointAt(0) ?? 0)
  const right = [...String(b)].map((c) => c.codePointAt(0) ?? 0)
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

const sorted = (rows: readonly Row[], sort: string): readonly Row[] => {
  const keys = sort.split(',')
  // The id breaks ties the way the last key goes.
  if (!keys.includes('id') && !keys.includes('-id')) keys.push(keys.at(-1)?.startsWith('-') ? '-id' : 'id')
  return [...rows].sort((a, b) => {
    for (const key of keys) {
      const name = key.replace('-', '')
      const order = compare(a[name], b[name]) * (key.startsWith('-') ? -1 : 1)
      if (order !== 0) return order
    }
    return 0
  })
}

describeServing('sort', (served) => {
  test.each([
    'status',
    '-status',
    'total',
    '-total',
    '-created_at',
    'status,-total',
    '-status,total',
    'id',
    '-id',
  ])('orders by %s come sorted, over all pages', async (sort) => {
    const all = (await served.get('/v2/orders?limit=100')).rows
    const rows = await walk(served, `/v2/orders?sort=${sort}`, 9)
    expect(rows.map((row) => row.id)).toEqual(sorted(all, sort).map((row) => row.id))
  })

  test.each(['phone', '-phone', 'phone,-name', '-phone,name', '-phone,-id', 'phone,-email'])(
    'customers by %s: NULLs come first ascending, last descending, and ties neither repeat nor drop a row',
    async (sort) => {
      for (const phone of [null, '1', '1', null, '2']) await newCustomer(served, { name: 'Tie', phone })
      const all = (await served.get('/v2/customers?limit=100')).rows
      const rows = await walk(served, `/v2/customers?sort=${sort}`, 3)
      expect(rows.map((row) => row.id)).toEqual(sorted(all, sort).map((row) => row.id))
    },
  )

  test('strings sort by code point, the same on every store', async () => {
    const mark = unique()
    const names = [
      'Z',
      'a',
      'ä',
      'A',
      'z',
      'é',
      'e',
      '~',
      'ｚ',
      '𝄞',
      '\u{ffff}',
      ' x',
      '-',
      '_',
      'ß',
      'ss',
      '1',
      '10',
      '9',
    ]
    for (const name of names) await newCustomer(served, { name: `${mark}${name}` })
    const rows = await walk(served, '/v2/customers?sort=name', 10)
    const mine = rows.map((row) => String(row.name)).filter((name) => name.startsWith(mark))
    expect(mine).toEqual(names.map((name) => `${mark}${name}`).sort(compare))
  })

  test.each([
    ['note', 'not offered'],
    ['-nope', 'not offered'],
    ['totl', 'did you mean "total"?'],
    ['status,status', 'twice'],
    ['status,-status', 'twice'],
    ['status,,total', 'empty'],
    ['-', 'empty'],
    ['+total', 'not offered'],
    ['Total', 'not offered'],
    ['total desc', 'not offered'],
  ])('sort=%s is 400', async (sort, said) => {
    const answer = await served.get(`/v2/orders?sort=${encodeURIComponent(sort)}`)
    expect(answer.refusal).toEqual([400, 'bad-query'])
    expect(answer.faults).toEqual(['sort'])
    expect(answer.problem.errors?.[0]?.detail).toContain(said)
  })

  test('what a resource does not offer cannot be sorted by, though it exists', async () => {
    expect((await served.get('/v2/order-items?sort=quantity')).status).toBe(400)
    expect((await served.get('/v2/order-items?sort=-id')).status).toBe(200)
  })
})
