import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { changeType, custom, mapValues } from '../../src/declare/change.ts'
import { immutable, readOnly, states } from '../../src/declare/field.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { describeServing, serve } from '../support/serving.ts'
import { moveOrder, newOrder } from '../support/shop-rows.ts'
import { describeStores } from '../support/stores.ts'

const why = 'For the test.'
const parcels = resource('parcels', {
  fields: {
    kind: z.enum(['box', 'bag', 'tube']),
    origin: immutable(z.enum(['near', 'far', 'away'])),
    grade: readOnly(z.enum(['gold', 'tin'])),
    side: z.enum(['left', 'right']),
    door: states('shut', { shut: ['open'], open: ['shut'] }),
    stage: states('new', { new: ['sent', 'lost'], sent: ['done', 'lost'] }),
    weight: immutable(z.int().min(1).max(500)),
    price: z.int().min(0).max(99_999),
    seen_at: z.iso.datetime({ offset: true }).optional(),
    fixed_at: immutable(z.iso.datetime({ offset: true })),
    length: z.int().min(0).max(100),
  },
  filter: ['kind', 'stage', 'side', 'seen_at', 'weight'],
  hooks: { beforeCreate: () => ({ grade: 'gold' }) },
})

const v1 = version('v1', {
  changes: [
    mapValues('parcels', 'kind', { carton: 'box' }, { onlyInNewer: { tube: 'bag' }, why }),
    mapValues('parcels', 'origin', { close: 'near' }, { onlyInNewer: { away: 'far' }, why }),
    mapValues('parcels', 'grade', { best: 'gold' }),
    mapValues('parcels', 'side', { west: 'left', east: 'right' }),
    mapValues('parcels', 'door', { ajar: 'open', closed: 'shut' }),
    mapValues('parcels', 'stage', { fresh: 'new' }, { onlyInNewer: { lost: 'done' }, why }),
    changeType('parcels', 'weight', { was: immutable(z.string().max(9)), codec: 'integer-as-string' }),
    changeType('parcels', 'price', { was: z.string().max(9), codec: 'cents-as-decimal-string' }),
    changeType('parcels', 'seen_at', { was: z.int().optional(), codec: 'datetime-as-unix-seconds', why }),
    changeType('parcels', 'fixed_at', {
      was: immutable(z.int()),
      codec: 'datetime-as-unix-seconds',
      why,
    }),
    custom('parcels', {
      fields: { size: immutable(z.string().max(2)) },
      replaces: ['length'],
      up: ({ size }) => ({ length: Number(size) }),
      down: ({ length }) => ({ size: String(length) }),
      samples: [{ older: { size: '7' }, newer: { length: 7 } }],
    }),
  ],
})
const declaration = api('words', { resources: [parcels], versions: [version('v2'), v1] })

const newer = {
  kind: 'box',
  origin: 'near',
  side: 'left',
  weight: 12,
  price: 1250,
  seen_at: '2026-06-01T12:00:00.500Z',
  fixed_at: '2026-06-01T12:00:00.500Z',
  length: 10,
}
const older = {
  kind: 'carton',
  origin: 'close',
  side: 'east',
  weight: '12',
  price: '12.50',
  seen_at: 1780315200,
  fixed_at: 1780315200,
  size: '10',
}
/** An object that cannot be turned into text: reading it before it is validated would throw. */
const unreadable = { toString: 1, valueOf: 1 }

