import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import type { Contract } from '../../src/compile/contract-format.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { compareContracts } from '../../src/contract/diff/diff.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { refusalText } from '../../src/contract/gate-refusal.ts'
import { api } from '../../src/declare/api.ts'
import { mapValues } from '../../src/declare/change.ts'
import { states } from '../../src/declare/field.ts'
import { belongsTo } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { contractFor } from '../support/pair.ts'
import { both, type Row, testRows } from './verdict-rows.ts'

type Loose = { readonly [option: string]: unknown }
type OnTargetDelete = 'refuse' | 'cascade'

const status = states('draft', { draft: ['placed'], placed: ['paid'] })
const orders = (over: Loose = {}) => resource('orders', { fields: { status }, ...over } as never)
const items = (onTargetDelete: OnTargetDelete, over: Loose = {}) =>
  resource('items', {
    fields: { name: z.string() },
    relations: { order: belongsTo('orders', { onTargetDelete }) },
    ...over,
  } as never)
const notes = resource('notes', {
  fields: { text: z.string() },
  relations: { order: belongsTo('orders') },
})

const deletes = (...values: string[]): Contract =>
  contractFor([orders({ deleteOnlyWhile: { status: values } })])
const writes = (...values: string[]): Contract =>
  contractFor([orders(), items('refuse', { onlyWhile: { order: { status: values } } })])
const dependent = (onTargetDelete: OnTargetDelete): Contract => contractFor([orders(), items(onTargetDelete)])

const transfers = (from: OnTargetDelete): Contract => {
  const relations = {
    from: belongsTo('orders', { onTargetDelete: from }),
    to: belongsTo('orders', { onTargetDelete: 'cascade' }),
    by: belongsTo('orders'),
  }
  return contractFor([orders(), resource('transfers', { fields: { sum: z.int() }, relations })])
}
const grandchild = (onTargetDelete: OnTargetDelete): Contract =>
  contractFor([
    orders(),
    items('cascade', { methods: ['GET', 'POST'] }),
    resource('marks', { fields: {}, relations: { item: belongsTo('items', { onTargetDelete }) } }),
  ])

const rows: Row[] = [
  ...both(
    'deletes allowed in one more state',
    'deletes allowed in one state less',
    deletes('draft'),
    deletes('draft', 'placed'),
    'orders  rows can be deleted while status is "placed" too',
    'orders  rows can no longer be deleted while status is "placed"',
  ),
  ...both(
    'deletes allowed in every state',
    'deletes newly tied to a state',
    deletes('draft', 'placed'),
    contractFor([orders()]),
    'rows can be deleted whatever status is',
    'rows can be deleted only while status is "draft" or "placed" (a constraint newly set)',
  ),
  ...both(
    'writes allowed in one more state of another row',
    'writes allowed in one state less of another row',
    writes('draft'),
    writes('draft', 'paid'),
    'items  rows can be written while order.status is "paid" too',
    'items  rows can no longer be written while order.status is "paid"',
  ),
  ...both(
    'writes allowed in every state of another row',
    'writes newly tied to the state of another row',
    writes('draft'),
    dependent('refuse'),
    'rows can be written whatever order.status is',
    'rows can be written only while order.status is "draft" (a constraint newly set)',
  ),
  [
    'rows that were deleted along now refuse it',
    dependent('cascade'),
    dependent('refuse'),
    'B',
    'orders  a row can no longer be deleted while items.order leads to it: those rows were deleted along',
  ],
  [
    'rows that refused it are now deleted along',
    dependent('refuse'),
    dependent('cascade'),
    'B',
    'orders  rows whose items.order leads to a deleted one are deleted along: they refused it',
  ],
  [
    'a new resource names rows of this one',
    dependent('refuse'),
    contractFor([orders(), items('refuse'), notes]),
    'A',
    'orders  a row cannot be deleted while notes.order leads to it',
  ],
  [
    'one of two relations of a resource refuses it where it went along',
    transfers('cascade'),
    transfers('refuse'),
    'B',
    'orders  a row can no longer be deleted while transfers.from leads to it',
  ],
  [
    'rows that name rows which are deleted along now refuse it',
    grandchild('cascade'),
    grandchild('refuse'),
    'B',
    'orders  a row can no longer be deleted while marks.item leads to it',
  ],
  [
    'writes newly tied to a row that nobody can have named before',
    contractFor([orders(), resource('items', { fields: { name: z.string() } })]),
    contractFor([
      orders(),
      items('refuse', {
        relations: { order: belongsTo('orders', { optional: true }) },
        onlyWhile: { order: { status: ['draft'] } },
      }),
    ]),
    'A',
    'rows can be written only while order.status is "draft" (a constraint newly set)',
  ],
  [
    'deletes newly tied to a new field, whose first value allows them',
    contractFor([resource('orders', { fields: {} })]),
    deletes('draft'),
    'A',
    'rows can be deleted only while status is "draft" (a constraint newly set)',
  ],
  [
    'deletes newly tied to a new field, whose first value does not allow them',
    contractFor([resource('orders', { fields: {} })]),
    deletes('placed'),
    'B',
    'rows can be deleted only while status is "placed" (a constraint newly set)',
  ],
]

