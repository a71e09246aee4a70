import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { resource } from '../../src/declare/resource.ts'
import { decimal } from '../../src/kinds/decimal-field.ts'
import { inOrder } from '../support/list-order.ts'
import { describeServing, type Row, type Serving } from '../support/serving.ts'
import { unique } from '../support/shop-rows.ts'

const things = resource('things', {
  fields: {
    count: z.int().optional(),
    word: z.string().max(5).optional(),
    ratio: z.number().optional(),
    price: decimal({ scale: 1 }).default('0.0'),
    flag: z.boolean().default(false),
    day: z.iso.date().optional(),
  },
  sort: ['count', 'word', 'ratio', 'price', 'flag', 'day'],
  filter: ['flag'],
})
const declaration = api('things', { resources: [things] })

/** Few values, so that ties and NULLs are the rule. */
const fields = fc.record({
  count: fc.constantFrom(null, 0, 1, -1),
  word: fc.constantFrom(null, 'a', 'B', '', 'é', '𝄞'),
  ratio: fc.constantFrom(null, 0.5, -1e-9, 0.1),
  price: fc.constantFrom('-10.5', '-9.0', '0.0', '9.0', '10.5'),
  flag: fc.boolean(),
  day: fc.constantFrom(null, '2026-01-01', '1999-12-31'),
})
const sort = fc
  .uniqueArray(fc.tuple(fc.constantFrom('count', 'word', 'ratio', 'price', 'flag', 'day'), fc.boolean()), {
    selector: ([name]) => name,
    minLength: 1,
    maxLength: 3,
  })
  .map((keys) => keys.map(([name, descending]) => `${descending ? '-' : ''}${name}`).join(','))

const walks = fc.record({
  stable: fc.array(fields, { maxLength: 12 }),
  passing: fc.array(fields, { maxLength: 6 }),
  sort,
  limit: fc.integer({ min: 1, max: 5 }),
  filtered: fc.boolean(),
})

type ValueOf<A> = A extends fc.Arbitrary<infer T> ? T : never

/** A walk through a list of an account of its own, while other rows come and go between the pages. */
async function walk(served: Serving, { stable, passing, sort: by, limit, filtered }: ValueOf<typeof walks>) {
  const as = unique()
  const make = (row: object) => served.make('/v1/things', row, { as })
  const kept = await Promise.all(stable.map(make))
  const coming = [...passing]
  let gone: Row | null = null
  const met: Row[] = []
  let cursor: string | null = null
  do {
    const filter = filtered ? '&filter[flag]=true' : ''
    const query = `?sort=${by}&limit=${limit}${filter}${cursor ? `&cursor=${cursor}` : ''}`
    const answer = await served.get(`/v1/things${query}`, { as })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.rows.length).toBeLessThanOrEqual(limit)
    met.push(...answer.rows)
    cursor = answer.page.next_cursor
    if (gone) await served.call('DELETE', `/v1/things/${gone.id}`, { as })
    const next = coming.pop()
    gone = next ? await make(next) : null
  } while (cursor)
  const expected = kept.filter((row) => !filtered || row.flag === true).sort(inOrder(by))
  const ids = new Set(kept.map((row) => row.id))
  expect(met.filter((row) => ids.has(row.id)).map((row) => row.id)).toEqual(expected.map((row) => row.id))
  expect(new Set(met.map((row) => row.id)).size).toBe(met.length)
}

describeServing(
  'a walk by cursors',
  (served) => {
    test('meets every row that stays exactly once and in order, while others come and go', async () => {
      const runs = served.kind === 'sqlite' ? 60 : 30
      await fc.assert(
        fc.asyncProperty(walks, (one) => walk(served, one)),
        { numRuns: runs },
      )
    })
  },
  { declaration },
)
