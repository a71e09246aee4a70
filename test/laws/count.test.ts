import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { api, belongsTo, hasMany, resource } from '../../src/index.ts'
import { describeServing, type Serving } from '../support/serving.ts'
import { unique } from '../support/shop-rows.ts'

const countRows = 4

const heaps = resource('heaps', { fields: {}, relations: { stones: hasMany('stones') } })
const stones = resource('stones', {
  fields: {
    weight: z.int().optional(),
    colour: z.enum(['red', 'grey']),
  },
  relations: { heap: belongsTo(heaps) },
  filter: ['weight', 'colour'],
  sort: ['weight'],
  count: true,
  limits: { countRows },
  rules: { read: ({ row, caller }) => row.colour.is(caller.claim('colour')) },
})
const declaration = api('heaps', { resources: [heaps, stones] })

interface Stone {
  readonly weight: number | null
  readonly colour: 'red' | 'grey'
  readonly heap: number
}
const stone: fc.Arbitrary<Stone> = fc.record({
  weight: fc.constantFrom(null, 0, 1, 2),
  colour: fc.constantFrom('red', 'grey'),
  heap: fc.nat(1),
})

/** A condition as it is written, and whether a stone meets it. */
const filters: readonly (readonly [string, (one: Stone) => boolean])[] = [
  ['', () => true],
  ['filter[weight]=1', ({ weight }) => weight === 1],
  ['filter[weight]=null', ({ weight }) => weight === null],
  ['filter[weight][ne]=1', ({ weight }) => weight !== 1],
  ['filter[weight][in]=0,2', ({ weight }) => weight === 0 || weight === 2],
  ['filter[weight][gt]=0', ({ weight }) => weight !== null && weight > 0],
  [
    'filter[weight][lte]=1&filter[colour]=red',
    (one) => one.weight !== null && one.weight <= 1 && one.colour === 'red',
  ],
  ['filter[colour][ne]=red', ({ colour }) => colour !== 'red'],
]

const cases = fc.record({
  rows: fc.array(stone, { maxLength: 14 }),
  filter: fc.constantFrom(...filters),
  heap: fc.constantFrom(null, 0, 1),
  colour: fc.constantFrom('red' as const, 'grey' as const),
  sort: fc.constantFrom('', 'sort=weight', 'sort=-weight'),
  limit: fc.integer({ min: 1, max: 6 }),
})
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never

async function check(served: Serving, { rows, filter: [query, meets], heap, colour, sort, limit }: Case) {
  const account = unique()
  const keys = new Map<string, string>()
  for (const one of ['red', 'grey'])
    keys.set(
      one,
      await served.api.key(account, { name: `${account} ${one}`, scopes: ['*'], claims: { colour: one } }),
    )
  const as = keys.get(colour) ?? ''
  const made = await Promise.all([0, 1].map(() => served.make('/v1/heaps', {}, { as })))
  for (const { heap: at, ...row } of rows)
    await served.make('/v1/stones', { ...row, heap_id: made[at]?.id }, { as: keys.get(row.colour) ?? '' })
  const path = heap === null ? '/v1/stones' : `/v1/heaps/${made[heap]?.id}/stones`
  const found = rows.filter(
    (one) => one.colour === colour && meets(one) && (heap === null || one.heap === heap),
  ).length
  const wanted = { total: Math.min(found, countRows), total_is_exact: found <= countRows }
  const asked = [query, sort, `limit=${limit}`, 'count=true'].filter((part) => part !== '').join('&')
  let next: string | null = `${path}?${asked}`
  let walked = 0
  while (next !== null) {
    const answer = await served.get(next, { as })
    expect(answer.status, answer.text).toBe(200)
    walked += answer.rows.length
    // Every page tells the same number: that of the rows on all of them.
    expect(answer.page).toMatchObject(wanted)
    next = answer.page.next_cursor && `${path}?${asked}&cursor=${answer.page.next_cursor}`
  }
  expect(walked).toBe(found)
}

describeServing(
  'a count',
  (served) => {
    test('is the number of rows that a walk meets, up to the limit', async () => {
      const numRuns = served.kind === 'sqlite' ? 40 : 15
      await fc.assert(
        fc.asyncProperty(cases, (one) => check(served, one)),
        { numRuns },
      )
    })
  },
  { declaration },
)
