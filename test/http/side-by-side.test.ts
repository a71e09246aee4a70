import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { type ApiDeclaration, api } from '../../src/declare/api.ts'
import * as change from '../../src/declare/change.ts'
import { states, writeOnly } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { recordRefusedCascades } from '../../src/lifecycle/record-refused-cascades.ts'
import type { StoreKind } from '../support/databases.ts'
import { type Serving, serve } from '../support/serving.ts'
import { describeStores } from '../support/stores.ts'

const why = 'For the test.'
const events = { keepDays: 30 }
const text = z.string().max(50)

const older = api('desk', {
  events,
  resources: [
    resource('clients', {
      fields: { full_name: text, grade: z.enum(['low', 'high', 'top']).default('low') },
      relations: { orders: hasMany('orders') },
      filter: ['full_name', 'grade'],
      sort: ['full_name', 'grade'],
      include: ['orders'],
      unique: [['full_name']],
    }),
    resource('orders', {
      fields: {
        status: states('open', { open: ['paid', 'cancelled'] }),
        size: z.int().default(1),
      },
      relations: { client: belongsTo('clients') },
      filter: ['status', 'client_id'],
      sort: ['status'],
      include: ['client'],
    }),
  ],
  versions: [version('v1')],
})

const newer = api('desk', {
  events,
  resources: [
    resource('customers', {
      fields: { name: text, grade: z.enum(['basic', 'high', 'best']).default('basic') },
      relations: { purchases: hasMany('orders') },
      filter: ['name', 'grade'],
      sort: ['name', 'grade'],
      include: ['purchases'],
      unique: [['name']],
    }),
    resource('orders', {
      fields: {
        status: states('placed', { placed: ['paid', 'cancelled'], paid: ['refunded'] }),
        size: z.int().default(1),
      },
      relations: { buyer: belongsTo('customers') },
      filter: ['status', 'buyer_id'],
      sort: ['status'],
      include: ['buyer'],
    }),
  ],
  versions: [
    version('v2'),
    version('v1', {
      changes: [
        change.renameResource('clients', 'customers', { why }),
        change.renameField('customers', 'full_name', 'name', { why }),
        change.renameRelation('customers', 'orders', 'purchases', { why }),
        change.renameRelation('orders', 'client', 'buyer', { why }),
        change.mapValues('customers', 'grade', { low: 'basic', top: 'best' }, { why }),
        change.mapValues(
          'orders',
          'status',
          { open: 'placed' },
          { onlyInNewer: { refunded: 'cancelled' }, why },
        ),
      ],
    }),
  ],
})

/** Both declarations on one store, the older one first. */
async function both(kind: StoreKind, url: string): Promise<{ readonly old: Serving; readonly now: Serving }> {
  const old = await serve(kind, url, { declaration: older })
  return { old, now: await serve(kind, url, { declaration: newer, contracts: contractsOf(older) }) }
}

function contractsOf(declaration: ApiDeclaration): ReadonlyMap<string, unknown> {
  const model = compileApi(declaration)
  return new Map(model.versions.map((one) => [one.name, contractOf(model, one)]))
}

const paths = [
  '/v1/clients',
  '/v1/clients?sort=-full_name',
  '/v1/clients?sort=grade',
  '/v1/clients?filter[grade]=low',
  '/v1/clients?filter[grade][ne]=low',
  '/v1/clients?include=orders',
  '/v1/orders?include=client',
  '/v1/orders?filter[status]=open',
  '/v1/orders?sort=status',
  '/v1/events',
]

