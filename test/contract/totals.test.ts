import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { guideOf } from '../../src/contract/guide/guide.ts'
import { openapiOf } from '../../src/contract/openapi/openapi.ts'
import type { Change } from '../../src/declare/change.ts'
import {
  api,
  changeLimit,
  needsScope,
  removeFilter,
  removeMethod,
  renameField,
  renameResource,
  requireScope,
  resource,
  version,
} from '../../src/index.ts'
import { gateVerdict } from '../support/gate-verdict.ts'

interface Told {
  readonly of?: 'orders' | 'carts'
  readonly by?: readonly string[]
  readonly sums?: readonly string[]
  readonly totalRows?: number
}
const fields = {
  status: z.enum(['open', 'paid']),
  currency: z.enum(['EUR', 'USD']).optional(),
  total: z.int(),
  margin: needsScope('orders:finance', z.int()),
}
const sales = (told: Told | null, isSecond = false, changes: readonly Change[] = []) => {
  const { totalRows, ...counted } = told ?? {}
  return api('sales', {
    resources: [
      resource('orders', {
        fields,
        filter: ['status', 'total'],
        rules: { read: ({ row }) => row.total.gt(0) },
      }),
      resource('carts', { fields, filter: ['status', 'total'] }),
      ...(told
        ? [
            resource('order-totals', {
              totals: { of: 'orders', by: ['status', 'currency'], sums: ['total'], ...counted },
              ...(totalRows === undefined ? {} : { limits: { totalRows } }),
            }),
          ]
        : []),
    ] as never[],
    scopes: { 'orders:finance': 'See margins.' },
    versions: [
      ...(isSecond ? [version('v2', { published: '2026-02-01' })] : []),
      version('v1', { published: '2026-01-01', changes }),
    ],
  })
}

