import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { states, sum } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { decimal } from '../../src/index.ts'
import { storeForms } from '../support/databases.ts'
import { describeServing, serve } from '../support/serving.ts'
import { describeStores } from '../support/stores.ts'

const carts = resource('carts', {
  fields: { weight: sum('parcels', 'grams') },
  relations: { parcels: hasMany('parcels') },
  filter: ['weight'],
  sort: ['weight'],
})
const parcels = resource('parcels', {
  fields: { grams: z.int() },
  relations: { cart: belongsTo('carts', { optional: true }) },
})
const declaration = api('carts', { resources: [carts, parcels] })

describeServing(
  'a sum over a relation',
  (served) => {
    const cart = async () => (await served.make('/v1/carts', {})).id
    const parcel = (cart_id: string | null, grams: number) => served.make('/v1/parcels', { cart_id, grams })
    const weight = async (id: string) => (await served.get(`/v1/carts/${id}`)).data.weight

    test('is updated when rows are created, changed, moved and deleted', async () => {
      const [one, other] = [await cart(), await cart()]
      const row = await parcel(one, 5)
      await parcel(one, -2)
      expect([await weight(one), await weight(other)]).toEqual([3, 0])
      await served.call('PATCH', `/v1/parcels/${row.id}`, { body: { cart_id: other, grams: 7 } })
      expect([await weight(one), await weight(other)]).toEqual([-2, 7])
      await served.call('PATCH', `/v1/parcels/${row.id}`, { body: { cart_id: null } })
      expect(await weight(other)).toBe(0)
      await served.call('PUT', `/v1/parcels/${row.id}`, { body: { cart_id: one, grams: 1 } })
      await served.call('DELETE', `/v1/parcels/${row.id}`)
      expect(await weight(one)).toBe(-2)
    })

    test('is right when many rows are written at once', async () => {
      const [one, other] = [await cart(), await cart()]
      const rows = await Promise.all(Array.from({ length: 12 }, (_, at) => parcel(at % 2 ? one : other, 10)))
      expect([await weight(one), await weight(other)]).toEqual([60, 60])
      await Promise.all(
        rows.map((row, at) =>
          served.call('PATCH', `/v1/parcels/${row.id}`, {
            body: { cart_id: at % 2 ? other : one, grams: 1 },
          }),
        ),
      )
      expect([await weight(one), await weight(other)]).toEqual([6, 6])
      await Promise.all(rows.map((row) => served.call('DELETE', `/v1/parcels/${row.id}`)))
      expect([await weight(one), await weight(other)]).toEqual([0, 0])
    })

    test('can be filtered and sorted by, and changes the owner’s version only when it changes', async () => {
      const id = await cart()
      await parcel(id, 123_456)
      expect((await served.get('/v1/carts?filter[weight]=123456')).rows.map((row) => row.id)).toEqual([id])
      await parcel(id, 0)
      expect((await served.get(`/v1/carts/${id}`)).rowVersion).toBe(2)
    })
  },
  { declaration },
  storeForms,
)

const trips = resource('trips', {
  fields: { state: states('open', { open: ['closed'] }), load: sum('crates', 'grams') },
  relations: { crates: hasMany('crates') },
})
const crates = resource('crates', {
  fields: { grams: z.int() },
  relations: { trip: belongsTo('trips') },
  onlyWhile: { trip: { state: ['open'] } },
})

describeServing(
  'a row that moves between owners',
  (served) => {
    test('must be allowed to leave the one and to arrive at the other', async () => {
      const trip = async (closed: boolean) => {
        const { id } = await served.make('/v1/trips', {})
        const crate = await served.make('/v1/crates', { trip_id: id, grams: 5 })
        if (closed) await served.call('PATCH', `/v1/trips/${id}`, { body: { state: 'closed' } })
        return { id, crate: crate.id }
      }
      const [open, closed, other] = [await trip(false), await trip(true), await trip(false)]
      const move = (crate: string, trip_id: string) =>
        served.call('PATCH', `/v1/crates/${crate}`, { body: { trip_id } })
      expect((await move(open.crate, closed.id)).refusal).toEqual([409, 'state-conflict'])
      expect((await move(closed.crate, open.id)).refusal).toEqual([409, 'state-conflict'])
      expect((await move(open.crate, other.id)).status).toBe(200)
      expect((await served.get(`/v1/trips/${other.id}`)).data.load).toBe(10)
      expect((await served.get(`/v1/trips/${open.id}`)).data.load).toBe(0)
    })
  },
  { declaration: api('trips', { resources: [trips, crates] }) },
)

const nodes = resource('nodes', {
  fields: { weight: z.int(), total: sum('children', 'weight') },
  relations: { parent: belongsTo('nodes', { optional: true }), children: hasMany('nodes') },
})

describeServing(
  'a row that feeds a sum of its own resource',
  (served) => {
    test('is answered as it is stored, also where the sum is its own', async () => {
      const [one, other] = [
        await served.make('/v1/nodes', { weight: 5 }),
        await served.make('/v1/nodes', { weight: 3 }),
      ]
      const path = `/v1/nodes/${one.id}`
      const totals: unknown[] = []
      for (const body of [
        { parent_id: one.id },
        { weight: 7 },
        { parent_id: other.id },
        { parent_id: one.id, weight: 9 },
        { parent_id: null },
      ]) {
        const answer = await served.call('PATCH', path, { body })
        const stored = await served.get(path)
        expect([answer.text, answer.etag]).toEqual([stored.text, stored.etag])
        totals.push(answer.data.total)
      }
      expect(totals).toEqual([5, 7, 0, 9, 0])
      expect((await served.get(`/v1/nodes/${other.id}`)).data.total).toBe(0)
    })
  },
  { declaration: api('nodes', { resources: [nodes] }) },
)

