import { Ajv2020 } from 'ajv/dist/2020.js'
import {
  api,
  belongsTo,
  hasMany,
  mapValues,
  renameField,
  renameResource,
  resource,
  sum,
  version,
} from 'nounkit'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeServing, type Row, type Serving } from '../support/serving.ts'

const carts = resource('carts', {
  fields: {
    label: z.string().max(40),
    state: z.enum(['open', 'closed', 'gone']).default('open'),
    note: z.string().optional(),
    weight: sum('parcels', 'grams'),
  },
  relations: { parcels: hasMany('parcels') },
})
const parcels = resource('parcels', {
  fields: { grams: z.int() },
  relations: { cart: belongsTo('carts', { onTargetDelete: 'cascade' }) },
  problems: { unlucky: { status: 409, title: 'An unlucky number' } },
  hooks: {
    async afterCreate(parcel, { create, reject }) {
      if (parcel.grams === 666) reject({ code: 'unlucky', detail: 'No.' })
      if (parcel.grams === 7) await create(labels, { text: 'seven' })
    },
  },
})
const labels = resource('labels', { fields: { text: z.string() } })
const secrets = resource('secrets', { fields: { word: z.string() }, events: false })
const words = resource('words', { fields: { text: z.string() }, shared: true })

const declaration = api('depot', {
  events: { keepDays: 30 },
  resources: [carts, parcels, labels, secrets, words],
  versions: [
    version('v2', { published: '2026-01-01' }),
    version('v1', {
      published: '2025-01-01',
      changes: [
        renameResource('trolleys', 'carts', { why: 'A shorter word.' }),
        renameField('carts', 'name', 'label'),
        mapValues(
          'carts',
          'state',
          { busy: 'open' },
          { onlyInNewer: { gone: 'closed' }, why: 'One word for both.' },
        ),
      ],
    }),
  ],
})

interface Event extends Row {
  readonly type: string
  readonly resource_id: string
  readonly changed: readonly string[] | null
  readonly created_at: string
  readonly data: Row
}

let accounts = 0
const newAccount = (): string => `events-${++accounts}`

const eventsOf = async (served: Serving, as: string, query = '', v = 'v2'): Promise<readonly Event[]> => {
  const answer = await served.get(`/${v}/events${query}`, { as })
  expect(answer.status, answer.text).toBe(200)
  return answer.rows as readonly Event[]
}
const typesOf = async (served: Serving, as: string, query = '', v = 'v2'): Promise<readonly string[]> =>
  (await eventsOf(served, as, query, v)).map(({ type }) => type)