describeStores('a declaration that renames, beside the one before it', (store) => {
  const answers = (serving: Serving, all: readonly string[]) =>
    Promise.all(
      all.map(async (path) => {
        const { status, etag, text: body } = await serving.get(path)
        // A position among events is hidden anew each time.
        return { path, status, etag, body: path.startsWith('/v1/events') ? JSON.parse(body).data : body }
      }),
    )
  const expectSame = async ({ old, now }: { old: Serving; now: Serving }, more: readonly string[] = []) => {
    const all = [...paths, ...more]
    expect(await answers(now, all)).toEqual(await answers(old, all))
  }

  test('answers the same bytes in the older version, whoever wrote and whoever is asked', async () => {
    const two = await both(store.kind, await store.url())
    const { old, now } = two
    const ada = await old.make('/v1/clients', { full_name: 'Ada', grade: 'top' })
    const bob = await now.make('/v2/customers', { name: 'Bob' })
    const first = await old.make('/v1/orders', { client_id: bob.id })
    const second = await now.make('/v2/orders', { buyer_id: ada.id, status: 'placed' })
    await old.call('PATCH', `/v1/orders/${first.id}`, { body: { status: 'paid' } })
    await now.call('PATCH', `/v2/orders/${second.id}`, { body: { status: 'cancelled' } })
    await old.call('PATCH', `/v1/clients/${bob.id}`, { body: { grade: 'top' } })
    await expectSame(two, [
      `/v1/clients/${ada.id}?include=orders`,
      `/v1/clients/${bob.id}/orders`,
      `/v1/orders?filter[client_id]=${ada.id}`,
      '/v1/events?filter[type]=clients.updated',
    ])
    expect((await now.get('/v2/customers?sort=name')).rows).toMatchObject([
      { name: 'Ada', grade: 'best' },
      { name: 'Bob', grade: 'best' },
    ])
    expect((await now.get('/v2/customers?filter[grade]=best')).rows).toHaveLength(2)
    const told = (await now.get('/v2/events')).rows.map(({ type, data }) => [type, data])
    expect(told.slice(0, 2)).toMatchObject([
      ['customers.created', { name: 'Ada', grade: 'best' }],
      ['customers.created', { name: 'Bob', grade: 'basic' }],
    ])
  })

  test('understands cursors, keys and entity tags of the other', async () => {
    const { old, now } = await both(store.kind, await store.url())
    for (const full_name of ['a', 'b', 'c', 'd']) await old.make('/v1/clients', { full_name })
    const first = await old.get('/v1/clients?limit=2&sort=grade,full_name')
    const rest = await now.get(`/v1/clients?limit=2&sort=grade,full_name&cursor=${first.page.next_cursor}`)
    expect([...first.rows, ...rest.rows].map((row) => row.full_name)).toEqual(['a', 'b', 'c', 'd'])
    const headers = { 'Idempotency-Key': 'once' }
    const made = await now.call('POST', '/v1/clients', { body: { full_name: 'e' }, headers })
    const again = await old.call('POST', '/v1/clients', { body: { full_name: 'e' }, headers })
    expect([again.status, again.text, again.headers.get('Idempotent-Replayed')]).toEqual([
      201,
      made.text,
      'true',
    ])
    const tag = { 'If-Match': made.etag }
    const path = `/v1/clients/${made.data.id}`
    expect((await old.call('PATCH', path, { body: { grade: 'high' }, headers: tag })).status).toBe(200)
    expect((await now.call('PATCH', path, { body: { grade: 'low' }, headers: tag })).status).toBe(412)
    const taken = await old.call('POST', '/v1/clients', { body: { full_name: 'a' } })
    const takenNow = await now.call('POST', '/v1/clients', { body: { full_name: 'a' } })
    expect(takenNow.problem).toEqual({ ...taken.problem, instance: takenNow.problem.instance })
  })

  test('shows what only the newer one has as its version says, also from a process that served before', async () => {
    const two = await both(store.kind, await store.url())
    const { old, now } = two
    const ada = await old.make('/v1/clients', { full_name: 'Ada' })
    const order = await old.make('/v1/orders', { client_id: ada.id })
    // A process looks for such values every two seconds.
    await old.api.service.lifecycle.beat()
    for (const status of ['paid', 'refunded'])
      await now.call('PATCH', `/v2/orders/${order.id}`, { body: { status } })
    expect((await now.get(`/v2/orders/${order.id}`)).data.status).toBe('refunded')
    expect((await old.get(`/v1/orders/${order.id}`)).data.status).toBe('cancelled')
    expect((await old.get('/v1/orders?filter[status]=cancelled')).rows).toHaveLength(1)
    await expectSame(two, [`/v1/orders/${order.id}`])
    // A write of the older one that leaves the value as it is shown leaves it as it is.
    const put = { client_id: ada.id, status: 'cancelled', size: 2 }
    expect((await old.call('PUT', `/v1/orders/${order.id}`, { body: put })).status).toBe(200)
    expect((await now.get(`/v2/orders/${order.id}`)).data).toMatchObject({ status: 'refunded', size: 2 })
  })

  test('takes nothing from events when the older version is taken out', async () => {
    const url = await store.url()
    const { old, now } = await both(store.kind, url)
    await old.make('/v1/clients', { full_name: 'Ada', grade: 'top' })
    await old.api.close()
    await now.api.close()
    const declaration = api('desk', { ...newer, versions: [version('v2')] })
    const alone = await serve(store.kind, url, { declaration })
    expect((await alone.get('/v2/events')).rows.map(({ type, data }) => [type, data])).toMatchObject([
      ['customers.created', { name: 'Ada', grade: 'best' }],
    ])
    expect((await alone.get('/v2/customers')).rows).toMatchObject([{ name: 'Ada', grade: 'best' }])
  })

  test('changes nothing but the record of names, and the older one starts again on it', async () => {
    const url = await store.url()
    const { old, now } = await both(store.kind, url)
    const ada = await now.make('/v2/customers', { name: 'Ada' })
    await old.api.close()
    await now.api.close()
    const opened = await store.open(url)
    expect(await opened.all('SELECT "full_name", "grade" FROM "clients"', [])).toEqual([['Ada', 'low']])
    const again = await serve(store.kind, url, { declaration: older })
    expect((await again.get(`/v1/clients/${ada.id}`)).data).toMatchObject({ full_name: 'Ada', grade: 'low' })
  })
})

