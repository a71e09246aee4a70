import {
  addRequiredField,
  mapValues,
  removeField,
  renameField,
  renameRelation,
  renameResource,
  version,
} from 'nounkit'
import { z } from 'zod'

/** The changes from v1 to v2; code and store know only v2. */
export const v1 = version('v1', {
  published: '2025-01-15',
  deprecated: '2026-06-01',
  sunset: '2026-12-31',
  changes: [
    renameResource('clients', 'customers', { why: 'One word for the payer, everywhere.' }),
    renameRelation('orders', 'client', 'customer', { why: 'It follows the resource.' }),
    renameField('customers', 'full_name', 'name', { why: 'Companies order too.' }),
    removeField('customers', 'fax', { was: z.string().max(40).optional(), why: 'Nobody sends faxes.' }),
    mapValues(
      'orders',
      'status',
      { open: 'placed' },
      { onlyInNewer: { refunded: 'cancelled' }, why: 'To v1, an order paid back was never an order.' },
    ),
    addRequiredField('orders', 'currency', { whenAbsent: 'EUR', why: 'We now sell in dollars as well.' }),
  ],
})
