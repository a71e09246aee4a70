import { belongsTo, hasMany, resource, states } from 'nounkit'
import { z } from 'zod'
import { owners } from './owners.ts'

export const invoices = resource('invoices', {
  fields: {
    amount: z.int().min(0),
    paid: z.boolean().default(false),
    status: states('draft', { draft: ['sent'] }),
  },
  relations: { owner: belongsTo(owners), lines: hasMany('lines') },
  filter: ['paid', 'owner_id'],
  sort: ['amount'],
  include: ['owner', 'owner.pets', 'lines'],
})

export const invoiceTotals = resource('invoice-totals', {
  totals: { of: 'invoices', by: ['status', 'owner_id'], sums: ['amount'] },
})

export const lines = resource('lines', {
  owner: 'invoice',
  fields: { text: z.string().max(200), amount: z.int().min(0) },
  relations: { invoice: belongsTo(invoices, { onTargetDelete: 'cascade' }) },
  include: ['invoice', 'invoice.owner'],
  onlyWhile: { invoice: { status: ['draft'] } },
})
