import { expect, test } from 'vitest'
import { z } from 'zod'
import { api, belongsTo, decimal, hasMany, resource, sum } from '../../src/index.ts'
import { findWrongSums } from '../../src/migrate/sums/find-wrong-sums.ts'
import { type Answer, serve } from '../support/serving.ts'
import { describeStores } from '../support/stores.ts'

const rounds = process.env.NOUNKIT_NIGHTLY ? 500 : 40
const atOnce = 8

const regions = resource('regions', { fields: {}, relations: { carts: hasMany('carts') } })
const carts = resource('carts', {
  fields: { total: sum<string>('lines', ['pieces', 'price']), grams: sum('lines', 'grams') },
  relations: {
    lines: hasMany('lines'),
    region: belongsTo('regions', { optional: true, onTargetDelete: 'cascade' }),
  },
})
const lines = resource('lines', {
  fields: { price: decimal({ scale: 2 }), pieces: z.int(), grams: z.int().optional() },
  relations: { cart: belongsTo('carts', { optional: true, onTargetDelete: 'cascade' }) },
})
const declaration = api('carts', {
  resources: [regions, carts, lines],
  rate: { perSecond: 1_000_000, burst: 1_000_000 },
})

describeStores('sums that two services keep at once', (store) => {
  test('are those of the rows, through creates, moves, refusals and cascades', async () => {
    const url = await store.url()
    const two = [
      await serve(store.kind, url, { declaration }),
      await serve(store.kind, url, { declaration }),
    ] as const
    let seed = 3
    const below = (limit: number): number => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % limit
    }
    const pick = (ids: readonly string[]): string | undefined => ids[below(ids.length || 1)]
    const ids: { readonly [path: string]: string[] } = { regions: [], carts: [], lines: [] }
    const make = async (path: 'regions' | 'carts' | 'lines', body: object): Promise<Answer> => {
      const answer = await two[below(2)]?.call('POST', `/v1/${path}`, { body })
      if (!answer) throw new Error('there is no answer')
      if (answer.status === 201) ids[path]?.push(answer.data.id)
      return answer
    }
    const call = (method: string, path: string, body?: object) =>
      (two[below(2)] ?? two[0]).call(method, path, body && { body })
    const remove = async (path: 'carts' | 'lines'): Promise<Answer> => {
      const [id = ''] = ids[path]?.splice(below(ids[path].length || 1), 1) ?? []
      return call('DELETE', `/v1/${path}/${id}`)
    }
    const line = () => ({
      price: `${below(3) ? '' : '-'}${1 + below(900)}.${10 + below(90)}`,
      pieces: below(7) - 2,
      grams: below(4) ? below(1_000) : null,
      cart_id: below(6) ? (pick(ids.carts ?? []) ?? null) : null,
    })
    const operations: readonly (() => Promise<Answer>)[] = [
      ...Array.from({ length: 5 }, () => () => make('lines', line())),
      // More than a sum can be: nothing is written.
      () => make('lines', { ...line(), price: '999999999999.00', pieces: 3 }),
      () => call('PATCH', `/v1/lines/${pick(ids.lines ?? [])}`, line()),
      () => call('PATCH', `/v1/lines/${pick(ids.lines ?? [])}`, { cart_id: pick(ids.carts ?? []) ?? null }),
      () => remove('lines'),
      () => remove('lines'),
      () => make('carts', { region_id: pick(ids.regions ?? []) ?? null }),
      () =>
        call('PATCH', `/v1/carts/${pick(ids.carts ?? [])}`, { region_id: pick(ids.regions ?? []) ?? null }),
      () => remove(below(4) ? 'lines' : 'carts'),
    ]
    for (let made = 0; made < 4; made++) await make('carts', {})
    for (let made = 0; made < 30; made++) await make('lines', line())
    const seen = new Set<number>()
    for (let round = 0; round < rounds; round++) {
      if (round % 10 === 0) await make('regions', {})
      if (round % 10 === 9) await call('DELETE', `/v1/regions/${pick(ids.regions ?? [])}`)
      const some = Array.from({ length: atOnce }, () => operations[below(operations.length)])
      for (const answer of await Promise.all(some.map((one) => one?.()))) if (answer) seen.add(answer.status)
    }
    for (const status of [200, 201, 204, 422]) expect(seen).toContain(status)
    expect(seen).not.toContain(500)
    expect(await findWrongSums(two[0].store, two[0].api.service.model)).toEqual([])
    const { rows } = await two[1].get('/v1/carts?limit=100')
    expect(rows.some(({ total }) => total !== '0.00')).toBe(true)
  })
})
