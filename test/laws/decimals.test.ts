import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { api, belongsTo, decimal, hasMany, resource, sum } from '../../src/index.ts'
import { describeServing } from '../support/serving.ts'
import { unique } from '../support/shop-rows.ts'

const carts = resource('carts', {
  fields: { total: sum<string>('lines', ['price', 'pieces']) },
  relations: { lines: hasMany('lines') },
})
const lines = resource('lines', {
  fields: { price: decimal({ scale: 4 }), pieces: z.int() },
  relations: { cart: belongsTo('carts') },
  filter: ['price'],
  sort: ['price'],
})

/** The naive model: values in ten-thousandths. */
const unitsPerOne = 10_000n
const shown = (units: bigint): string => {
  const size = units < 0n ? -units : units
  const decimals = String(size % unitsPerOne).padStart(4, '0')
  return `${units < 0n ? '-' : ''}${size / unitsPerOne}.${decimals}`
}
const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

const price = fc.oneof(
  fc.bigInt({ min: -30_000n, max: 30_000n }),
  fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n }),
)
const line = fc.record({ price, pieces: fc.bigInt({ min: -9n, max: 9n }), short: fc.boolean() })

describeServing(
  'decimals',
  (served) => {
    test('are shown, sorted, compared and summed as whole numbers of their unit are', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 6 }), price, async (all, asked) => {
          const as = unique()
          const { id } = await served.make('/v1/carts', {}, { as })
          for (const { price, pieces, short } of all) {
            const sent = short ? shown(price).replace(/\.?0+$/, '') : shown(price)
            const body = { cart_id: id, price: sent, pieces: Number(pieces) }
            expect((await served.make('/v1/lines', body, { as })).price).toBe(shown(price))
          }
          const prices = async (query: string) =>
            (await served.get(`/v1/lines?sort=price${query}`, { as })).rows.map((row) => row.price)
          const sorted = all.map((one) => one.price).toSorted(compare)
          expect(await prices('')).toEqual(sorted.map(shown))
          const below = sorted.filter((one) => one < asked)
          expect(await prices(`&filter[price][lt]=${shown(asked)}`)).toEqual(below.map(shown))
          expect(await prices(`&filter[price][gte]=${shown(asked)}`)).toEqual(
            sorted.slice(below.length).map(shown),
          )
          const total = all.reduce((sum, one) => sum + one.price * one.pieces, 0n)
          expect((await served.get(`/v1/carts/${id}`, { as })).data.total).toBe(shown(total))
        }),
        { numRuns: process.env.NOUNKIT_NIGHTLY ? 500 : 15 },
      )
    })
  },
  { declaration: api('carts', { resources: [carts, lines] }) },
)