const jars = resource('jars', {
  fields: { label: z.string().max(9).default(''), coins: sum('drops', 'coins') },
  relations: { drops: hasMany('drops') },
  hooks: {
    // A hook may hand on a whole row that it was given, with sums in it.
    beforeCreate: () => ({ coins: 50 }),
    beforeUpdate: (next) => ({ ...next, coins: 60 }),
  },
})
const drops = resource('drops', {
  fields: { coins: z.int() },
  relations: { jar: belongsTo('jars') },
  hooks: {
    async afterCreate(drop, { find, update }) {
      const jar = await find('jars', drop.jar_id)
      if (drop.coins === 1) await update('jars', drop.jar_id, { coins: 70 })
      if (drop.coins === 2) await update('jars', drop.jar_id, { label: `saw ${jar?.coins}`, coins: 80 })
    },
  },
})

describeServing(
  'a hook that writes into a sum',
  (served) => {
    test('leaves it as it is, and what else it writes is written', async () => {
      const jar = await served.make('/v1/jars', {})
      const path = `/v1/jars/${jar.id}`
      expect(jar.coins).toBe(0)
      expect((await served.call('PATCH', path, { body: { label: 'a' } })).data).toMatchObject({ coins: 0 })
      await served.make('/v1/drops', { jar_id: jar.id, coins: 1 })
      expect(await served.get(path)).toMatchObject({ data: { coins: 1, label: 'a' }, rowVersion: 3 })
      await served.make('/v1/drops', { jar_id: jar.id, coins: 2 })
      expect((await served.get(path)).data).toMatchObject({ coins: 3, label: 'saw 3' })
    })
  },
  { declaration: api('jars', { resources: [jars, drops] }) },
)

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

describeServing(
  'a sum of seeded rows',
  (served) => {
    test('is what they give, whatever the seed says, and goes on from there', async () => {
      const weights = async () => [
        (await served.get(`/v1/carts/${uuid(1)}`)).data.weight,
        (await served.get(`/v1/carts/${uuid(2)}`)).data.weight,
      ]
      expect(await weights()).toEqual([12, 0])
      await served.make('/v1/parcels', { cart_id: uuid(1), grams: 3 })
      await served.make('/v1/parcels', { cart_id: uuid(2), grams: 4 })
      expect(await weights()).toEqual([15, 4])
    })
  },
  {
    declaration: api('carts', {
      resources: [carts, parcels],
      seed: {
        accounts: ['acme', 'other'],
        account: (account) => [
          { resource: 'carts', values: { id: uuid(1) } },
          { resource: 'carts', values: { id: uuid(2), weight: 1_000 } },
          { resource: 'parcels', values: { id: uuid(3), cart_id: uuid(1), grams: 5 } },
          {
            resource: 'parcels',
            values: { id: uuid(4), cart_id: uuid(1), grams: account === 'acme' ? 7 : 8 },
          },
          { resource: 'parcels', values: { id: uuid(5), grams: 9 } },
        ],
      },
    }),
  },
)

const entries = resource('entries', {
  nameIsPluralBecause: 'the plural of entry',
  fields: { price: decimal({ scale: 2 }), pieces: z.int() },
  relations: { book: belongsTo('books', { optional: true }) },
})
const relations = { entries: hasMany('entries') }
const unsummed = api('books', { resources: [resource('books', { fields: {}, relations }), entries] })
const summed = api('books', {
  resources: [
    resource('books', { fields: { balance: sum<string>('entries', ['pieces', 'price']) }, relations }),
    entries,
  ],
})

describeStores('a sum whose parts are larger than itself', (store) => {
  test('is computed, kept and corrected: only what it comes to has a bound', async () => {
    const url = await store.url()
    const before = await serve(store.kind, url, { declaration: unsummed })
    const { id } = await before.make('/v1/books', {})
    const most = '999999999999.00'
    for (const price of [most, `-${most}`])
      for (let n = 0; n < 10; n++) await before.make('/v1/entries', { book_id: id, price, pieces: 1 })
    await before.api.close()
    const served = await serve(store.kind, url, { declaration: summed })
    const balance = async () => (await served.get(`/v1/books/${id}`)).data.balance
    expect(await balance()).toBe('0.00')
    const small = { book_id: id, price: '0.07', pieces: 3 }
    await served.make('/v1/entries', small)
    expect(await balance()).toBe('0.21')
    const rest = { book_id: id, price: '999999999999.78', pieces: 1 }
    await served.make('/v1/entries', rest)
    expect(await balance()).toBe('999999999999.99')
    for (const price of ['0.01', most]) {
      const refused = await served.call('POST', '/v1/entries', { body: { ...small, price } })
      expect([...refused.refusal, ...refused.faults]).toEqual([422, 'validation-failed', '#'])
    }
    expect(await balance()).toBe('999999999999.99')
  })

  test('a product that no database can compute is 422 where it is added up, and only there', async () => {
    const served = await serve(store.kind, await store.url(), { declaration: summed })
    const { id } = await served.make('/v1/books', {})
    const body = { price: '-9999999.00', pieces: Number.MAX_SAFE_INTEGER }
    const entry = await served.make('/v1/entries', { ...body, book_id: null })
    for (const refused of [
      await served.call('POST', '/v1/entries', { body: { ...body, book_id: id } }),
      await served.call('PATCH', `/v1/entries/${entry.id}`, { body: { book_id: id } }),
    ])
      expect(refused.refusal).toEqual([422, 'validation-failed'])
    expect((await served.get(`/v1/books/${id}`)).data.balance).toBe('0.00')
  })
})
