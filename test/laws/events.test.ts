import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  api,
  belongsTo,
  hasMany,
  mapValues,
  removeField,
  renameField,
  renameResource,
  resource,
  sum,
  version,
} from '../../src/index.ts'
import { type Row, type Serving, serve } from '../support/serving.ts'
import { describeStores } from '../support/stores.ts'

const carts = resource('carts', {
  fields: {
    label: z.string().max(3),
    state: z.enum(['open', 'closed', 'gone']).default('open'),
    weight: sum('parcels', 'grams'),
  },
  relations: { parcels: hasMany('parcels') },
  hooks: {
    // Two changes of one row, a row that comes and goes, and a change that is taken back: the net change is told.
    async afterUpdate(cart, before, { update, create, remove }) {
      if (cart.label !== 'hop') return
      await update('carts', cart.id, { label: 'hip' })
      const { id } = await create(marks, { text: 'passing' })
      await remove(marks, id)
      if (before.label === 'hip') await update('carts', cart.id, { state: before.state })
    },
  },
})
const parcels = resource('parcels', {
  fields: { grams: z.int().max(100), note: z.string().optional() },
  relations: { cart: belongsTo('carts', { onTargetDelete: 'cascade' }) },
  hooks: {
    async afterCreate(parcel, { create }) {
      if (parcel.grams > 90) await create(marks, { text: 'heavy' })
    },
  },
})
const marks = resource('marks', { fields: { text: z.string() } })

const declaration = api('depot', {
  events: { keepDays: 30 },
  resources: [carts, parcels, marks],
  versions: [
    version('v2', { published: '2026-01-01' }),
    version('v1', {
      published: '2025-01-01',
      changes: [
        renameResource('trolleys', 'carts'),
        renameField('carts', 'name', 'label'),
        mapValues('carts', 'state', { busy: 'open' }, { onlyInNewer: { gone: 'closed' }, why: 'Merged.' }),
        removeField('parcels', 'colour', { was: z.string().optional(), why: 'Nobody used it.' }),
      ],
    }),
  ],
})

const collections: { readonly [version: string]: readonly string[] } = {
  v1: ['trolleys', 'parcels', 'marks'],
  v2: ['carts', 'parcels', 'marks'],
}

type Rows = ReadonlyMap<string, { readonly resource: string; readonly row: Row }>

async function rowsOf(served: Serving, as: string, v: string): Promise<Rows> {
  const all = new Map<string, { resource: string; row: Row }>()
  for (const name of collections[v] ?? []) {
    const { rows } = await served.get(`/${v}/${name}?limit=100`, { as })
    for (const row of rows) all.set(row.id, { resource: name, row })
  }
  return all
}

interface Told {
  readonly type: string
  readonly changed: readonly string[] | null
  readonly data: Row
}

/** The naive model: what differs between all rows before a request and all rows after it. */
function difference(before: Rows, after: Rows): ReadonlyMap<string, Told> {
  const told = new Map<string, Told>()
  for (const [id, { resource: name, row }] of after) {
    const was = before.get(id)?.row
    const changed = Object.keys(row).filter(
      (field) => field !== 'updated_at' && JSON.stringify(was?.[field]) !== JSON.stringify(row[field]),
    )
    if (!was) told.set(id, { type: `${name}.created`, changed: null, data: row })
    else if (changed.length > 0) told.set(id, { type: `${name}.updated`, changed, data: row })
  }
  for (const [id, { resource: name, row }] of before)
    if (!after.has(id)) told.set(id, { type: `${name}.deleted`, changed: null, data: row })
  return told
}

const which = fc.nat({ max: 5 })
const label = fc.constantFrom('a', 'hop', 'hip', 'too long')
const request = fc.oneof(
  fc.record({ do: fc.constant('cart' as const), label }),
  fc.record({ do: fc.constant('parcel' as const), which, grams: fc.integer({ min: 80, max: 104 }) }),
  fc.record({
    do: fc.constant('change' as const),
    which,
    body: fc.oneof(
      fc.record({ label }),
      fc.record({ state: fc.constantFrom('open', 'closed', 'gone') }),
      fc.record({ name: label, state: fc.constantFrom('busy', 'closed') }),
    ),
  }),
  fc.record({ do: fc.constant('move' as const), which, to: which }),
  fc.record({ do: fc.constant('colour' as const), which, colour: fc.constantFrom('red', 'blue') }),
  fc.record({ do: fc.constant('delete' as const), of: fc.constantFrom('carts', 'parcels'), which }),
)
type Request = typeof request extends fc.Arbitrary<infer R> ? R : never

async function perform(served: Serving, as: string, asked: Request): Promise<void> {
  const idOf = async (name: string, at: number): Promise<string> => {
    const { rows } = await served.get(`/v2/${name}`, { as })
    return rows[at % Math.max(1, rows.length)]?.id ?? crypto.randomUUID()
  }
  switch (asked.do) {
    case 'cart':
      await served.call('POST', '/v2/carts', { as, body: { label: asked.label } })
      return
    case 'parcel': {
      const body = { grams: asked.grams, cart_id: await idOf('carts', asked.which) }
      const headers = { 'Idempotency-Key': `k${asked.which}` }
      await served.call('POST', '/v2/parcels', { as, body, headers: asked.grams % 2 ? headers : {} })
      return
    }
    case 'change': {
      const path = 'name' in asked.body ? '/v1/trolleys' : '/v2/carts'
      await served.call('PATCH', `${path}/${await idOf('carts', asked.which)}`, { as, body: asked.body })
      return
    }
    case 'move': {
      const body = { cart_id: await idOf('carts', asked.to) }
      await served.call('PATCH', `/v2/parcels/${await idOf('parcels', asked.which)}`, { as, body })
      return
    }
    case 'colour': {
      const { colour } = asked
      await served.call('PATCH', `/v1/parcels/${await idOf('parcels', asked.which)}`, {
        as,
        body: { colour },
      })
      return
    }
    case 'delete':
      await served.call('DELETE', `/v2/${asked.of}/${await idOf(asked.of, asked.which)}`, { as })
  }
}

const long = process.env.NOUNKIT_NIGHTLY === '1'

describeStores('events', (store) => {
  test(
    'are exactly what differs between the rows before and after each request, in every version',
    async () => {
      const served = await serve(store.kind, await store.url(), { declaration })
      let accounts = 0
      const onceAll = async (requests: readonly Request[]) => {
        const as = await served.key(`law-${++accounts}`)
        const versions = Object.keys(collections)
        const cursors = new Map<string, string | null>()
        for (const asked of requests) {
          const before = new Map(
            await Promise.all(versions.map(async (v) => [v, await rowsOf(served, as, v)] as const)),
          )
          await perform(served, as, asked)
          for (const v of versions) {
            const cursor = cursors.get(v)
            const answer = await served.get(`/${v}/events?limit=100${cursor ? `&cursor=${cursor}` : ''}`, {
              as,
            })
            cursors.set(v, answer.page.next_cursor)
            const expected = difference(before.get(v) ?? new Map(), await rowsOf(served, as, v))
            const told = answer.rows.map(({ type, resource_id, changed, data }) => [
              resource_id,
              { type, changed, data },
            ])
            expect(new Map(told as [string, Told][]), JSON.stringify(asked)).toEqual(expected)
            expect(told).toHaveLength(expected.size)
          }
        }
      }
      await fc.assert(
        fc.asyncProperty(fc.array(request, { minLength: 4, maxLength: 25, size: 'max' }), onceAll),
        { numRuns: long ? 400 : 8 },
      )
    },
    long ? 3_600_000 : 120_000,
  )
})
