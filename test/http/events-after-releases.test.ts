import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import * as change from '../../src/declare/change.ts'
import { belongsTo } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { releasesOn } from '../support/releases.ts'
import { describeStores } from '../support/stores.ts'

const why = 'For the test.'
const events = { keepDays: 30 }

const v1 = version('v1', {
  changes: [
    change.renameResource('clients', 'customers', { why }),
    change.renameField('customers', 'title', 'name', { why }),
  ],
})

const two = api('desk', {
  events,
  resources: [
    resource('customers', {
      fields: {
        name: z.string(),
        status: z.enum(['new', 'old']).default('new'),
        fax: z.string().optional(),
        price: z.string(),
        first: z.string().optional(),
        last: z.string().optional(),
      },
    }),
    resource('visits', { fields: { note: z.string() }, relations: { customer: belongsTo('customers') } }),
  ],
  versions: [version('v2'), v1],
})

const three = api('desk', {
  events,
  resources: [
    resource('buyers', {
      fields: {
        label: z.string(),
        status: z.enum(['fresh', 'old']).default('fresh'),
        price: z.int(),
        whole: z.string().optional(),
        country: z.string().default('FR'),
      },
    }),
    resource('visits', { fields: { note: z.string() }, relations: { buyer: belongsTo('buyers') } }),
  ],
  versions: [
    version('v3'),
    version('v2', {
      changes: [
        change.renameResource('customers', 'buyers', { why }),
        change.renameRelation('visits', 'customer', 'buyer', { why }),
        change.renameField('buyers', 'name', 'label', { why }),
        change.mapValues('buyers', 'status', { new: 'fresh' }, { why }),
        change.removeField('buyers', 'fax', { was: z.string().optional(), why }),
        change.changeType('buyers', 'price', { was: z.string(), codec: 'cents-as-decimal-string', why }),
        change.custom('buyers', {
          replaces: ['whole'],
          fields: { first: z.string().optional(), last: z.string().optional() },
          up: ({ first, last }) => ({ whole: `${first} ${last}` }),
          down: ({ whole }) => {
            const [first = '', last = ''] = String(whole).split(' ')
            return { first, last }
          },
          samples: [{ newer: { whole: 'Ada Lovelace' }, older: { first: 'Ada', last: 'Lovelace' } }],
          why,
        }),
      ],
    }),
    v1,
  ],
})

describeStores('events that were written before a new head', (store) => {
  test('are told by every version in its own words, with the same data', async () => {
    const releases = await releasesOn(store, two)
    const made = await releases.serving.make('/v2/customers', {
      name: 'A',
      fax: '1',
      price: '12.50',
      first: 'Ada',
      last: 'Byron',
    })
    await releases.serving.make('/v2/visits', { note: 'hi', customer_id: made.id })
    const change = (body: object) => releases.serving.call('PATCH', `/v2/customers/${made.id}`, { body })
    await change({ last: 'Lovelace', status: 'old' })
    await change({ fax: '2' })
    const before = [await releases.serving.get('/v1/events'), await releases.serving.get('/v2/events')]
    expect(before.map(({ rows }) => rows.length)).toEqual([4, 4])
    await releases.next(three)
    const after = [await releases.serving.get('/v1/events'), await releases.serving.get('/v2/events')]
    expect(after.map(({ rows }) => rows)).toEqual(before.map(({ rows }) => rows))
    const newest = await releases.serving.get('/v3/events')
    expect(newest.rows.map(({ type, changed }) => [type, changed])).toEqual([
      ['buyers.created', null],
      ['visits.created', null],
      ['buyers.updated', ['status', 'whole']],
    ])
    expect(newest.rows.map(({ data }) => data)).toMatchObject([
      { label: 'A', status: 'fresh', price: 1250, whole: 'Ada Byron', country: 'FR' },
      { note: 'hi', buyer_id: made.id },
      { label: 'A', status: 'old', price: 1250, whole: 'Ada Lovelace', country: 'FR' },
    ])
    const one = await releases.serving.get('/v3/events?filter[type]=buyers.updated')
    expect(one.rows).toHaveLength(1)
    await releases.serving.call('PATCH', `/v3/buyers/${made.id}`, { body: { label: 'B' } })
    const since = await releases.serving.get(`/v1/events?cursor=${before[0]?.page.next_cursor}`)
    expect(since.rows.map(({ type, changed }) => [type, changed])).toEqual([['clients.updated', ['title']]])
  })
})