describe('the contract of totals', () => {
  test.each<[string, Told | null, Told | null, string, string]>([
    ['new totals', null, {}, 'additive', 'order-totals'],
    ['totals that are gone', {}, null, 'breaking', 'order-totals'],
    ['another group', { by: ['status'] }, {}, 'additive', 'currency'],
    ['a group that is gone', {}, { by: ['status'] }, 'breaking', 'currency'],
    ['another sum', { sums: [] }, {}, 'additive', 'total'],
    ['a sum that is gone', {}, { sums: [] }, 'breaking', 'total'],
    [
      'a group that is a sum now',
      { by: ['status', 'total'], sums: [] },
      { by: ['status'], sums: ['total'] },
      'breaking',
      'total',
    ],
    [
      'totals of something else',
      {},
      { of: 'carts' },
      'breaking',
      'shows totals of carts in place of totals of orders',
    ],
    [
      'a lower limit',
      {},
      { totalRows: 50 },
      'breaking',
      'order-totals.limits.totalRows: 100000 was lowered to 50',
    ],
  ])('%s', (_, before, after, verdict, says) => {
    const found = gateVerdict(sales(before), sales(after))
    expect(found.verdict).toBe(verdict)
    expect(found.text).toContain(says)
  })

  test('the gate says to keep what is gone, once, and the guide has no more than what is new', () => {
    const groups = ['status', 'currency']
    const first = compileApi(sales({ by: groups }))
    const contracts = new Map([['v1', contractOf(first, first.head)]])
    const refused = (told: Told) => {
      const model = compileApi(sales(told, true), { contracts })
      return checkContracts(model, contracts).refusals.find((one) => one.version === 'v1')?.lines ?? []
    }
    expect(refused({ by: ['status'] })).toEqual([
      "// order-totals.currency: field was removed; keep \"currency\" in the totals of order-totals: no change can take it out. Or declare other totals without it, and take these away with methods: [] and removeMethod('order-totals', 'GET')",
    ])
    expect(refused({ by: groups })).toEqual([])
    const model = compileApi(sales({ by: [...groups, 'margin'] }, true), { contracts })
    const [head = model.head, older = head] = model.versions
    expect([...(older.views.get('order-totals')?.field.keys() ?? [])]).toEqual([
      'status',
      'currency',
      'count',
      'total',
    ])
    expect(guideOf(older, head)).toContain('- the field `order-totals.margin`')
    expect(guideOf(older, head)).not.toContain('order-totals.status')
  })

  test('others without a group can take their place, and the published ones stay where they were', () => {
    const rows = resource('orders', { fields, filter: ['status', 'total'] })
    const totals = { of: 'orders', by: ['status', 'currency'], sums: ['total'] } as const
    const first = compileApi(
      api('sales', {
        resources: [rows, resource('order-totals', { totals })],
        versions: [version('v1', { published: '2026-01-01' })],
        scopes: { 'orders:finance': 'See margins.' },
      }),
    )
    const contracts = new Map([['v1', contractOf(first, first.head)]])
    const second = api('sales', {
      resources: [
        rows,
        resource('order-totals', { totals, methods: [] }),
        resource('order-sums', { totals: { ...totals, by: ['status'] } }),
      ],
      versions: [
        version('v2'),
        version('v1', { published: '2026-01-01', changes: [removeMethod('order-totals', 'GET')] }),
      ],
      scopes: { 'orders:finance': 'See margins.' },
    })
    const model = compileApi(second, { contracts })
    const withNewest = new Map(contracts).set('v2', contractOf(model, model.head))
    expect(checkContracts(model, withNewest).refusals).toEqual([])
    const [head = model.head, older = head] = model.versions
    expect([...(older.views.get('order-totals')?.field.keys() ?? [])]).toContain('currency')
    expect(older.views.has('order-sums')).toBe(false)
    expect(Object.keys(contractOf(model, head).resources)).toContain('order-sums')
  })

  test('no change is of their fields, and one of the rows is enough', () => {
    const changed = (change: Change) => () => compileApi(sales({}, true, [change]))
    expect(changed(removeFilter('order-totals', 'status'))).toThrow(
      'order-totals are totals, whose fields and filters are those of orders. Write the change of orders',
    )
    expect(changed(renameField('orders', 'state', 'status'))).not.toThrow()
    expect(changed(renameResource('order-sums', 'order-totals'))).not.toThrow()
    expect(changed(changeLimit('order-totals', 'totalRows', { was: 200_000 }))).not.toThrow()
    expect(changed(requireScope('order-totals', 'GET', { was: 'authenticated' }))).not.toThrow()
  })

  test('says what they count, and has no row of its own', () => {
    const model = compileApi(sales({ sums: ['total', 'margin'] }))
    const { resources, paths } = contractOf(model, model.head)
    expect(resources['order-totals']).toMatchObject({
      totals: { of: 'orders', by: ['status', 'currency'], sums: ['total', 'margin'] },
      filters: { status: ['eq', 'in', 'ne'] },
      sorts: ['status', 'currency', 'count'],
      default_sort: [],
      limits: { totalRows: 100_000 },
    })
    expect(resources['order-totals']?.fields.margin?.needs_scopes).toEqual(['orders:finance'])
    expect(Object.keys(paths).filter((path) => path.startsWith('/order-totals'))).toEqual(['/order-totals'])
    expect(Object.keys(paths['/order-totals'] ?? {})).toEqual(['GET'])
    expect(paths['/order-totals']?.GET).toMatchObject({
      scope: 'order-totals:read',
      parameters: ['by', 'cursor', 'filter', 'filter[or]', 'limit', 'sort'],
    })
    expect(resources.orders?.limits).not.toHaveProperty('totalRows')
  })

  test('is in the OpenAPI document', () => {
    const model = compileApi(sales({ sums: ['total', 'margin'] }))
    const document = JSON.parse(JSON.stringify(openapiOf(model.head, model)))
    const { get, ...others } = document.paths['/order-totals']
    expect(Object.keys(others)).toEqual([])
    expect(get.description).toContain('Counts only rows where')
    expect(get.description).toContain('at most 100000')
    const { by, sort } = Object.fromEntries(
      get.parameters
        .map(({ $ref }: { $ref: string }) => document.components.parameters[$ref.replace(/^.*\//, '')])
        .map((one: { name: string }) => [one.name, one]),
    )
    expect(by).toMatchObject({ explode: false, schema: { items: { enum: ['status', 'currency'] } } })
    expect(sort.schema.items.enum).toEqual(['status', '-status', 'currency', '-currency', 'count', '-count'])
    const schema = document.components.schemas.OrderTotal
    expect(Object.keys(schema.properties)).toEqual(['status', 'currency', 'count', 'total', 'margin'])
    expect(schema.required).toEqual(['count', 'total'])
    expect(get['x-codeSamples'].map(({ source }: { source: string }) => source).join()).toContain(
      "api.orderTotals.list({ by: ['status'] })",
    )
    expect(JSON.stringify(get.responses['422'])).toContain('Totals')
  })
})
