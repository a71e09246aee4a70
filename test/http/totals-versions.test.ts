import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { kindOf } from '../../src/compile/change-kinds/change-kinds.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import {
  api,
  mapValues,
  removeField,
  renameField,
  renameResource,
  resource,
  version,
} from '../../src/index.ts'
import { describeServing } from '../support/serving.ts'

const published = { v1: '2026-01-01', v2: '2026-02-01', v3: '2026-03-01' }

/** As it was when v1 was the only version. */
const first = api('sales', {
  resources: [
    resource('deals', {
      fields: {
        state: z.enum(['new', 'won', 'gone']),
        area: z.enum(['north', 'south']).optional(),
        sum: z.int(),
        by: z.string().max(20).default('me'),
      },
      filter: ['state', 'sum'],
    }),
    resource('deal-sums', { totals: { of: 'deals', by: ['area', 'state'], sums: ['sum'] } }),
  ],
  versions: [version('v1', { published: published.v1 })],
})

/** A version later: things are renamed, values are joined, a field is gone, and totals have more. */
const declaration = api('sales', {
  resources: [
    resource('orders', {
      fields: {
        status: z.enum(['open', 'won', 'lost', 'void']),
        amount: z.int(),
        seller: z.string().max(20).default('me'),
        fee: z.int().optional(),
      },
      filter: ['status', 'amount', 'fee'],
    }),
    resource('order-totals', {
      totals: { of: 'orders', by: ['status', 'seller'], sums: ['amount', 'fee'] },
    }),
    resource('seller-totals', { totals: { of: 'orders', by: ['seller'] } }),
  ],
  versions: [
    version('v2', { published: published.v2 }),
    version('v1', {
      published: published.v1,
      changes: [
        renameResource('deals', 'orders'),
        renameResource('deal-sums', 'order-totals'),
        renameField('orders', 'state', 'status'),
        renameField('orders', 'sum', 'amount'),
        renameField('orders', 'by', 'seller'),
        mapValues(
          'orders',
          'status',
          { new: 'open', gone: 'lost' },
          { onlyInNewer: { void: 'gone' }, why: 'Words.' },
        ),
        removeField('orders', 'area', { was: z.enum(['north', 'south']).optional(), why: 'Nobody knows.' }),
      ],
    }),
  ],
})

const contracts = (): ReadonlyMap<string, unknown> => {
  const model = compileApi(first)
  return new Map([['v1', contractOf(model, model.head)]])
}

describeServing(
  'totals of an older version',
  (served) => {
    beforeAll(async () => {
      for (const [status, amount] of [
        ['open', 1],
        ['won', 20],
        ['lost', 300],
        ['void', 4000],
      ])
        await served.make('/v2/orders', { status, amount, fee: 1 })
      await served.make('/v1/deals', { state: 'gone', sum: 50_000, area: 'north' })
    })

    test('have its names and its values, and one group for values that it does not tell apart', async () => {
      expect((await served.get('/v1/deal-sums?by=state')).rows).toEqual([
        { state: 'gone', count: 3, sum: 54_300 },
        { state: 'new', count: 1, sum: 1 },
        { state: 'won', count: 1, sum: 20 },
      ])
      expect((await served.get('/v2/order-totals?by=status&sort=-count')).rows).toEqual([
        { status: 'lost', count: 2, amount: 50_300, fee: 1 },
        { status: 'won', count: 1, amount: 20, fee: 1 },
        { status: 'void', count: 1, amount: 4000, fee: 1 },
        { status: 'open', count: 1, amount: 1, fee: 1 },
      ])
      expect((await served.get('/v1/deal-sums?filter[state]=gone')).rows).toEqual([{ count: 3, sum: 54_300 }])
      expect((await served.get('/v1/deal-sums?by=state&sort=-count&limit=1')).rows).toEqual([
        { state: 'gone', count: 3, sum: 54_300 },
      ])
    })

    test('have groups that newer versions removed, and none that they added', async () => {
      expect((await served.get('/v1/deal-sums?by=area')).rows).toEqual([
        { area: null, count: 4, sum: 4321 },
        { area: 'north', count: 1, sum: 50_000 },
      ])
      for (const [path, allowed] of [
        ['/v1/deal-sums?by=by', ['area', 'state']],
        ['/v1/deal-sums?by=status', ['area', 'state']],
        ['/v2/order-totals?by=area', ['status', 'seller']],
      ] as const) {
        const answer = await served.get(path)
        expect(answer.refusal, path).toEqual([400, 'bad-query'])
        expect(answer.problem.errors?.[0]?.allowed).toEqual(allowed)
      }
      for (const [path, status] of [
        ['/v1/seller-totals', 404],
        ['/v1/order-totals', 404],
        ['/v2/deal-sums', 404],
        ['/v2/seller-totals', 200],
        ['/v1/deal-sums?filter[fee]=1', 400],
        ['/v1/deal-sums', 200],
      ] as const)
        expect((await served.get(path)).status, path).toBe(status)
    })

    test('hold up a version whose groups a change takes away', () => {
      const [newer, older] = served.api.service.model.versions
      if (!newer || !older) throw new Error('two versions')
      const removed = older.changes.find(({ kind }) => kind === 'remove-field')
      const traces = removed && kindOf(removed).usage(removed as never, { newer, older })
      expect(traces?.detail?.('deal-sums', 'field', 'area')).toBe('groups by `area`')
      expect(traces?.detail?.('deal-sums', 'field', 'state')).toBeNull()
    })

    test('are named in scopes as the version names them', async () => {
      const key = await served.api.key('acme', { name: 'sums', scopes: ['deal-sums:read'] })
      expect((await served.get('/v1/deal-sums', { as: key })).status).toBe(200)
      expect((await served.get('/v1/deals', { as: key })).status).toBe(403)
    })
  },
  { declaration, contracts: contracts() },
)
