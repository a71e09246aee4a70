import { api, belongsTo, hasMany, resource, version } from 'nounkit'
import { z } from 'zod'

const customers = resource('customers', {
  fields: { name: z.string(), email: z.email() },
  relations: { orders: hasMany('orders') },
  unique: ['email'],
})

const orders = resource('orders', {
  fields: { currency: z.enum(['EUR', 'USD']), note: z.string().max(500).optional() },
  relations: { customer: belongsTo('customers') },
  filter: ['created_at'],
})

/** The same API with events and without. */
export const ordersApi = (options: { readonly events?: { readonly keepDays: number } }) =>
  api('orders', {
    ...options,
    resources: [customers, orders],
    versions: [version('v2')],
  })
