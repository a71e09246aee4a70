import { expect, test } from 'vitest'
import { seed } from '../../examples/shop/seed.ts'

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const rows = [...seed.shared(), ...seed.accounts.flatMap((account) => seed.account(account))]

test('the seed has the promised number of rows for each account', () => {
  const count = (account: string, resource: string) =>
    seed.account(account).filter((row) => row.resource === resource).length
  expect(seed.shared()).toHaveLength(40)
  for (const account of seed.accounts) {
    expect(count(account, 'customers')).toBe(20)
    expect(count(account, 'orders')).toBe(50)
    expect(count(account, 'order-items')).toBeGreaterThanOrEqual(50)
    for (const resource of ['payments', 'refunds', 'adjustments'])
      expect(count(account, resource), resource).toBeGreaterThan(0)
  }
})

test('ids are UUIDv7, none twice, and carry the time the row was created', () => {
  expect(new Set(rows.map((row) => row.values.id)).size).toBe(rows.length)
  for (const { values } of rows) {
    expect(values.id).toMatch(uuid7)
    const time = Number.parseInt(values.id.replaceAll('-', '').slice(0, 12), 16)
    expect(new Date(time).toISOString()).toBe(values.created_at)
  }
})

test('the seed is the same each time', () => {
  expect(seed.account('acme')).toEqual(seed.account('acme'))
  expect(seed.account('acme')).not.toEqual(seed.account('globex'))
})

test('a row comes after every row it names', () => {
  for (const account of seed.accounts) {
    const known = new Set(seed.shared().map((row) => row.values.id))
    for (const { resource, values } of seed.account(account)) {
      for (const [field, value] of Object.entries(values))
        if (field.endsWith('_id') && value !== null)
          expect(known.has(value as string), `${resource}.${field}`).toBe(true)
      known.add(values.id)
    }
  }
})

test('totals are the sums of their items, and refunds stay within their payments', () => {
  for (const account of seed.accounts) {
    const all = seed.account(account)
    const of = (resource: string) => all.filter((row) => row.resource === resource).map((row) => row.values)
    for (const order of of('orders')) {
      const items = of('order-items').filter((item) => item.order_id === order.id)
      const total = items.reduce((sum, item) => sum + Number(item.quantity) * Number(item.unit_price), 0)
      expect(order.total).toBe(total)
    }
    for (const refund of of('refunds')) {
      const payment = of('payments').find((one) => one.id === refund.payment_id)
      expect(Number(refund.amount)).toBeLessThanOrEqual(Number(payment?.amount))
    }
  }
})