describeServing(
  'a value that a version does not have is refused there, whatever is stored',
  (served) => {
    const made = async (fields: object = {}) =>
      String((await served.make('/v2/parcels', { ...newer, ...fields })).id)
    const patch = (id: string, body: object, at = 'v1') =>
      served.call('PATCH', `/${at}/parcels/${id}`, { body })
    const stored = async (id: string) => {
      const { updated_at: _, ...row } = (await served.get(`/v2/parcels/${id}`)).data
      return row
    }

    test.each([
      ['kind', 'box', {}],
      ['kind', 'tube', { kind: 'tube' }],
      ['origin', 'near', {}],
      ['origin', 'away', { origin: 'away' }],
      ['grade', 'gold', {}],
      ['stage', 'new', {}],
      ['weight', 12, {}],
      ['weight', unreadable, {}],
      ['price', 12.5, {}],
      ['price', 1250, {}],
      ['seen_at', 1780315200.5, {}],
      ['seen_at', '1780315200', {}],
      ['seen_at', '2026-06-01T12:00:00.500Z', {}],
      ['fixed_at', 1780315200.5, {}],
      ['fixed_at', '2026-06-01T12:00:00.500Z', {}],
      ['size', 10, {}],
    ])('%s = %j', async (field, value, fields) => {
      const id = await made(fields)
      const before = await stored(id)
      const patched = await patch(id, { [field]: value })
      expect([patched.status, patched.faults], patched.text).toEqual([422, [`#/${field}`]])
      const { data } = await served.get(`/v1/parcels/${id}`)
      const put = await served.call('PUT', `/v1/parcels/${id}`, { body: { ...data, [field]: value } })
      expect([put.status, put.faults], put.text).toEqual([422, [`#/${field}`]])
      const post = await served.call('POST', '/v1/parcels', { body: { ...older, [field]: value } })
      expect([post.status, post.faults], post.text).toEqual([422, [`#/${field}`]])
      expect(await stored(id)).toEqual(before)
    })

    test('in the newest version too: what cannot be read is 422', async () => {
      const id = await made()
      const answer = await patch(id, { seen_at: unreadable }, 'v2')
      expect([answer.status, answer.faults]).toEqual([422, ['#/seen_at']])
    })

    test("a create may send the version's own word for the first state, and no other", async () => {
      const post = (stage: string) => served.call('POST', '/v1/parcels', { body: { ...older, stage } })
      expect((await post('fresh')).data.stage).toBe('fresh')
      for (const stage of ['new', 'sent', 'lost']) {
        const answer = await post(stage)
        expect([answer.status, answer.faults]).toEqual([422, ['#/stage']])
      }
    })

    test('what an older GET showed is accepted back, and nothing that it hides is lost', async () => {
      const id = await made({ kind: 'tube', origin: 'away', length: 100 })
      await patch(id, { stage: 'lost' }, 'v2')
      const before = await stored(id)
      const shown = (await served.get(`/v1/parcels/${id}`)).data
      expect(shown).toMatchObject({ kind: 'bag', origin: 'far', stage: 'done', size: '100' })
      const put = await served.call('PUT', `/v1/parcels/${id}`, { body: shown })
      expect(put.status, put.text).toBe(200)
      for (const [field, value] of Object.entries(shown)) {
        const patched = await patch(id, { [field]: value })
        expect(patched.status, `${field}: ${patched.text}`).toBe(200)
      }
      expect(await stored(id)).toEqual(before)
    })

    test('other written forms of what is stored change nothing', async () => {
      const id = await made()
      const etags = {
        v1: (await served.get(`/v1/parcels/${id}`)).etag,
        v2: (await served.get(`/v2/parcels/${id}`)).etag,
      }
      const at = '2026-06-01T14:00:00.5+02:00'
      const finer = '2026-06-01T12:00:00.500000001Z'
      for (const [version, body] of [
        ['v1', '{"weight":"012","price":"12.5"}'],
        ['v1', '{"seen_at":1.7803152e9}'],
        ['v2', JSON.stringify({ seen_at: at, fixed_at: at })],
        ['v2', JSON.stringify({ seen_at: finer, fixed_at: finer })],
      ] as const) {
        const answer = await served.call('PATCH', `/${version}/parcels/${id}`, { body })
        expect([answer.status, answer.etag], answer.text).toEqual([200, etags[version]])
      }
    })

    test('a field made by code that is immutable cannot change', async () => {
      const id = await made()
      const answer = await patch(id, { size: '11' })
      expect([answer.status, answer.faults]).toEqual([422, ['#/size']])
    })

    test('values that are swapped in the newer version still change a field and move a state', async () => {
      const id = await made()
      expect((await served.get(`/v1/parcels/${id}`)).data).toMatchObject({ side: 'west', door: 'closed' })
      const moved = await patch(id, { side: 'east', door: 'ajar' })
      expect(moved.data).toMatchObject({ side: 'east', door: 'ajar' })
      expect(await stored(id)).toMatchObject({ side: 'right', door: 'open' })
      const same = await patch(id, { side: 'east', door: 'ajar' })
      expect([same.status, same.etag]).toEqual([200, moved.etag])
    })

    test('a value that the newer version could not hold is not stored', async () => {
      for (const [field, value] of [
        ['weight', '501'],
        ['price', '1000.00'],
      ] as const) {
        const post = await served.call('POST', '/v1/parcels', { body: { ...older, [field]: value } })
        expect([post.status, post.faults]).toEqual([422, [`#/${field}`]])
      }
    })

    test.each([
      'kind=box',
      'kind=tube',
      'kind[in]=carton,box',
      'kind[ne]=tube',
      'stage=new',
      'stage=lost',
      'stage[in]=done,lost',
      'side=up',
      'weight=twelve',
      'weight=1.5',
      'seen_at=2026-06-01T12:00:00Z',
      'seen_at=1780315200.5',
    ])('a filter: %s', async (filter) => {
      await made()
      const query = filter.replace(/^(\w+)/, 'filter[$1]')
      const answer = await served.get(`/v1/parcels?${query}`)
      expect([answer.status, answer.faults]).toEqual([400, [query.split('=')[0]]])
    })
  },
  { declaration },
)

