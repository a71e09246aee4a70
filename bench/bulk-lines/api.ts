import { api, belongsTo, hasMany, resource } from 'nounkit'
import { z } from 'zod'

const carts = resource('carts', { fields: { name: z.string() }, relations: { lines: hasMany('lines') } })

/** As most resources are: a reference, an index, no hook. */
const lines = resource('lines', {
  fields: { title: z.string().max(200), quantity: z.int().min(1), price: z.int().min(0) },
  relations: { cart: belongsTo(carts) },
  filter: ['title'],
  bulk: true,
  count: true,
})

export default api('lines', { resources: [carts, lines] })
