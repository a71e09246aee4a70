import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import * as change from '../../src/declare/change.ts'
import { readOnly, states } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { mistakesIn } from '../support/pair.ts'

const customers = resource('customers', {
  fields: {
    name: z.string().max(50),
    email: z.email().optional(),
    tier: z.enum(['basic', 'gold', 'placed']).default('basic'),
    level: z.int(),
    seen_at: z.iso.datetime().optional(),
    rank: readOnly(z.int().default(0)),
  },
  relations: { orders: hasMany('orders') },
  filter: ['name'],
  sort: ['name'],
  include: ['orders'],
})
const orders = resource('orders', {
  fields: { stage: states('draft', { draft: ['placed'] }) },
  relations: { customer: belongsTo('customers') },
})
const resources = [customers, orders]

const said = (...changes: change.Change[]) =>
  mistakesIn(resources, [version('v2'), version('v1', { changes })]).join('\n')

const pair = { older: { full: 'A' }, newer: { name: 'A' } }
const sound = {
  fields: { full: z.string() },
  replaces: ['name'],
  up: ({ full }: { [key: string]: unknown }) => ({ name: full }),
  down: ({ name }: { [key: string]: unknown }) => ({ full: name }),
  samples: [pair],
}

const cases: readonly [string, readonly change.Change[], string][] = [
  [
    'an unknown resource',
    [change.renameField('custommers', 'a', 'name')],
    'v1.changes[0] renameField: "custommers" is not a resource of v2. Did you mean "customers"?',
  ],
  [
    'the older name of a resource',
    [change.renameResource('clients', 'customers'), change.renameField('clients', 'full', 'name')],
    'Changes use the names of v2: write "customers".',
  ],
  [
    'an unknown field',
    [change.renameField('customers', 'full', 'nam')],
    '"nam" is not a field of customers in v2. Did you mean "name"?',
  ],
  [
    'the older name of a field',
    [change.renameField('customers', 'full', 'name'), change.removeSort('customers', 'full')],
    'Changes use the names of v2: write "name".',
  ],
  [
    'an unknown relation',
    [change.renameRelation('orders', 'client', 'custommer')],
    '"custommer" is not a relation of orders. Did you mean "customer"?',
  ],
  [
    'a name in the wrong form',
    [change.renameField('customers', 'fullName', 'name')],
    '"fullName" cannot be a name.',
  ],
  [
    'a renamed reference',
    [change.renameField('orders', 'client_id', 'customer_id')],
    "Write renameRelation('orders', 'client', 'customer')",
  ],
  ['a renamed id', [change.renameField('orders', 'key', 'id')], 'the id of a row is called "id"'],
  [
    'two renames of one field',
    [change.renameField('customers', 'a', 'name'), change.renameField('customers', 'b', 'name')],
    'v1.changes[1] renameField: it collides with v1.changes[0] renameField: both change customers.name.',
  ],
  [
    'two fields of one name',
    [change.renameField('customers', 'email', 'name')],
    'two fields or relations of customers are called "email"',
  ],
  [
    'two resources of one name',
    [change.renameResource('orders', 'customers')],
    'two resources are called "orders"',
  ],
  [
    'a rename of what is hidden',
    [
      change.addRequiredField('customers', 'level', { whenAbsent: 1 }),
      change.renameField('customers', 'rung', 'level'),
    ],
    'both change customers.level',
  ],
  [
    'a value that does not exist',
    [change.mapValues('customers', 'tier', { silver: 'golld' })],
    '"silver" became "golld", which tier does not have. Did you mean "gold"?',
  ],
  [
    'a newer value without an image',
    [change.mapValues('customers', 'tier', { placed: 'basic' })],
    'the newer value "placed" has no image: in the older version "placed" means "basic".',
  ],
  [
    'an image that does not exist',
    [change.mapValues('customers', 'tier', {}, { onlyInNewer: { gold: 'silver' }, why: 'x' })],
    '"gold" is to read as "silver", which the older version does not have.',
  ],
  [
    'loss without a reason',
    [change.mapValues('customers', 'tier', {}, { onlyInNewer: { gold: 'basic' } })],
    "several values become one, which loses their difference. Say the reason: { why: '…' }.",
  ],
  [
    'merged values without a reason',
    [change.mapValues('customers', 'tier', { old: 'gold', gold: 'gold' })],
    'several values become one',
  ],
  [
    'values of a field without any',
    [change.mapValues('customers', 'name', { a: 'b' })],
    'customers.name has no listed values to map.',
  ],
  [
    'a codec for another kind',
    [change.changeType('customers', 'name', { was: z.string(), codec: 'integer-as-string' })],
    'integer-as-string makes integer fields, and customers.name is of kind string.',
  ],
  [
    'a type the codec does not show',
    [change.changeType('customers', 'level', { was: z.boolean(), codec: 'integer-as-string' })],
    'integer-as-string shows string fields, and "was" is of kind boolean.',
  ],
  [
    'a type that may be null in one version only',
    [change.changeType('customers', 'level', { was: z.string().optional(), codec: 'integer-as-string' })],
    'may be null in the older version and not in the newer.',
  ],
  [
    'a lossy codec without a reason',
    [
      change.changeType('customers', 'seen_at', {
        was: z.int().optional(),
        codec: 'datetime-as-unix-seconds',
      }),
    ],
    'datetime-as-unix-seconds loses milliseconds.',
  ],
  [
    'two types of one field',
    [
      change.changeType('customers', 'level', { was: z.string(), codec: 'integer-as-string' }),
      change.changeType('customers', 'level', { was: z.string(), codec: 'cents-as-decimal-string' }),
    ],
    'both change customers.level',
  ],
  [
    'a removed field that is still there',
    [change.removeField('customers', 'name', { was: z.string() })],
    'still exists in the newer version',
  ],
  [
    'a removed field that newer rows lack',
    [change.removeField('customers', 'fax', { was: z.string() })],
    "fax was never null, but rows that newer versions create have no value for it. Say what they show: { whenAbsent: '…' }",
  ],
  [
    'a removed field that cannot be stored',
    [change.removeField('customers', 'fax', { was: z.bigint() })],
    'z.bigint() cannot be a field.',
  ],
  [
    'an added field that is optional',
    [change.addRequiredField('customers', 'email', { whenAbsent: 'ada@example.com' })],
    'An optional field needs no line',
  ],
  [
    'an absence with a value the field cannot have',
    [change.addRequiredField('customers', 'level', { whenAbsent: 'high' })],
    '"high" is not a value of customers.level. It must be an integer.',
  ],
  [
    'an absent reference',
    [change.addRequiredField('orders', 'customer_id', { whenAbsent: 'x' })],
    'no row can stand in for customer_id in every account.',
  ],
  [
    'a requirement without a reason',
    [change.makeRequired('customers', 'level', { whenAbsent: 1 })],
    'who sends no level reads 1 instead of null.',
  ],
  [
    'an include that is still offered',
    [change.removeInclude('customers', 'orders')],
    'customers still offers "orders".',
  ],
  [
    'an include through nothing',
    [change.removeInclude('customers', 'orders.clients')],
    '"clients" is not a relation of orders.',
  ],
  [
    'an include that is too deep',
    [change.removeInclude('customers', 'orders.customer.orders')],
    "Add changeLimit('customers', 'includeDepth', { was: 3 })",
  ],
  [
    'a filter that is still offered',
    [change.removeFilter('customers', 'name')],
    'customers still offers filter by "name".',
  ],
  [
    'a filter that is named twice',
    [change.removeFilter('customers', 'level'), change.removeFilter('customers', 'level')],
    'v1.changes[1] removeFilter: it collides with v1.changes[0] removeFilter: both change customers.level.',
  ],
  [
    'a filter through a relation to many',
    [change.removeFilter('customers', 'orders.total')],
    '"orders.total": "orders" of customers leads to many rows, and a filter leads to one. There is none to choose from.',
  ],
  [
    'a limit that is more than it can be',
    [change.changeLimit('customers', 'countRows', { was: 200_000 })],
    '"was" is 200000, which countRows cannot be. Write a whole number from 1 to 100000.',
  ],
  [
    'a limit that is the same',
    [change.changeLimit('customers', 'pageMax', { was: 100 })],
    'pageMax of customers is still 100.',
  ],
  [
    'a limit that is none',
    [change.changeLimit('customers', 'pageMax', { was: 0 })],
    'it must be a whole number from 1.',
  ],
  [
    'a key that is not required',
    [change.requireIdempotencyKey('customers')],
    "Declare it on customers: idempotencyKey: 'required'.",
  ],
  [
    'a scope that is the same',
    [change.requireScope('customers', 'GET', { was: 'customers:read' })],
    'GET of customers still needs "customers:read".',
  ],
  [
    'a method that is still offered',
    [change.removeMethod('customers', 'PUT')],
    'customers still offers PUT.',
  ],
  [
    'a default that is no value',
    [change.changeDefault('customers', 'tier', { was: 'silver' })],
    '"silver" is not a value of tier.',
  ],
  [
    'a default nobody could see',
    [change.changeDefault('customers', 'rank', { was: 1 })],
    'rank is read-only',
  ],
  [
    'null as a default of what is never null',
    [change.changeDefault('customers', 'tier', { was: null })],
    'A field that was required and now has a default needs no line.',
  ],
  ['code without samples', [change.custom('customers', { ...sound, samples: [] })], 'it has no samples.'],
  [
    'code whose samples do not round-trip',
    [change.custom('customers', { ...sound, down: () => ({ full: 'B' }) })],
    'samples[0]: down gives {"full":"B"} in place of {"full":"A"}.',
  ],
  [
    'code that throws',
    [
      change.custom('customers', {
        ...sound,
        up: () => {
          throw new Error('no')
        },
      }),
    ],
    'samples[0]: up throws: no.',
  ],
  [
    'a sample that breaks its schema',
    [change.custom('customers', { ...sound, fields: { full: z.string().min(2) } })],
    'samples[0].older.full breaks its own schema.',
  ],
  [
    'code that replaces a reference',
    [change.custom('orders', { ...sound, replaces: ['customer_id'], samples: [] })],
    'customer_id cannot be made by code',
  ],
]

