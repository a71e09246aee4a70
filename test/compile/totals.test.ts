import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  api,
  belongsTo,
  decimal,
  needsScope,
  renameField,
  resource,
  version,
  writeOnly,
} from '../../src/index.ts'
import { linesOf } from './declarations.ts'

const orders = resource('orders', {
  fields: {
    status: z.enum(['open', 'paid']),
    total: z.int(),
    price: decimal({ scale: 2 }),
    share: z.number(),
    count: z.int().optional(),
    note: z.string(),
    code: z.string().max(256),
    tags: z.array(z.string()).default([]),
    pin: writeOnly(z.string().max(4)),
    margin: needsScope('orders:finance', z.int().optional()),
  },
})
const told = (options: object, name = 'order-totals'): readonly string[] =>
  linesOf(
    api('sales', {
      resources: [orders, resource(name, options as never)],
      scopes: { 'orders:finance': 'See margins.' },
      rate: { perSecond: 10 },
    }),
  )
const totals = (over: object, rest: object = {}) =>
  told({ totals: { of: 'orders', by: ['status'], sums: ['total'], ...over }, ...rest })

test('totals of integers and decimals, by what can be told apart, compile', () => {
  expect(totals({ by: ['status', 'code', 'margin', 'price', 'share'], sums: ['total'] })).toEqual([])
  expect(
    totals({ sums: undefined }, { scopes: { read: 'authenticated' }, limits: { totalRows: 5 } }),
  ).toEqual([])
})

test.each([
  [{ of: 'order' }, '"order" is not a resource. Did you mean "orders"?'],
  [{ of: 'order-totals' }, '"order-totals" are totals themselves.'],
  [{ by: [] }, 'it names no field. Name at least one to group by.'],
  [{ by: ['stauts'] }, '"stauts" is not a field of orders. Did you mean "status"?'],
  [{ by: ['status', 'status'] }, '"status" is named twice.'],
  [
    { by: ['note'] },
    '"note" is a long text, or one without a limit, and groups are by short ones. Give it .max(256)',
  ],
  [{ by: ['tags'] }, 'Take it out of by.'],
  [{ by: ['pin'] }, '"pin" is write-only'],
  [{ by: ['id'] }, '"id" differs from row to row'],
  [{ by: ['created_at'] }, '"created_at" differs from row to row'],
  [{ by: ['count'] }, 'a field "count", which is what says how many rows a group has'],
  [
    { sums: ['share'] },
    '"share" of orders is of kind number, which has no exact sums. Integers and decimals have.',
  ],
  [{ sums: ['status'] }, '"status" of orders is of kind enum'],
  [{ sums: ['totl'] }, 'Did you mean "total"?'],
  [{ sums: ['total', 'total'] }, '"total" is named twice.'],
  [{ by: ['total'] }, '"total" is in by as well'],
  [{ sums: ['count'] }, 'a field "count"'],
  [{ by: 'status' }, "Write by: ['status']"],
  [{ group: ['status'] }, '"group" is not an option.'],
])('%o says what is wrong', (over, says) => {
  const lines = totals(over)
  expect(lines.join('\n')).toContain(says)
  expect(lines).toHaveLength(1)
})

test.each([
  [{ fields: {} }, '"fields" is not an option.'],
  [{ filter: ['status'] }, '"filter" is not an option.'],
  [{ methods: ['GET', 'POST'] }, '"POST" is not offered: totals are only read.'],
  [{ scopes: { write: 'x:y' } }, '"write" is not an option.'],
  [{ scopes: { read: 'public' } }, 'cannot be public'],
  [{ limits: { totalRows: 0 } }, 'order-totals.limits.totalRows: 0 is out of range.'],
  [{ rate: { perSecond: 100 } }, "100 is more than the API's 10"],
])('the option %o says what is wrong', (rest, says) => {
  expect(totals({}, rest).join('\n')).toContain(says)
})

test('their name is that of a collection', () => {
  const some = { totals: { of: 'orders', by: ['status'] } }
  expect(told(some, 'order-total').join()).toContain('"order-total" is not plural')
  expect(told(some, 'orders').join()).toContain('two resources have this name.')
})

test('a resource that nobody may read has none', () => {
  const hidden = resource('orders', { fields: { status: z.enum(['open']) }, methods: [] })
  const lines = linesOf(
    api('sales', {
      resources: [hidden, resource('order-totals', { totals: { of: 'orders', by: ['status'] } })],
    }),
  )
  expect(lines.join('\n')).toContain('orders cannot be read, so nobody could see what is counted.')
})

test('an older version in which a field would be called count', () => {
  const lines = linesOf(
    api('sales', {
      resources: [
        resource('orders', { fields: { pieces: z.int() } }),
        resource('order-totals', { totals: { of: 'orders', by: ['pieces'] } }),
      ],
      versions: [version('v2'), version('v1', { changes: [renameField('orders', 'count', 'pieces')] })],
    }),
  )
  expect(lines.join('\n')).toContain('versions.v1: in order-totals it has a field "count"')
})

test('a filter that leads to a noun of code is a mistake of the rows alone, not of their totals too', () => {
  const customers = resource('customers', {
    fields: { email: z.email() },
    answers: { get: async () => null, list: async () => ({ rows: [] }) },
  })
  const bought = resource('orders', {
    fields: { status: z.enum(['open', 'paid']) },
    relations: { customer: belongsTo(customers) },
    filter: ['customer.email'],
  })
  const sums = resource('order-totals', { totals: { of: 'orders', by: ['status'] } })
  expect(linesOf(api('sales', { resources: [customers, bought, sums] }))).toEqual([
    expect.stringContaining(
      'orders.filter: "customer.email" leads through relations, which only the store follows',
    ),
  ])
})
