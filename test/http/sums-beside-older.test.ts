import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  type ApiDeclaration,
  api,
  belongsTo,
  decimal,
  hasMany,
  makeRequired,
  resource,
  sum,
  version,
} from '../../src/index.ts'
import { completeRequired } from '../../src/lifecycle/complete-required.ts'
import { completeSums } from '../../src/lifecycle/complete-sums.ts'
import { findWrongSums } from '../../src/migrate/sums/find-wrong-sums.ts'
import { openService } from '../../src/serve/service.ts'
import { metaFacts, selectMeta } from '../../src/store/meta.ts'
import { whenOver } from '../support/clean-up.ts'
import { type Serving, serve } from '../support/serving.ts'
import { describeStores } from '../support/stores.ts'

const price = decimal({ scale: 2 })
const events = { keepDays: 1 }
const olderLines = resource('lines', {
  fields: { price, pieces: z.int().optional() },
  relations: { cart: belongsTo('carts') },
  include: ['cart'],
})
const older = api('shop', {
  events,
  resources: [
    resource('carts', {
      fields: { note: z.string().max(20).optional() },
      relations: { lines: hasMany('lines') },
      include: ['lines'],
    }),
    olderLines,
  ],
  versions: [version('v1')],
})
const newer = api('shop', {
  events,
  resources: [
    resource('carts', {
      fields: { note: z.string().max(20).optional(), total: sum<string>('lines', ['pieces', 'price']) },
      relations: { lines: hasMany('lines') },
      include: ['lines'],
      filter: ['total'],
      sort: ['total'],
    }),
    resource('lines', {
      fields: { price, pieces: z.int() },
      relations: { cart: belongsTo('carts') },
      include: ['cart'],
    }),
  ],
  versions: [
    version('v2'),
    version('v1', { changes: [makeRequired('lines', 'pieces', { whenAbsent: 1, why: 'one at least' })] }),
  ],
})

const complete = async ({ api: { service } }: Serving): Promise<void> => {
  const { signal } = new AbortController()
  await completeRequired({ ...service, warn: () => {} }, signal)
  await service.lifecycle.beat()
  await completeSums(service.store, service.engine.writer, signal)
  await service.lifecycle.beat()
}
const isCounted = ({ api: { service } }: Serving) =>
  service.model.stored.get('carts')?.field.get('total')?.counted !== null

describeStores('a sum that older processes do not know', (store) => {
  test('is right whenever it is read, and kept once none of them serves', async () => {
    const url = await store.url()
    const old = await serve(store.kind, url, { declaration: older })
    const [one, two] = [await old.make('/v1/carts', {}), await old.make('/v1/carts', {})]
    const first = await old.make('/v1/lines', { cart_id: one.id, price: '2.50', pieces: 2 })
    const now = await serve(store.kind, url, { declaration: newer })
    const total = async (id: string) => (await now.get(`/v2/carts/${id}`)).data.total
    expect(await total(one.id)).toBe('5.00')
    // An older process adds, changes and deletes parts.
    const bare = await old.make('/v1/lines', { cart_id: one.id, price: '1.00' })
    const gone = await old.make('/v1/lines', { cart_id: two.id, price: '9.00', pieces: 1 })
    expect([await total(one.id), await total(two.id)]).toEqual(['6.00', '9.00'])
    await old.call('PATCH', `/v1/lines/${first.id}`, { body: { pieces: 4 } })
    await old.call('DELETE', `/v1/lines/${gone.id}`)
    const list = async (query: string) => (await now.get(`/v2/carts?${query}`)).rows.map((row) => row.total)
    expect(await list('sort=total')).toEqual(['0.00', '11.00'])
    expect(await list('sort=-total')).toEqual(['11.00', '0.00'])
    expect(await list('filter[total][gte]=11')).toEqual(['11.00'])
    expect((await now.get(`/v2/lines/${bare.id}?include=cart`)).data).toMatchObject({
      cart: { total: '11.00' },
    })
    // A newer process writes between those of the older one.
    const patched = await now.call('PATCH', `/v2/carts/${one.id}`, { body: { note: 'mine' } })
    expect(patched.data).toMatchObject({ note: 'mine', total: '11.00' })
    await now.make('/v2/lines', { cart_id: one.id, price: '0.25', pieces: 2 })
    expect(await total(one.id)).toBe('11.50')
    await old.make('/v1/lines', { cart_id: two.id, price: '3.00', pieces: 1 })
    await complete(now)
    expect(isCounted(now)).toBe(true)
    expect([await total(one.id), await total(two.id)]).toEqual(['11.50', '3.00'])
    const told = (await now.get('/v2/events?filter[type]=carts.updated&limit=100')).rows
    expect(told.map(({ data }) => (data as { total: string }).total).at(-1)).toBe('11.50')
    await old.api.close()
    await complete(now)
    expect(isCounted(now)).toBe(false)
    expect([await total(one.id), await total(two.id)]).toEqual(['11.50', '3.00'])
    expect(await findWrongSums(now.store, now.api.service.model)).toEqual([])
    await now.make('/v2/lines', { cart_id: two.id, price: '1.00', pieces: 1 })
    expect(await total(two.id)).toBe('4.00')
    // The older declaration is deployed again.
    const again = await serve(store.kind, url, { declaration: older })
    await now.api.service.lifecycle.beat()
    await again.make('/v1/lines', { cart_id: two.id, price: '1.00' })
    expect(await total(two.id)).toBe('5.00')
    await again.api.close()
    await complete(now)
    expect(isCounted(now)).toBe(false)
    expect(await total(two.id)).toBe('5.00')
  })

  test('makes no record of names where no version is published: names of that store follow the declaration', async () => {
    const databaseUrl = await store.url()
    const carts = resource('carts', {
      fields: { note: z.string().max(20).optional(), total: sum<string>('lines', 'price') },
      relations: { lines: hasMany('lines') },
    })
    const withSum = api('shop', { resources: [carts, olderLines] })
    const unpublished = async (declaration: ApiDeclaration) => {
      const service = await openService({ declaration, databaseUrl, published: [], beatMs: null })
      whenOver(() => service.close())
      return service
    }
    const { store: opened } = await unpublished(withSum)
    await unpublished(older)
    expect(await opened.all(selectMeta(metaFacts.names.key), [])).toEqual([])
  })
})
