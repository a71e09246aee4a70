import { createHash } from 'node:crypto'

/**
 * Rows for an empty store, the same on every machine: values that look random are hashes of their purpose, so no test or
 * tutorial depends on chance.
 */
export const seed = {
  accounts: ['acme', 'globex'],
  shared: () => products(),
  account: (account: string) => [
    ...customers(account),
    ...Array.from({ length: orderCount }, (_, index) => order(account, index)).flat(),
  ],
}

interface Row {
  readonly resource: string
  readonly values: { readonly id: string; readonly [field: string]: unknown }
}

const customerCount = 20
const orderCount = 50
const productCount = 40
const start = Date.UTC(2026, 0, 5, 9)
const hour = 3_600_000
const day = 24 * hour

/** A number from 0 up to, not including, `below`; always the same for the same words. */
const pick = (below: number, ...words: readonly (string | number)[]): number =>
  createHash('sha256').update(words.join('/')).digest().readUInt32BE(0) % below

const oneOf = <T>(choices: readonly T[], ...words: readonly (string | number)[]): T =>
  choices[pick(choices.length, ...words)] as T

/** UUIDv7: 48 bits of time, then bits that are usually random. */
const idAt = (time: number, ...words: readonly (string | number)[]): string => {
  const hex = createHash('sha256')
    .update(`id/${words.join('/')}`)
    .digest('hex')
  const stamp = time.toString(16).padStart(12, '0')
  const variant = '89ab'[Number.parseInt(hex.slice(3, 4), 16) % 4]
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7${hex.slice(0, 3)}-${variant}${hex.slice(4, 7)}-${hex.slice(8, 20)}`
}

const row = (
  resource: string,
  time: number,
  id: string,
  values: { readonly [field: string]: unknown },
): Row => {
  const at = new Date(time).toISOString()
  return { resource, values: { id, ...values, created_at: at, updated_at: at } }
}

const adjectives = ['Plain', 'Folding', 'Oak', 'Steel', 'Linen', 'Enamel', 'Woven', 'Small']
const things = ['Chair', 'Lamp', 'Kettle', 'Blanket', 'Shelf']
const productTime = (index: number): number => start - 30 * day + index * hour
const productId = (index: number): string => idAt(productTime(index), 'product', index)
const productPrice = (index: number): number => 500 + pick(200, 'price', index) * 50

const products = (): readonly Row[] =>
  Array.from({ length: productCount }, (_, index) => {
    const thing = things[index % things.length] as string
    const adjective = adjectives[Math.floor(index / things.length)] as string
    return row('products', productTime(index), productId(index), {
      sku: `${thing.slice(0, 3).toUpperCase()}-${String(index + 1).padStart(3, '0')}`,
      title: `${adjective} ${thing.toLowerCase()}`,
      price: productPrice(index),
      currency: index % 4 === 3 ? 'USD' : 'EUR',
      active: index % 10 !== 9,
    })
  })

const firstNames = ['Ada', 'Bo', 'Chidi', 'Dana', 'Emre', 'Fatou', 'Goran', 'Hana', 'Iker', 'Jo']
const lastNames = ['Okafor', 'Lindqvist', 'Moreau', 'Tanaka', 'Novak', 'Silva', 'Haddad']
const customerTime = (index: number): number => start + index * day
const customerId = (account: string, index: number): string =>
  idAt(customerTime(index), account, 'customer', index)

const customers = (account: string): readonly Row[] =>
  Array.from({ length: customerCount }, (_, index) => {
    const first = firstNames[index % firstNames.length] as string
    const last = oneOf(lastNames, account, 'last', index)
    return row('customers', customerTime(index), customerId(account, index), {
      referrer_id: index % 5 === 4 ? customerId(account, pick(index, account, 'referrer', index)) : null,
      name: `${first} ${last}`,
      email: `${first}.${last}.${index + 1}@${account}.example`.toLowerCase(),
      phone: index % 3 === 0 ? `+49 30 ${String(100_000 + pick(900_000, account, 'phone', index))}` : null,
    })
  })

const statuses = ['draft', 'placed', 'paid', 'shipped', 'cancelled', 'refunded']
const notes = ['Please ring twice.', 'A gift: no invoice in the box.', 'Leave it with the neighbours.']

/** An order with its items, adjustments, payments and refunds. */
const order = (account: string, index: number): readonly Row[] => {
  const time = start + customerCount * day + index * 31 * hour
  const id = idAt(time, account, 'order', index)
  const status = statuses[index % statuses.length] as string
  const currency = index % 4 === 3 ? 'USD' : 'EUR'
  const items = Array.from({ length: 1 + pick(4, account, 'items', index) }, (_, line) =>
    item(account, index, line, id, time),
  )
  const total = items.reduce(
    (sum, { values }) => sum + Number(values.quantity) * Number(values.unit_price),
    0,
  )
  return [
    row('orders', time, id, {
      customer_id: customerId(account, pick(customerCount, account, 'buyer', index)),
      currency,
      note: index % 7 === 0 ? oneOf(notes, account, 'note', index) : null,
      status,
      total,
    }),
    ...items,
    ...adjustment(account, index, items, time),
    ...payment(account, index, id, { status, currency, total, time }),
  ]
}

const item = (account: string, index: number, line: number, orderId: string, time: number): Row => {
  const product = pick(productCount, account, 'product', index, line)
  const at = time + (line + 1) * 60_000
  return row('order-items', at, idAt(at, account, 'item', index, line), {
    order_id: orderId,
    product_id: productId(product),
    quantity: 1 + pick(5, account, 'quantity', index, line),
    unit_price: productPrice(product),
  })
}

const adjustment = (account: string, index: number, items: readonly Row[], time: number): readonly Row[] => {
  const [first] = items
  if (index % 6 !== 3 || first === undefined) return []
  const at = time + 2 * day
  return [
    row('adjustments', at, idAt(at, account, 'adjustment', index), {
      order_item_id: first.values.id,
      amount: -50 * (1 + pick(5, account, 'adjustment', index)),
      reason: 'Scratched in transit',
    }),
  ]
}

interface Paid {
  readonly status: string
  readonly currency: string
  readonly total: number
  readonly time: number
}

const payment = (
  account: string,
  index: number,
  orderId: string,
  { status, currency, total, time }: Paid,
): readonly Row[] => {
  if (!['paid', 'shipped', 'refunded'].includes(status)) return []
  const paidAt = time + day
  const id = idAt(paidAt, account, 'payment', index)
  const paid = row('payments', paidAt, id, {
    order_id: orderId,
    amount: total,
    currency,
    reference: index % 2 === 0 ? `INV-${String(1000 + index)}` : null,
  })
  if (status !== 'refunded') return [paid]
  const backAt = paidAt + 3 * day
  const refund = row('refunds', backAt, idAt(backAt, account, 'refund', index), {
    payment_id: id,
    amount: total,
    reason: 'Returned',
  })
  return [paid, refund]
}
