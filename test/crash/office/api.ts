import { api, belongsTo, hasMany, resource } from 'nounkit'
import { z } from 'zod'

/** Rows that refer to rows of their own kind, rows that go with others, and books that stay. */
const people = resource('people', {
  fields: { name: z.string() },
  relations: { boss: belongsTo('people', { optional: true }), notes: hasMany('notes') },
  search: ['name'],
  bulk: true,
})
const notes = resource('notes', {
  fields: { text: z.string() },
  relations: { person: belongsTo('people', { onTargetDelete: 'cascade' }) },
  bulk: true,
})
const buyers = resource('buyers', {
  fields: { name: z.string() },
  bulk: true,
  keepOnAccountDeletion: true,
})
const invoices = resource('invoices', {
  fields: { total: z.int() },
  relations: { buyer: belongsTo('buyers'), person: belongsTo('people', { optional: true }) },
  bulk: true,
  keepOnAccountDeletion: true,
})

export default api('office', {
  audit: true,
  events: { keepDays: 30 },
  resources: [people, notes, buyers, invoices],
})