describeStores('a row from before a bound was tightened', (store) => {
  const tagged = (longest: number) =>
    api('tags', {
      resources: [
        resource('tags', {
          fields: { label: z.string().max(longest), code: immutable(z.string().max(longest)) },
        }),
      ],
    })

  test('is taken back as it is shown, and no other value past the bound is', async () => {
    const url = await store.url()
    const before = await serve(store.kind, url, { declaration: tagged(20) })
    const { id } = await before.make('/v1/tags', { label: 'ten letters', code: 'ten letters' })
    const after = await serve(store.kind, url, { declaration: tagged(5) })
    const { data, etag } = await after.get(`/v1/tags/${id}`)
    const put = await after.call('PUT', `/v1/tags/${id}`, { body: data })
    expect([put.status, put.etag], put.text).toEqual([200, etag])
    const patched = await after.call('PATCH', `/v1/tags/${id}`, { body: { label: 'ten lettres' } })
    expect([patched.status, patched.faults]).toEqual([422, ['#/label']])
  })
})

describeServing('a status of the shop that only v2 has', (served) => {
  test.each([
    ['placed', ['placed']],
    ['refunded', ['placed', 'paid', 'refunded']],
  ])('%s is refused in v1 on an order that has it', async (status, way) => {
    const { id } = await newOrder(served)
    await moveOrder(served, id, ...way)
    const { etag, data } = await served.get(`/v1/orders/${id}`)
    const patched = await served.call('PATCH', `/v1/orders/${id}`, { body: { status } })
    expect([patched.refusal, patched.faults]).toEqual([[422, 'validation-failed'], ['#/status']])
    const put = await served.call('PUT', `/v1/orders/${id}`, { body: { ...data, status } })
    expect([put.refusal, put.faults]).toEqual([[422, 'validation-failed'], ['#/status']])
    expect((await served.get(`/v1/orders?filter[status]=${status}`)).refusal).toEqual([400, 'bad-query'])
    expect((await served.get(`/v1/orders/${id}`)).etag).toBe(etag)
  })
})
