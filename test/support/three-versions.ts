import {
  addRequiredField,
  api,
  belongsTo,
  changeDefault,
  changeFieldScope,
  changeLimit,
  changeRule,
  changeType,
  custom,
  hasMany,
  makeRequired,
  mapValues,
  needsScope,
  removeBulk,
  removeCount,
  removeField,
  removeFilter,
  removeInclude,
  removeMethod,
  removeSearch,
  removeSort,
  renameField,
  renameRelation,
  renameResource,
  requireIdempotencyKey,
  requireScope,
  resource,
  states,
  version,
} from 'nounkit'
import { z } from 'zod'

/** An API with three versions and every kind of change, some of them on the same field. */
const senders = resource('senders', {
  fields: {
    name: z.string().min(1).max(100),
    tier: z.enum(['basic', 'plus', 'gold']).default('basic'),
    language: z.enum(['de', 'en', 'fr']),
    country: z.string().min(2).max(2),
    balance: z.int().min(-9_999_999_999).max(9_999_999_999).default(0),
    active: z.boolean().default(true),
    joined_at: z.iso.datetime({ offset: true }).optional(),
    street: z.string().max(80),
    city: z.string().max(80),
  },
  relations: { parcels: hasMany('parcels') },
  filter: ['name', 'tier', 'balance', 'active', 'joined_at'],
  sort: ['name', 'tier', 'balance'],
  include: ['parcels'],
})

const parcels = resource('parcels', {
  fields: {
    weight: z.int().min(1).max(30_000),
    priority: needsScope('parcels:read', z.enum(['low', 'normal', 'high'])).default('normal'),
    stage: states('packed', {
      packed: ['shipped', 'withdrawn'],
      shipped: ['delivered', 'lost'],
      lost: ['delivered'],
    }),
  },
  relations: { sender: belongsTo('senders'), scans: hasMany('scans') },
  filter: ['stage', 'weight', 'sender_id'],
  sort: ['stage', 'weight'],
  include: ['sender', 'scans'],
  methods: ['GET', 'POST', 'PATCH', 'DELETE'],
  idempotencyKey: 'required',
  scopes: { DELETE: 'parcels:erase' },
  limits: { pageMax: 50 },
})

const scans = resource('scans', {
  owner: 'parcel',
  fields: { place: z.string().min(1).max(80) },
  relations: { parcel: belongsTo('parcels', { onTargetDelete: 'cascade' }) },
  filter: ['place'],
  sort: ['created_at'],
  include: ['parcel'],
  rules: { read: ({ caller }) => caller.has('scans:read') },
})

const why = 'For the test of all kinds.'

/** `street` and `city` were one line. */
const addressLine = {
  fields: { address: z.string().max(162) },
  replaces: ['street', 'city'],
  up: ({ address }: { [key: string]: unknown }) => {
    const [street = '', city = ''] = String(address).split(', ')
    return { street, city }
  },
  down: ({ street, city }: { [key: string]: unknown }) => ({ address: `${street}, ${city}` }),
  samples: [{ older: { address: 'Am Ring 1, Ulm' }, newer: { street: 'Am Ring 1', city: 'Ulm' } }],
  why,
}

/** And before that the line was an object. */
const addressObject = {
  fields: { home: z.object({ line: z.string().max(162) }) },
  replaces: ['address'],
  up: ({ home }: { [key: string]: unknown }) => ({ address: (home as { line: string }).line }),
  down: ({ address }: { [key: string]: unknown }) => ({ home: { line: address } }),
  samples: [{ older: { home: { line: 'Am Ring 1, Ulm' } }, newer: { address: 'Am Ring 1, Ulm' } }],
  why,
}

const decimal = z.string().regex(/^-?\d{1,8}(\.\d{1,2})?$/)
const digits = z.string().regex(/^[1-9]\d{0,3}$/)

const v2 = version('v2', {
  published: '2025-06-01',
  changes: [
    renameResource('packages', 'parcels', { why }),
    renameField('senders', 'full_name', 'name'),
    renameRelation('parcels', 'events', 'scans'),
    mapValues('parcels', 'stage', { sent: 'shipped' }, { onlyInNewer: { lost: 'sent' }, why }),
    changeType('senders', 'balance', { was: decimal.default('0.00'), codec: 'cents-as-decimal-string' }),
    removeField('senders', 'fax', { was: z.string().max(40).optional() }),
    addRequiredField('senders', 'country', { whenAbsent: 'DE' }),
    removeFilter('parcels', 'priority'),
    removeSort('senders', 'joined_at'),
    removeCount('senders'),
    removeSearch('senders', 'name'),
    removeBulk('senders'),
    changeLimit('parcels', 'pageMax', { was: 200 }),
    requireIdempotencyKey('parcels'),
    changeDefault('parcels', 'priority', { was: 'low' }),
    changeFieldScope('parcels', 'priority', { why }),
    changeRule('scans', 'read', { why }),
    custom('senders', addressLine),
  ],
})