testRows('rules of state', rows)

describe('a rule of state', () => {
  const told = (older: Contract, newer: Contract) => compareContracts(older, newer).map(({ what }) => what)

  test('is reported once, without the problem that goes with it', () => {
    expect(told(contractFor([orders()]), deletes('draft'))).toHaveLength(1)
    expect(told(dependent('refuse'), dependent('cascade'))).toHaveLength(1)
  })

  test('for an operation that is not offered makes no difference', () => {
    const read = (rule: Loose) => contractFor([orders({ methods: ['GET'], ...rule })])
    expect(told(read({}), read({ deleteOnlyWhile: { status: ['draft'] } }))).toEqual([])
    const added = told(read({}), deletes('draft'))
    expect(added.filter((what) => what.includes('only while'))).toEqual([])
  })
})

describe('rules of state and an older version', () => {
  const changes = [mapValues('orders', 'status', { open: 'placed' }, { why: 'One word.' })]
  const declaration = (deleteWhile: string[]) =>
    api('small', {
      resources: [orders({ deleteOnlyWhile: { status: deleteWhile } })],
      versions: [
        version('v2', { published: '2026-01-01' }),
        version('v1', { published: '2025-01-01', changes }),
      ],
    })
  const frozen = (deleteWhile: string[]) => {
    const model = compileApi(declaration(deleteWhile))
    return new Map(model.versions.map((one) => [one.name, contractOf(model, one)]))
  }
  const gate = (deleteWhile: string[]): string => {
    const contracts = frozen(['draft', 'placed'])
    const model = compileApi(declaration(deleteWhile), { contracts })
    return checkContracts(model, contracts).refusals.map(refusalText).join('\n\n')
  }

  test('are reported with the names and values of that version', () => {
    expect(frozen(['placed']).get('v1')?.resources.orders?.rules?.delete?.only_while).toEqual({
      status: ['open'],
    })
  })

  test('are kept where several of its values became one', () => {
    const merged = { open: 'placed', pending: 'placed' }
    const before = api('small', {
      resources: [
        orders({
          fields: {
            status: states('draft', { draft: ['open', 'pending'], open: ['paid'], pending: ['paid'] }),
          },
          deleteOnlyWhile: { status: ['open', 'pending'] },
        }),
      ],
      versions: [version('v1', { published: '2025-01-01' })],
    })
    const then = contractOf(compileApi(before), compileApi(before).head)
    const after = compileApi(
      api('small', {
        resources: [orders({ deleteOnlyWhile: { status: ['placed'] } })],
        versions: [
          version('v2'),
          version('v1', { changes: [mapValues('orders', 'status', merged, { why: 'One word.' })] }),
        ],
      }),
    )
    const now = contractOf(after, after.versions.at(-1) ?? after.head)
    expect(now.resources.orders?.rules).toEqual(then.resources.orders?.rules)
  })

  test('allow what a value allows that stands for it, and not what is only shown as it', () => {
    const refunds = { refunded: 'paid' }
    const head = orders({
      fields: { status: states('draft', { draft: ['paid'], paid: ['refunded'] }) },
      deleteOnlyWhile: { status: ['refunded'] },
    })
    const changes = [mapValues('orders', 'status', {}, { onlyInNewer: refunds, why: 'New.' })]
    const model = compileApi(
      api('small', { resources: [head], versions: [version('v2'), version('v1', { changes })] }),
    )
    const older = contractOf(model, model.versions.at(-1) ?? model.head)
    expect(older.resources.orders?.rules?.delete?.only_while).toEqual({ status: [] })
  })

  test('may be relaxed for all versions at once', () => {
    expect(gate(['draft', 'placed', 'paid'])).toBe('')
  })

  test('cannot be tightened, whatever the values are called, and no change can declare it', () => {
    const said = gate(['draft'])
    expect(said).toContain('rows can no longer be deleted while status is "placed"')
    expect(said).toContain('rows can no longer be deleted while status is "open"')
    expect(said).toContain('no change can declare this: undo it')
  })
})
