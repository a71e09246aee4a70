import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { states, sum } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { describeServing } from '../support/serving.ts'

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
