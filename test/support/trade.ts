import { z } from 'zod'
import {
  api,
  belongsTo,
  changeType,
  custom,
  hasMany,
  immutable,
  needsScope,
  renameField,
  resource,
  states,
  sum,
  version,
} from '../../src/index.ts'

/** An API with fields that need a scope: a state, a sum, an immutable one, in a shared resource, and made by code in v1. */

const buyers = resource('buyers', {
  fields: {
    name: z.string(),
    first_name: needsScope('buyers:private', z.string().optional()),
    last_name: z.string().optional(),
    credit: needsScope('trade:finance', z.int().optional()),
  },
  relations: { deals: hasMany('deals') },
  include: ['deals', 'deals.lines'],
})

const deals = resource('deals', {
  fields: {
    title: z.string(),
    cost: needsScope('trade:finance', z.int()).optional(),
    rate: immutable(needsScope('trade:finance', z.int().default(7))),
    code: needsScope('trade:finance', z.string().optional()),
    audit: needsScope('trade:finance', states('open', { open: ['closed'] })),
    expense: needsScope('trade:finance', sum('lines', 'expense')),
  },
  relations: { buyer: belongsTo('buyers'), lines: hasMany('deal-lines') },
  unique: [['title', 'code']],
  filter: ['cost', 'title', 'audit'],
  sort: ['cost', 'title'],
  include: ['buyer', 'lines'],
})

const dealLines = resource('deal-lines', {
  fields: {
    text: z.string(),
    expense: needsScope('trade:finance', z.int()).default(0),
  },
  relations: { deal: belongsTo('deals', { onTargetDelete: 'cascade' }) },
  owner: 'deal',
  onlyWhile: { deal: { audit: ['open'] } },
})

/** Its secret must be sent, so nobody without the scope can create one. */
const ledgers = resource('ledgers', {
  fields: { title: z.string(), balance: needsScope('trade:finance', z.int()) },
})

const goods = resource('goods', {
  shared: true,
  scopes: { read: 'public' },
  fields: {
    name: z.string(),
    purchase_price: needsScope('trade:finance', z.int().optional()),
  },
  filter: ['purchase_price'],
})

export const trade = api('trade', {
  scopes: { 'trade:finance': 'See and set what things cost.', 'buyers:private': 'See the names of people.' },
  resources: [buyers, deals, dealLines, ledgers, goods],
  versions: [
    version('v2'),
    version('v1', {
      published: '2026-01-01',
      changes: [
        renameField('deals', 'spent', 'cost'),
        changeType('ledgers', 'balance', { was: z.string(), codec: 'integer-as-string' }),
        custom('buyers', {
          fields: { full_name: z.string().optional() },
          replaces: ['first_name', 'last_name'],
          up: ({ full_name }) => {
            const [first_name = null, last_name = null] = String(full_name ?? '').split(' ')
            return { first_name: first_name || null, last_name }
          },
          down: ({ first_name, last_name }) => ({
            full_name: [first_name, last_name].filter(Boolean).join(' ') || null,
          }),
          samples: [
            { older: { full_name: 'Ada Byron' }, newer: { first_name: 'Ada', last_name: 'Byron' } },
            { older: { full_name: null }, newer: { first_name: null, last_name: null } },
          ],
        }),
      ],
    }),
  ],
})

/** Every call, and no scope that a field needs. */
export const plainScopes = ['buyers', 'deals', 'deal-lines', 'ledgers', 'goods'].flatMap((name) => [
  `${name}:read`,
  `${name}:write`,
])