describeServing(
  'events',
  (served) => {
    test('a create, a change and a delete are one event each, with the row in base form', async () => {
      const as = newAccount()
      const cart = await served.make('/v2/carts', { label: 'one' }, { as })
      const changed = await served.call('PATCH', `/v2/carts/${cart.id}`, { as, body: { label: 'two' } })
      await served.call('DELETE', `/v2/carts/${cart.id}`, { as })
      const events = await eventsOf(served, as)
      expect(events.map(({ type, changed: names }) => [type, names])).toEqual([
        ['carts.created', null],
        ['carts.updated', ['label']],
        ['carts.deleted', null],
      ])
      expect(events.map(({ data }) => data)).toEqual([cart, changed.data, changed.data])
      expect(events.map(({ resource_id }) => resource_id)).toEqual([cart.id, cart.id, cart.id])
      expect(Object.keys(events[0] ?? {})).toEqual([
        'id',
        'type',
        'resource_id',
        'changed',
        'created_at',
        'data',
      ])
      const ids = events.map(({ id }) => id)
      expect(ids).toEqual(ids.toSorted())
    })

    test('what was refused, replayed, undone or changed nothing is no event', async () => {
      const as = newAccount()
      const headers = { 'Idempotency-Key': 'once' }
      const cart = await served.make('/v2/carts', { label: 'one' }, { as, headers })
      await served.make('/v2/carts', { label: 'one' }, { as, headers })
      await served.call('PATCH', `/v2/carts/${cart.id}`, { as, body: { label: 'one' } })
      await served.call('PATCH', `/v2/carts/${cart.id}`, { as, body: { label: 5 } })
      await served.call('POST', '/v2/parcels', { as, body: { cart_id: cart.id, grams: 666 } })
      await served.call('DELETE', `/v2/carts/${crypto.randomUUID()}`, { as })
      expect(await typesOf(served, as)).toEqual(['carts.created'])
    })

    test('sums, hooks and cascades tell of every row they change, each once a transaction', async () => {
      const as = newAccount()
      const cart = await served.make('/v2/carts', { label: 'one' }, { as })
      await served.make('/v2/parcels', { cart_id: cart.id, grams: 7 }, { as })
      const first = await eventsOf(served, as)
      expect(first.map(({ type }) => type).sort()).toEqual([
        'carts.created',
        'carts.updated',
        'labels.created',
        'parcels.created',
      ])
      expect(first.find(({ type }) => type === 'carts.updated')).toMatchObject({
        changed: ['weight'],
        data: { weight: 7 },
      })
      await served.call('DELETE', `/v2/carts/${cart.id}`, { as })
      const then = (await typesOf(served, as)).slice(first.length)
      expect(then.toSorted()).toEqual(['carts.deleted', 'parcels.deleted'])
    })

    test('resources without events and shared ones tell nothing', async () => {
      const as = newAccount()
      const key = await served.api.key(as, { scopes: ['*', 'words:write'] })
      await served.make('/v2/secrets', { word: 'x' }, { as: key })
      await served.make('/v2/words', { text: 'x' }, { as: key })
      expect(await typesOf(served, as)).toEqual([])
    })

    test('an older version tells events in its own words, and hides changes that it does not show', async () => {
      const as = newAccount()
      const cart = await served.make('/v2/carts', { label: 'one' }, { as })
      const change = (body: object) => served.call('PATCH', `/v2/carts/${cart.id}`, { as, body })
      await change({ label: 'two', state: 'closed' })
      await change({ state: 'gone' })
      const events = await eventsOf(served, as, '', 'v1')
      expect(events.map(({ type, changed, data }) => [type, changed, data.name, data.state])).toEqual([
        ['trolleys.created', null, 'one', 'busy'],
        ['trolleys.updated', ['name', 'state'], 'two', 'closed'],
      ])
      const last = events.at(-1)
      expect(last?.data).toEqual({
        ...(await served.get(`/v1/trolleys/${cart.id}`, { as })).data,
        updated_at: last?.data.updated_at,
      })
      expect(await typesOf(served, as)).toHaveLength(3)
      const third = (await eventsOf(served, as)).at(-1)
      expect((await served.get(`/v1/events/${third?.id}`, { as })).refusal).toEqual([404, 'not-found'])
    })

    test('one event has the bytes that the list shows, and an entity tag', async () => {
      const as = newAccount()
      await served.make('/v2/carts', { label: 'ümlaut "quoted"' }, { as })
      const list = await served.get('/v2/events', { as })
      const id = list.rows[0]?.id
      const one = await served.get(`/v2/events/${id}`, { as })
      expect(list.text).toBe(
        `{"data":[${one.text.slice('{"data":'.length, -1)}],"page":${JSON.stringify(list.page)}}`,
      )
      expect(one.etag).not.toBe('')
      const again = await served.get(`/v2/events/${id}`, { as, headers: { 'If-None-Match': one.etag } })
      expect(again.status).toBe(304)
      expect((await served.get(`/v2/events/${id}`, { as: newAccount() })).status).toBe(404)
      for (const unknown of [crypto.randomUUID(), 'x', "'"])
        expect((await served.get(`/v2/events/${unknown}`, { as })).status).toBe(404)
      expect((await served.call('POST', '/v2/events', { as, body: {} })).status).toBe(405)
    })

    test('a cursor is never null, and shows exactly what happened since', async () => {
      const as = newAccount()
      const empty = await served.get('/v2/events', { as })
      expect(empty.page).toMatchObject({ has_more: false, next_cursor: expect.any(String) })
      const made: string[] = []
      for (const label of ['a', 'b', 'c', 'd', 'e'])
        made.push((await served.make('/v2/carts', { label }, { as })).id)
      const seen: string[] = []
      let cursor = empty.page.next_cursor
      for (let page = 0; page < 4; page++) {
        const answer = await served.get(`/v2/events?limit=2&cursor=${cursor}`, { as })
        seen.push(...answer.rows.map((row) => String(row.resource_id)))
        expect(answer.page.has_more).toBe(page < 2)
        expect(answer.headers.get('link')?.includes('rel="next"') ?? false).toBe(page < 2)
        cursor = answer.page.next_cursor
      }
      expect(seen).toEqual(made)
      const last = await served.make('/v2/carts', { label: 'f' }, { as })
      const then = await served.get(`/v2/events?cursor=${cursor}`, { as })
      expect(then.rows.map((row) => row.resource_id)).toEqual([last.id])
      expect((await served.get(`/v1/events?cursor=${cursor}`, { as })).refusal).toEqual([400, 'bad-cursor'])
    })

    test('the newest come first with sort=-id, and that list ends', async () => {
      const as = newAccount()
      for (const label of ['a', 'b', 'c']) await served.make('/v2/carts', { label }, { as })
      const first = await served.get('/v2/events?sort=-id&limit=2', { as })
      expect((first.rows as readonly Event[]).map(({ data }) => data.label)).toEqual(['c', 'b'])
      const rest = await served.get(`/v2/events?sort=-id&limit=2&cursor=${first.page.next_cursor}`, { as })
      expect((rest.rows as readonly Event[]).map(({ data }) => data.label)).toEqual(['a'])
      expect(rest.page.next_cursor).toBeNull()
    })

    test('filters by type, row and time', async () => {
      const as = newAccount()
      const one = await served.make('/v2/carts', { label: 'a' }, { as })
      const two = await served.make('/v2/labels', { text: 'b' }, { as })
      await served.call('PATCH', `/v2/carts/${one.id}`, { as, body: { label: 'c' } })
      const all = await typesOf(served, as)
      expect(all).toEqual(['carts.created', 'labels.created', 'carts.updated'])
      expect(await typesOf(served, as, '?filter[type]=carts.updated')).toEqual(['carts.updated'])
      expect(await typesOf(served, as, '?filter[type][in]=labels.created,carts.updated')).toEqual(
        all.slice(1),
      )
      expect(await typesOf(served, as, '?filter[type]=trolleys.updated', 'v1')).toEqual(['trolleys.updated'])
      expect(await typesOf(served, as, `?filter[resource_id]=${two.id}`)).toEqual(['labels.created'])
      expect(await typesOf(served, as, '?filter[created_at][gt]=2099-01-01T00:00:00Z')).toEqual([])
      expect(await typesOf(served, as, '?filter[created_at][lt]=2099-01-01T00:00:00Z')).toEqual(all)
      for (const bad of ['filter[type]=carts', 'filter[data]=1', 'sort=type', 'filter[type]=carts.created&'])
        expect((await served.get(`/v2/events?${bad}`, { as })).refusal, bad).toEqual([400, 'bad-query'])
      const cursor = (await served.get('/v2/events?filter[type]=labels.deleted', { as })).page.next_cursor
      const since = await served.get(`/v2/events?filter[type]=labels.deleted&cursor=${cursor}`, { as })
      expect([since.rows, since.page.has_more]).toEqual([[], false])
    })

    test('take no empty filter, and the document says so', async () => {
      const document = (await (await served.api.fetch('/v2/openapi.json')).json()) as {
        components: { parameters: Record<string, { name: string; schema: Record<string, unknown> }> }
      }
      const { parameters } = document.components
      const isValue = (schema: object = {}) => new Ajv2020({ strict: false }).compile(schema)
      const one = isValue(parameters['events.filter.resource_id']?.schema)
      const several = isValue(parameters['events.filter.resource_id.in']?.schema)
      const as = newAccount()
      for (const [query, isAllowed, isDocumented] of [
        ['filter[resource_id]=', false, one('')],
        ['filter[resource_id]=x', true, one('x')],
        ['filter[resource_id][in]=x,', false, several(['x', ''])],
        ['filter[resource_id][in]=x,y', true, several(['x', 'y'])],
      ] as const) {
        const { status } = await served.get(`/v2/events?${query}`, { as })
        expect([query, status, isDocumented]).toEqual([query, isAllowed ? 200 : 400, isAllowed])
      }
    })

    test('need the scope events:read, and show only rows that the caller may read', async () => {
      const as = newAccount()
      await served.make('/v2/carts', { label: 'a' }, { as })
      await served.make('/v2/labels', { text: 'b' }, { as })
      const without = await served.api.key(as, { scopes: ['carts:read'] })
      expect((await served.get('/v2/events', { as: without })).refusal).toEqual([403, 'scope-missing'])
      expect((await served.get('/v2/events', { as: null })).status).toBe(401)
      const key = await served.api.key(as, { scopes: ['events:read', 'carts:read'] })
      expect(await typesOf(served, key)).toEqual(['carts.created'])
      expect(await typesOf(served, key, '', 'v1')).toEqual(['trolleys.created'])
      const hidden = (await eventsOf(served, as)).at(-1)
      expect((await served.get(`/v2/events/${hidden?.id}`, { as: key })).status).toBe(404)
    })

    test('a create of which nothing follows takes one statement more on SQLite and Citus, and none on PostgreSQL', async () => {
      const as = await served.key(newAccount())
      const [told, untold] = [
        () => served.make('/v2/labels', { text: 'x' }, { as }),
        () => served.make('/v2/secrets', { word: 'x' }, { as }),
      ]
      const more = (await served.counted(told)) - (await served.counted(untold))
      expect(more).toBe(served.store.dialect.insertsAlong === 'in one query' ? 0 : 1)
    })
  },
  { declaration },
)
