import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { type ApiDeclaration, api, belongsTo, hasMany, resource, sum, version } from '../../src/index.ts'
import { completeSums } from '../../src/lifecycle/complete-sums.ts'
import { type Serving, serve } from '../support/serving.ts'
import { describeStores, type StoreUnderTest } from '../support/stores.ts'

const text = z.string().max(40)
const v1 = version('v1')

/** Both declarations on one store, the older one first. */
async function both({ kind, url }: StoreUnderTest, older: ApiDeclaration, newer: ApiDeclaration) {
  const at = await url()
  const model = compileApi(older)
  const contracts = new Map<string, unknown>([['v1', contractOf(model, model.head)]])
  const old = await serve(kind, at, { declaration: older, contracts })
  return { old, serveNewer: () => serve(kind, at, { declaration: newer, contracts }) }
}

describeStores('what a newer declaration adds, beside processes of the older one', (store) => {
  test('is used at once: resources, relations, fields, filters, sorts, indexes and unique sets, with rows of either', async () => {
    const older = api('desk', {
      resources: [resource('orders', { fields: { name: text, size: z.int().optional() } })],
      versions: [v1],
    })
    const newer = api('desk', {
      resources: [
        resource('buyers', { fields: { name: text }, relations: { orders: hasMany('orders') } }),
        resource('orders', {
          fields: { name: text, size: z.int().optional(), mark: text.default('none') },
          relations: { buyer: belongsTo('buyers', { optional: true }) },
          filter: ['name', 'buyer_id', 'mark'],
          sort: ['size'],
          include: ['buyer'],
          unique: [['name']],
        }),
      ],
      versions: [version('v2'), v1],
    })
    const { old, serveNewer } = await both(store, older, newer)
    await old.make('/v1/orders', { name: 'a', size: 2 })
    const now = await serveNewer()
    const buyer = await now.make('/v2/buyers', { name: 'Ada' })
    const { id } = await now.make('/v2/orders', { name: 'b', size: 1, buyer_id: buyer.id, mark: 'm' })
    await old.make('/v1/orders', { name: 'c', size: 3 })
    const found = await now.get('/v2/orders?sort=size&include=buyer&filter[mark]=none')
    expect(found.rows.map(({ name, buyer }) => [name, buyer])).toEqual([
      ['a', null],
      ['c', null],
    ])
    // Neither loses what the other has written.
    expect((await old.call('PUT', `/v1/orders/${id}`, { body: { name: 'd', size: 4 } })).status).toBe(200)
    expect((await now.get(`/v2/orders/${id}`)).data).toMatchObject({
      name: 'd',
      mark: 'm',
      buyer_id: buyer.id,
    })
    for (const path of ['/v1/orders', `/v1/orders/${id}`])
      expect((await old.get(path)).text).toBe((await now.get(path)).text)
    // A set that is unique since holds for both: the database keeps it.
    const taken = await Promise.all(
      [old, now].map((serving) => serving.call('POST', '/v1/orders', { body: { name: 'a' } })),
    )
    expect(taken.map(({ status }) => status)).toEqual([409, 409])
  })

  test('a value without an image for older versions is shown by the older process as it is', async () => {
    const levels = (...more: string[]) =>
      resource('orders', { fields: { level: z.enum(['low', 'high', ...more]) }, filter: ['level'] })
    const { old, serveNewer } = await both(
      store,
      api('desk', { resources: [levels()], versions: [v1] }),
      api('desk', { resources: [levels('top')], versions: [version('v2'), v1] }),
    )
    const now = await serveNewer()
    const { id } = await now.make('/v2/orders', { level: 'top' })
    await old.make('/v1/orders', { level: 'low' })
    expect((await old.get(`/v1/orders/${id}`)).data).toMatchObject({ level: 'top' })
    expect((await old.get('/v1/orders')).rows).toHaveLength(2)
    expect((await old.call('DELETE', `/v1/orders/${id}`)).status).toBe(204)
  })

  test('events and an audit are those of newer processes', async () => {
    const orders = resource('orders', { fields: { name: text } })
    const { old, serveNewer } = await both(
      store,
      api('desk', { resources: [orders], versions: [v1] }),
      api('desk', {
        resources: [orders],
        events: { keepDays: 9 },
        audit: true,
        versions: [version('v2'), v1],
      }),
    )
    const now = await serveNewer()
    const unseen = await old.make('/v1/orders', { name: 'a' })
    await now.make('/v1/orders', { name: 'b' })
    await now.call('PATCH', `/v1/orders/${unseen.id}`, { body: { name: 'c' } })
    expect((await now.get('/v2/events')).rows.map(({ type }) => type)).toEqual([
      'orders.created',
      'orders.updated',
    ])
    const entries = (await now.get('/v2/audit-entries')).rows
    expect(entries.filter(({ resource }) => resource === 'orders')).toHaveLength(2)
    expect((await old.get('/v1/events')).status).toBe(404)
  })

  test('rules and limits are those of each process', async () => {
    const declared = (rules: object, versions: readonly ReturnType<typeof version>[]) =>
      api('desk', {
        resources: [resource('orders', { fields: { name: text }, ...rules } as never)],
        versions,
      } as never)
    const strict = {
      rules: {
        read: ({ row }: { row: { name: { in(values: readonly string[]): unknown } } }) =>
          row.name.in(['a', 'b']),
      },
      limits: { pageMax: 1 },
    }
    const { old, serveNewer } = await both(store, declared({}, [v1]), declared(strict, [v1]))
    await old.make('/v1/orders', { name: 'secret' })
    for (const name of ['a', 'b']) await old.make('/v1/orders', { name })
    const now = await serveNewer()
    const names = async (serving: Serving) => (await serving.get('/v1/orders')).rows.map(({ name }) => name)
    expect(await names(old)).toEqual(['secret', 'a', 'b'])
    expect(await names(now)).toEqual(['a'])
  })
})

describeStores('a sum that adds up something else than before', (store) => {
  test('is right in newer processes while older ones keep theirs, and for all once these have ended', async () => {
    const declared = (of: string, versions: readonly ReturnType<typeof version>[]) =>
      api('shop', {
        resources: [
          resource('carts', {
            fields: { total: sum('lines', of as never) },
            relations: { lines: hasMany('lines') },
          }),
          resource('lines', {
            fields: { price: z.int(), weight: z.int() },
            relations: { cart: belongsTo('carts') },
          }),
        ],
        versions,
      } as never)
    const { old, serveNewer } = await both(
      store,
      declared('price', [v1]),
      declared('weight', [version('v2'), v1]),
    )
    const cart = await old.make('/v1/carts', {})
    const line = { cart_id: cart.id, price: 5, weight: 700 }
    await old.make('/v1/lines', line)
    const now = await serveNewer()
    const total = async (serving: Serving) => (await serving.get(`/v1/carts/${cart.id}`)).data.total
    expect(await total(now)).toBe(700)
    await old.make('/v1/lines', line)
    await now.make('/v1/lines', line)
    expect(await total(now)).toBe(2100)
    await old.api.close()
    const { service } = now.api
    await completeSums(service.store, service.engine.writer, new AbortController().signal)
    await service.lifecycle.beat()
    expect(service.model.stored.get('carts')?.field.get('total')?.counted).toBe(null)
    expect(await total(now)).toBe(2100)
  })
})