describe('a change list is refused for', () => {
  test.each(cases)('%s', (_, changes, expected) => {
    expect(said(...changes)).toContain(expected)
  })
})

test('all mistakes in a list of changes are reported at once', () => {
  const lines = said(
    change.renameField('customers', 'a', 'nope'),
    change.removeMethod('orders', 'PUT'),
  ).split('\n')
  expect(lines).toHaveLength(2)
})

test('a name whose values are kept for an older version cannot be used again', () => {
  const removed = change.removeField('customers', 'fax', { was: z.string().optional() })
  const again = resource('customers', { fields: { fax: z.int().optional() } })
  const lines = mistakesIn([again], [version('v3'), version('v2'), version('v1', { changes: [removed] })])
  expect(lines.join('\n')).toContain('an older version removed a field of this name')
})

test('a resource that no version offers is refused', () => {
  const lost = resource('notes', { fields: { text: z.string() }, methods: [] })
  expect(mistakesIn([lost], [version('v1')]).join()).toContain(
    'there are none, and no older version offers any.',
  )
})

describe('dates are refused', () => {
  const dated = (v1: object, v2: object = {}) =>
    mistakesIn(resources, [version('v2', v2), version('v1', v1)]).join('\n')

  test.each([
    ['a day that does not exist', { published: '2026-02-30' }, '"2026-02-30" is not a calendar day.'],
    [
      'published after the next version',
      { published: '2026-07-01' },
      'v1 is published on 2026-07-01, after v2.',
    ],
    [
      'deprecated before it was published',
      { published: '2026-02-01', deprecated: '2026-01-01' },
      'before it is published',
    ],
    ['a sunset without an announcement', { sunset: '2027-01-01' }, 'its deprecation was never announced'],
    [
      'a sunset before the announcement',
      { deprecated: '2026-06-02', sunset: '2026-06-01' },
      'before its deprecation is announced',
    ],
    [
      'less than six months of overlap',
      { deprecated: '2026-06-01', sunset: '2026-11-30' },
      'less than 6 calendar months after 2026-06-01. Write "2026-12-01" or later.',
    ],
    [
      'overlap counted from the successor',
      { deprecated: '2026-01-01', sunset: '2026-11-01' },
      'after 2026-06-01',
    ],
  ])('%s', (_, dates, expected) => {
    expect(dated(dates, { published: '2026-06-01' })).toContain(expected)
  })

  test('six calendar months to the day are enough, also at the end of February', () => {
    expect(dated({ deprecated: '2026-06-01', sunset: '2026-12-01' })).toBe('')
    expect(dated({ deprecated: '2026-08-31', sunset: '2027-02-28' })).toBe('')
    expect(dated({ deprecated: '2026-08-31', sunset: '2027-02-27' })).toContain(
      'Write "2027-02-28" or later.',
    )
  })

  test('a deprecated version without a successor', () => {
    const lines = mistakesIn(resources, [version('v1', { deprecated: '2026-01-01', sunset: '2026-12-01' })])
    expect(lines.join('\n')).toContain('v1 has no successor that its consumers could move to.')
  })

  test('changes of the newest version, which lead nowhere', () => {
    const changes = [change.renameField('customers', 'full', 'name')]
    expect(mistakesIn(resources, [version('v1', { changes })]).join('\n')).toContain(
      'there is nothing newer to change to',
    )
  })
})

describe('a change that changes nothing is a mistake, also beside one that does', () => {
  const real = change.addRequiredField('customers', 'level', { whenAbsent: 1 })
  test.each<[string, change.Change]>([
    ['renameResource', change.renameResource('customers', 'customers')],
    ['renameField', change.renameField('customers', 'name', 'name')],
    ['renameRelation', change.renameRelation('customers', 'orders', 'orders')],
    ['mapValues', change.mapValues('customers', 'tier', { gold: 'gold' })],
    ['changeDefault', change.changeDefault('customers', 'tier', { was: 'basic' })],
    ['changeDefault', change.changeDefault('customers', 'email', { was: null })],
    ['custom', change.custom('customers', { ...sound, fields: {}, replaces: [], samples: [] })],
  ])('%s', (name, idle) => {
    expect(said(real, idle)).toBe(
      `v1.changes[1] ${name}: it changes nothing. Leave it out, or say what the older version had.`,
    )
  })
})
