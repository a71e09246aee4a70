import { api, belongsTo, hasMany, immutable, resource, states, sum, version } from 'nounkit'
import { z } from 'zod'
import { seed } from './seed.ts'
import { v1 } from './v1.ts'

const currency = z.enum(['EUR', 'USD']).describe('The currency of all amounts of the row.')

export const customers = resource('customers', {
  description: 'People and companies that order.',
  fields: {
    name: z.string().min(1).max(200).describe('As it should stand on an invoice.'),
    email: z.email().describe('Where order mail goes; no two customers share one.'),
    phone: z.string().max(40).optional().describe('For questions about a delivery.'),
  },
  relations: {
    referrer: belongsTo('customers', { optional: true, description: 'The customer who brought this one.' }),
    orders: hasMany('orders', { description: 'Everything they ordered.' }),
  },
  unique: ['email'],
  filter: ['email', 'created_at', 'referrer_id'],
  sort: ['name', 'email', 'phone', 'created_at'],
  search: ['name', 'email'],
  include: ['orders', 'referrer'],
})

export const products = resource('products', {
  description: 'What can be ordered: one catalogue, shared by all accounts.',
  shared: true,
  fields: {
    sku: z.string().min(1).max(64).describe('The stock-keeping unit.'),
    title: z.string().min(1).max(200).describe('As customers read it.'),
    price: z.int().min(0).describe('In minor units of the currency.'),
    currency,
    active: z.boolean().default(true).describe('Whether it is on sale.'),
  },
  unique: ['sku'],
  filter: ['sku', 'active', 'price', 'currency'],
  sort: ['sku', 'title', 'price'],
  scopes: { read: 'authenticated', write: 'products:write' },
  requireIfMatch: true,
})

export const orders = resource('orders', {
  description: 'What a customer wants, from draft to delivery.',
  fields: {
    currency,
    note: z.string().max(500).optional().describe('Anything the customer adds.'),
    status: states(
      'draft',
      {
        draft: ['placed', 'cancelled'],
        placed: ['paid', 'cancelled'],
        paid: ['shipped', 'refunded'],
      },
      { description: 'How far it has come.' },
    ),
    total: sum('items', ['quantity', 'unit_price'], {
      description: 'The sum of its items, in minor units; kept by the server.',
    }),
  },
  relations: {
    customer: belongsTo(customers, { description: 'Who orders.' }),
    items: hasMany('order-items', { description: 'What is ordered.' }),
    payments: hasMany('payments', { description: 'What was paid for it.' }),
  },
  filter: ['status', 'customer_id', 'customer.email', 'total', 'created_at'],
  sort: ['created_at', 'total', 'status'],
  count: true,
  include: ['customer', 'items', 'items.product', 'payments'],
  idempotencyKey: 'optional',
  deleteOnlyWhile: { status: ['draft'] },
})

export const orderItems = resource('order-items', {
  description: 'One line of an order. Lines change only while their order is a draft.',
  owner: 'order',
  fields: {
    quantity: z.int().min(1).max(1000).describe('How many.'),
    unit_price: z.int().min(0).describe('The price of one, in minor units.'),
  },
  relations: {
    order: belongsTo(orders, { onTargetDelete: 'cascade', description: 'The order it is a line of.' }),
    product: belongsTo(products, { description: 'What is ordered.' }),
    adjustments: hasMany('adjustments', { description: 'What was taken off or added later.' }),
  },
  include: ['order', 'product', 'adjustments'],
  bulk: true,
  onlyWhile: { order: { status: ['draft'] } },
})

export const adjustments = resource('adjustments', {
  description: 'An amount taken off or added to an order line, for the record; no part of the total.',
  owner: 'order_item',
  fields: {
    amount: z.int().describe('In minor units; negative for a reduction.'),
    reason: z.string().min(1).max(200).describe('Why.'),
  },
  relations: {
    order_item: belongsTo(orderItems, { onTargetDelete: 'cascade', description: 'The line it adjusts.' }),
  },
  include: ['order_item'],
  idempotencyKey: 'off',
  events: false,
})

export const payments = resource('payments', {
  description: 'Money received for an order. A payment is a fact: only its reference can be corrected.',
  fields: {
    amount: immutable(z.int().min(1)).describe('In minor units.'),
    currency: immutable(currency),
    reference: z.string().max(100).optional().describe("The payer's own reference."),
  },
  relations: {
    order: belongsTo(orders, { immutable: true, description: 'What was paid for.' }),
    refunds: hasMany('refunds', { description: 'What was paid back.' }),
  },
  include: ['order', 'order.customer', 'refunds'],
  methods: ['GET', 'POST', 'PATCH'],
  idempotencyKey: 'required',
})

export const refunds = resource('refunds', {
  description: 'Money paid back. All refunds of a payment together never exceed it.',
  owner: 'payment',
  fields: {
    amount: immutable(z.int().min(1)).describe('In minor units.'),
    reason: z.string().max(200).optional().describe('Why.'),
  },
  relations: { payment: belongsTo(payments, { description: 'The payment it takes from.' }) },
  include: ['payment'],
  methods: ['GET', 'POST', 'PATCH'],
  idempotencyKey: 'required',
  problems: {
    'refund-exceeds-payment': {
      status: 409,
      title: 'The refund is more than is left of the payment',
      description: 'All refunds of a payment together never exceed what was paid.',
      fix: 'Refund at most the amount that the detail names.',
    },
  },
  hooks: {
    async beforeCreate(refund, { find, sum, reject }) {
      // The lock makes a second refund of the payment wait here until this one is committed or undone.
      const payment = await find('payments', refund.payment_id, { lock: true })
      const refunded = await sum('refunds', 'amount', { payment_id: refund.payment_id })
      const left = (payment?.amount ?? 0) - refunded
      if (refund.amount > left)
        reject({
          code: 'refund-exceeds-payment',
          detail: `Of this payment ${left} can still be refunded, not ${refund.amount}.`,
          field: 'amount',
        })
    },
  },
})

export default api('shop', {
  title: 'The shop',
  description: 'Orders and payments of a small shop.',
  resources: [customers, products, orders, orderItems, adjustments, payments, refunds],
  versions: [version('v2', { published: '2026-06-01' }), v1],
  events: { keepDays: 30 },
  unversioned: 'v2',
  seed,
})