describeStores('a declaration that asks for less, beside the one before it', (store) => {
  test('takes NOT NULL off while the older one serves: both create rows, and the older version shows what its newer one says', async () => {
    const fields = { name: text, fax: text, level: text.default('x'), pin: writeOnly(text) }
    const before = api('desk', {
      resources: [resource('clients', { fields })],
      versions: [version('v1')],
    })
    const after = api('desk', {
      resources: [resource('clients', { fields: { name: text, pin: writeOnly(text.optional()) } })],
      versions: [
        version('v2'),
        version('v1', {
          changes: [
            change.removeField('clients', 'fax', { was: text, whenAbsent: 'none', why }),
            change.removeField('clients', 'level', { was: text.default('x'), why }),
          ],
        }),
      ],
    })
    const url = await store.url()
    const old = await serve(store.kind, url, { declaration: before })
    const one = await old.make('/v1/clients', { name: 'a', fax: '1', level: 'y', pin: '2' })
    const now = await serve(store.kind, url, { declaration: after, contracts: contractsOf(before) })
    const two = await now.make('/v2/clients', { name: 'b' })
    const three = await old.make('/v1/clients', { name: 'c', fax: '3', pin: '4' })
    const shown = [
      { id: one.id, name: 'a', fax: '1', level: 'y' },
      { id: two.id, name: 'b', fax: 'none', level: 'x' },
      { id: three.id, name: 'c', fax: '3', level: 'x' },
    ]
    expect((await now.get('/v1/clients')).rows).toMatchObject(shown)
    expect((await old.get('/v1/clients')).text).toBe((await now.get('/v1/clients')).text)
    // The older declaration can be deployed again.
    await old.api.close()
    const again = await serve(store.kind, url, { declaration: before })
    expect((await again.get('/v1/clients')).rows).toMatchObject(shown)
    await again.make('/v1/clients', { name: 'd', fax: '5', pin: '6' })
    expect((await now.get('/v2/clients')).rows).toHaveLength(4)
  })
})

describeStores('a declaration with a new cascade, beside the one before it', (store) => {
  const orders = resource('orders', { fields: { name: text } })
  const before = api('desk', { events, resources: [orders], versions: [version('v1')] })
  const notes = resource('notes', {
    fields: { text },
    relations: { order: belongsTo('orders', { onTargetDelete: 'cascade' }) },
  })
  const after = api('desk', { events, resources: [orders, notes], versions: [version('v2'), version('v1')] })
  const contracts = contractsOf(before)
  const next = async ({ api: { service } }: Serving) => {
    await recordRefusedCascades(service.store)
    await service.lifecycle.beat()
  }
  const typesOf = async (serving: Serving) => (await serving.get('/v1/events')).rows.map(({ type }) => type)

  test('refuses it in the same words from both until no process of the older one serves, and tells every row that goes', async () => {
    const url = await store.url()
    const old = await serve(store.kind, url, { declaration: before })
    const [one, two] = [
      await old.make('/v1/orders', { name: 'a' }),
      await old.make('/v1/orders', { name: 'b' }),
    ]
    const now = await serve(store.kind, url, { declaration: after, contracts })
    for (const { id } of [one, two]) await now.make('/v2/notes', { text: 'n', order_id: id })
    await next(now)
    const path = `/v1/orders/${one.id}`
    const [refused, alike] = [await old.call('DELETE', path), await now.call('DELETE', path)]
    expect(refused.refusal).toEqual([409, 'still-referenced'])
    expect({ ...alike.problem, instance: '' }).toEqual({ ...refused.problem, instance: '' })
    expect(refused.problem.referenced_by).toEqual([])
    // Who knows the reference is told of it.
    expect((await now.call('DELETE', `/v2/orders/${one.id}`)).problem.referenced_by).toEqual(['notes'])
    expect((await now.get('/v2/notes')).rows).toHaveLength(2)
    expect(await typesOf(old)).toEqual(['orders.created', 'orders.created'])
    await old.api.close()
    await next(now)
    expect((await now.call('DELETE', path)).status).toBe(204)
    expect((await now.get('/v2/notes')).rows).toHaveLength(1)
    const told = (await now.get('/v2/events')).rows.map(({ type }) => type)
    expect(told.slice(-2).toSorted()).toEqual(['notes.deleted', 'orders.deleted'])
    // The older declaration is deployed again: those of the newer one learn it before it serves.
    const again = await serve(store.kind, url, { declaration: before })
    await now.api.service.lifecycle.beat()
    for (const serving of [again, now])
      expect((await serving.call('DELETE', `/v1/orders/${two.id}`)).refusal).toEqual([
        409,
        'still-referenced',
      ])
    await again.api.close()
    await now.api.close()
    // A process that is alone from its start cascades at once.
    const later = await serve(store.kind, url, { declaration: after, contracts })
    expect((await later.call('DELETE', `/v1/orders/${two.id}`)).status).toBe(204)
    expect((await later.get('/v2/notes')).rows).toEqual([])
  })
})
