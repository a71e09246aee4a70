import { api, belongsTo, hasMany, resource, sum } from 'nounkit'
import { z } from 'zod'

/** The total is kept by the server, and items go with their order: one request can change several rows. */
const orders = resource('orders', {
  fields: { code: z.string(), note: z.string().optional(), total: sum('items', ['quantity', 'price']) },
  relations: { items: hasMany('items') },
  unique: ['code'],
  idempotencyKey: 'optional',
})

const items = resource('items', {
  owner: 'order',
  fields: { quantity: z.int(), price: z.int() },
  relations: { order: belongsTo('orders', { onTargetDelete: 'cascade' }) },
  idempotencyKey: 'optional',
})

export default api('desk', { events: { keepDays: 30 }, resources: [orders, items] })