const v1 = version('v1', {
  published: '2024-06-01',
  deprecated: '2025-06-01',
  sunset: '2026-07-01',
  changes: [
    renameResource('users', 'senders'),
    renameField('senders', 'title', 'full_name'),
    renameRelation('packages', 'owner', 'sender'),
    mapValues('packages', 'stage', { out: 'sent', boxed: 'packed' }),
    mapValues('senders', 'tier', { free: 'basic' }, { onlyInNewer: { gold: 'plus' }, why }),
    changeType('senders', 'active', { was: z.int().min(0).max(1).default(1), codec: 'boolean-as-integer' }),
    changeType('senders', 'joined_at', {
      was: z.int().min(0).max(4_000_000_000).optional(),
      codec: 'datetime-as-unix-seconds',
      why,
    }),
    changeType('packages', 'weight', { was: digits, codec: 'integer-as-string' }),
    removeField('packages', 'code', { was: z.string().min(1).max(20), whenAbsent: 'none' }),
    makeRequired('senders', 'language', { whenAbsent: 'en', why }),
    removeInclude('scans', 'parcel.sender'),
    requireScope('packages', 'DELETE', { was: 'packages:write' }),
    removeMethod('packages', 'PUT'),
    custom('senders', addressObject),
  ],
})

const resources = [senders, parcels, scans]

export const threeVersions = api('post', {
  resources,
  versions: [version('v3', { published: '2026-01-01' }), v2, v1],
})

/** The same v1, said in one step: what the two lists together must mean. */
export const oneStep = api('post', {
  resources,
  versions: [
    version('v3', { published: '2026-01-01' }),
    version('v1', {
      published: '2024-06-01',
      deprecated: '2025-06-01',
      sunset: '2026-07-01',
      changes: [
        renameResource('packages', 'parcels'),
        renameResource('users', 'senders'),
        renameField('senders', 'title', 'name'),
        renameRelation('parcels', 'owner', 'sender'),
        renameRelation('parcels', 'events', 'scans'),
        mapValues(
          'parcels',
          'stage',
          { out: 'shipped', boxed: 'packed' },
          { onlyInNewer: { lost: 'out' }, why },
        ),
        mapValues('senders', 'tier', { free: 'basic' }, { onlyInNewer: { gold: 'plus' }, why }),
        changeType('senders', 'balance', { was: decimal.default('0.00'), codec: 'cents-as-decimal-string' }),
        changeType('senders', 'active', {
          was: z.int().min(0).max(1).default(1),
          codec: 'boolean-as-integer',
        }),
        changeType('senders', 'joined_at', {
          was: z.int().min(0).max(4_000_000_000).optional(),
          codec: 'datetime-as-unix-seconds',
          why,
        }),
        changeType('parcels', 'weight', { was: digits, codec: 'integer-as-string' }),
        removeField('senders', 'fax', { was: z.string().max(40).optional() }),
        removeField('parcels', 'code', { was: z.string().min(1).max(20), whenAbsent: 'none' }),
        addRequiredField('senders', 'country', { whenAbsent: 'DE' }),
        makeRequired('senders', 'language', { whenAbsent: 'en', why }),
        removeFilter('parcels', 'priority'),
        removeSort('senders', 'joined_at'),
        removeCount('senders'),
        removeSearch('senders', 'name'),
        removeBulk('senders'),
        removeInclude('scans', 'parcel.sender'),
        changeLimit('parcels', 'pageMax', { was: 200 }),
        requireIdempotencyKey('parcels'),
        requireScope('parcels', 'DELETE', { was: 'packages:write' }),
        removeMethod('parcels', 'PUT'),
        changeDefault('parcels', 'priority', { was: 'low' }),
        changeFieldScope('parcels', 'priority', { why }),
        changeRule('scans', 'read', { why }),
        custom('senders', {
          fields: addressObject.fields,
          replaces: ['street', 'city'],
          up: (older) => addressLine.up(addressObject.up(older)),
          down: (newer) => addressObject.down(addressLine.down(newer)),
          samples: [
            { older: { home: { line: 'Am Ring 1, Ulm' } }, newer: { street: 'Am Ring 1', city: 'Ulm' } },
          ],
          why,
        }),
      ],
    }),
  ],
})
