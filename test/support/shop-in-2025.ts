import { api, belongsTo, hasMany, immutable, resource, states, sum, version } from 'nounkit'
import { z } from 'zod'

/**
 * The shop as it was declared when v1 was its newest version: before customers, before dollars, before refunded orders.
 * It publishes the frozen v1, with which today's v1, computed from v2 by its changes, is compared.
 */
const clients = resource('clients', {
  description: 'People and companies that order.',
  fields: {
    full_name: z.string().min(1).max(200).describe('As it should stand on an invoice.'),
    email: z.email().describe('Where order mail goes; no two clients share one.'),
    fax: z.string().max(40).optional().describe('For order confirmations.'),
  },
  relations: { orders: hasMany('orders', { description: 'Everything this client ordered.' }) },
  unique: ['email'],
  filter: ['email', 'created_at'],
  sort: ['full_name', 'email', 'created_at'],
  search: ['full_name', 'email'],
  include: ['orders'],
})

const products = resource('products', {
  description: 'What can be ordered: one catalogue, shared by all accounts.',
  shared: true,
  fields: {
    sku: z.string().min(1).max(64).describe('The stock-keeping unit.'),
    title: z.string().min(1).max(200).describe('As clients read it.'),
    price: z.int().min(0).describe('In minor units of the currency.'),
    currency: z.enum(['USD', 'EUR']).describe('The currency of the price.'),
    active: z.boolean().default(true).describe('Whether it is on sale.'),
  },
  unique: ['sku'],
  filter: ['sku', 'active', 'price', 'currency'],
  sort: ['sku', 'title', 'price'],
  scopes: { read: 'authenticated', write: 'products:write' },
  requireIfMatch: true,
})

const orders = resource('orders', {
  description: 'What a client wants, from draft to delivery. All amounts are in EUR.',
  fields: {
    note: z.string().max(500).optional().describe('Anything the client adds.'),
    status: states(
      'draft',
      { draft: ['open', 'cancelled'], open: ['paid', 'cancelled'], paid: ['shipped'] },
      { description: 'How far it has come.' },
    ),
    total: sum('items', ['quantity', 'unit_price'], { description: 'The sum of its items, in minor units.' }),
  },
  relations: {
    client: belongsTo('clients', { description: 'Who orders.' }),
    items: hasMany('order-items', { description: 'What is ordered.' }),
    payments: hasMany('payments', { description: 'What was paid for it.' }),
  },
  filter: ['status', 'client_id', 'client.email', 'total', 'created_at'],
  sort: ['created_at', 'total', 'status'],
  count: true,
  include: ['client', 'items', 'items.product', 'payments'],
  deleteOnlyWhile: { status: ['draft'] },
})

const orderItems = resource('order-items', {
  description: 'One line of an order. Lines change only while their order is a draft.',
  owner: 'order',
  fields: {
    quantity: z.int().min(1).max(1000).describe('How many.'),
    unit_price: z.int().min(0).describe('The price of one, in minor units.'),
  },
  relations: {
    order: belongsTo('orders', { onTargetDelete: 'cascade', description: 'The order it is a line of.' }),
    product: belongsTo('products', { description: 'What is ordered.' }),
    adjustments: hasMany('adjustments', { description: 'What was taken off or added later.' }),
  },
  include: ['order', 'product', 'adjustments'],
  bulk: true,
  onlyWhile: { order: { status: ['draft'] } },
})

const adjustments = resource('adjustments', {
  description: 'An amount taken off or added to an order line, for the record; no part of the total.',
  owner: 'order_item',
  fields: {
    amount: z.int().describe('In minor units; negative for a reduction.'),
    reason: z.string().min(1).max(200).describe('Why.'),
  },
  relations: {
    order_item: belongsTo('order-items', { onTargetDelete: 'cascade', description: 'The line it adjusts.' }),
  },
  include: ['order_item'],
  idempotencyKey: 'off',
  events: false,
})

const payments = resource('payments', {
  description: 'Money received for an order. A payment is a fact: only its reference can be corrected.',
  fields: {
    amount: immutable(z.int().min(1)).describe('In minor units.'),
    currency: immutable(z.enum(['EUR', 'USD'])).describe('The currency that was paid in.'),
    reference: z.string().max(100).optional().describe("The payer's own reference."),
  },
  relations: {
    order: belongsTo('orders', { immutable: true, description: 'What was paid for.' }),
    refunds: hasMany('refunds', { description: 'What was paid back.' }),
  },
  include: ['order', 'order.client', 'refunds'],
  methods: ['GET', 'POST', 'PATCH'],
  idempotencyKey: 'required',
})

const refunds = resource('refunds', {
  description: 'Money paid back. All refunds of a payment together never exceed it.',
  owner: 'payment',
  fields: {
    amount: immutable(z.int().min(1)).describe('In minor units.'),
    reason: z.string().max(200).optional().describe('Why.'),
  },
  relations: { payment: belongsTo('payments', { description: 'The payment it takes from.' }) },
  include: ['payment'],
  methods: ['GET', 'POST', 'PATCH'],
  idempotencyKey: 'required',
  problems: {
    'refund-exceeds-payment': {
      status: 409,
      title: 'The refund is more than is left of the payment',
    },
  },
  // The contract says that there is a hook, not what it does.
  hooks: { beforeCreate: () => undefined },
})

export default api('shop', {
  title: 'The shop',
  description: 'Clients, orders and payments of a small shop.',
  resources: [clients, products, orders, orderItems, adjustments, payments, refunds],
  versions: [version('v1', { published: '2025-01-15' })],
  // v1 was published anew when the shop got events.
  events: { keepDays: 30 },
})
