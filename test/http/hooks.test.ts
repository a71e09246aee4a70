import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { readOnly, states, sum } from '../../src/declare/field.ts'
import type { HookContext } from '../../src/declare/hooks.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { decimal } from '../../src/index.ts'
import { storeForms } from '../support/databases.ts'
import { describeServing } from '../support/serving.ts'
import { noId, unique } from '../support/shop-rows.ts'

/** Each hook does something that a consumer can see: sets, counts, writes elsewhere, refuses, or fails. */
const documents = resource('documents', {
  fields: {
    title: z.string().max(50),
    slug: readOnly(z.string().max(60).optional()),
    views: readOnly(z.int().default(0)),
    stamp: readOnly(z.string().max(100).optional()),
  },
  relations: { folder: belongsTo('folders', { optional: true }), notes: hasMany('notes') },
  problems: {
    'folder-closed': { status: 409, title: 'The folder is closed' },
    frozen: { status: 422, title: 'Frozen' },
    kept: { status: 409, title: 'Kept' },
  },
  hooks: {
    async beforeCreate(document, { find, list, sum, reject, account, caller }) {
      if (document.title === 'broken') throw new Error('secret failure')
      const folder = document.folder_id === null ? null : await find('folders', document.folder_id)
      if (folder?.closed === true) reject({ code: 'folder-closed', detail: 'Open it.', field: 'folder_id' })
      const siblings = await list('documents', { folder_id: document.folder_id })
      const views = await sum('documents', 'views', { folder_id: document.folder_id })
      return {
        slug: document.title.toLowerCase().replaceAll(' ', '-'),
        stamp: `${account}/${caller.consumer}/${siblings.length}/${views}`,
        views: 1,
      }
    },
    async afterCreate(document, { create, update }) {
      await create('notes', { document_id: document.id, text: `created ${document.title}` })
      if (document.title === 'counted') await update('documents', document.id, { views: 10 })
    },
    async beforeUpdate(next, before, { reject }) {
      if (before.title === 'frozen') {
        reject({ code: 'frozen', detail: 'It is frozen.', field: 'title' })
      }
      return next.title === before.title ? undefined : { slug: `${before.slug}-to-${next.title}` }
    },
    async afterUpdate(document, before, { create }) {
      await create('notes', { document_id: document.id, text: `${before.title} is ${document.title}` })
    },
    async beforeDelete(document, { list, remove, reject }) {
      if (document.title === 'kept') reject({ code: 'kept', detail: 'It stays.' })
      for (const note of await list('notes', { document_id: document.id })) await remove('notes', note.id)
    },
    async afterDelete(document, { find, create }) {
      const gone = (await find('documents', document.id)) === null
      await create('notes', { text: `deleted ${document.title}: ${gone}` })
    },
  },
})
const folders = resource('folders', {
  fields: { name: z.string().max(50), closed: z.boolean().default(false) },
  relations: { documents: hasMany('documents') },
})
const notes = resource('notes', {
  fields: { text: z.string().max(200) },
  relations: { document: belongsTo('documents', { optional: true }) },
})
const declaration = api('hooked', { resources: [documents, folders, notes] })

describeServing(
  'hooks',
  (served) => {
    const post = (body: object) => served.call('POST', '/v1/documents', { body })
    const notesOf = async (id: string) =>
      (await served.get(`/v1/documents/${id}/notes`)).rows.map((row) => row.text)

    test('a hook before a create sets fields and reads other rows of the account', async () => {
      const folder = await served.make('/v1/folders', { name: 'f' })
      const first = (await post({ title: 'Hello World', folder_id: folder.id })).data
      expect(first).toMatchObject({ slug: 'hello-world', views: 1 })
      expect(first.stamp).toMatch(/^acme\/acme \d+\/0\/0$/)
      const second = (await post({ title: 'again', folder_id: folder.id })).data
      expect(second.stamp).toMatch(/\/1\/1$/)
      const other = await served.make('/v1/documents', { title: 'mine' }, { as: 'globex' })
      expect(other.stamp).toMatch(/^globex\/globex \d+\/0\/0$/)
    })

    test('null in a condition finds the rows where the field is unset', async () => {
      const before = (await post({ title: 'loose' })).data
      const after = (await post({ title: 'loose too' })).data
      const siblings = (stamp: unknown) => Number(String(stamp).split('/')[2])
      expect(siblings(after.stamp)).toBe(siblings(before.stamp) + 1)
    })

    test('what a hook writes after a create is committed with it, and the answer shows it', async () => {
      const answer = await post({ title: 'counted' })
      expect(answer.data.views).toBe(10)
      expect(answer.rowVersion).toBe(2)
      expect((await served.get(`/v1/documents/${answer.data.id}`)).text).toBe(answer.text)
      expect(await notesOf(answer.data.id)).toEqual(['created counted'])
    })

    test('a hook’s refusal is a problem of its own, and nothing is written', async () => {
      const folder = await served.make('/v1/folders', { name: 'f', closed: true })
      const answer = await post({ title: 'late', folder_id: folder.id })
      expect(answer.refusal).toEqual([409, 'folder-closed'])
      expect(answer.problem).toMatchObject({ title: 'The folder is closed', detail: 'Open it.' })
      expect(answer.faults).toEqual(['#/folder_id'])
      expect((await served.get(`/v1/folders/${folder.id}/documents`)).rows).toEqual([])
    })

    test('a hook is asked only about rows that exist and values that are valid', async () => {
      expect((await post({ title: 'x', folder_id: noId })).faults).toEqual(['#/folder_id'])
      expect((await post({ title: 'x'.repeat(51) })).faults).toEqual(['#/title'])
      expect((await post({ title: 'x', slug: 'mine' })).faults).toEqual(['#/slug'])
      const { id } = (await post({ title: 'y' })).data
      const moved = await served.call('PATCH', `/v1/documents/${id}`, { body: { folder_id: noId } })
      expect([moved.status, moved.faults]).toEqual([422, ['#/folder_id']])
    })

    test('a hook that fails is a 500 that tells nothing, and nothing is written', async () => {
      const answer = await post({ title: 'broken' })
      expect(answer.refusal).toEqual([500, 'unexpected'])
      expect(answer.text).not.toContain('secret')
      const { rows } = await served.get('/v1/documents?limit=100')
      expect(rows.filter((row) => row.title === 'broken')).toEqual([])
    })

    test('hooks around an update set, write and refuse', async () => {
      const { id } = (await post({ title: 'a' })).data
      const path = `/v1/documents/${id}`
      const answer = await served.call('PATCH', path, { body: { title: 'b' } })
      expect(answer.data).toMatchObject({ title: 'b', slug: 'a-to-b' })
      expect((await served.get(path)).text).toBe(answer.text)
      expect(await notesOf(id)).toEqual(['created a', 'a is b'])
      const same = await served.call('PATCH', path, { body: { title: 'b' } })
      expect([same.status, same.text]).toEqual([200, answer.text])
      expect(await notesOf(id)).toHaveLength(2)
      await served.call('PATCH', path, { body: { title: 'frozen' } })
      const refused = await served.call('PATCH', path, { body: { title: 'c' } })
      expect(refused.refusal).toEqual([422, 'frozen'])
      expect((await served.get(path)).data.title).toBe('frozen')
    })

    test('hooks around a delete write and refuse', async () => {
      const kept = (await post({ title: 'kept' })).data
      const refused = await served.call('DELETE', `/v1/documents/${kept.id}`)
      expect(refused.refusal).toEqual([409, 'kept'])
      expect(await notesOf(kept.id)).toEqual(['created kept'])
      const gone = (await post({ title: 'gone' })).data
      expect((await served.call('DELETE', `/v1/documents/${gone.id}`)).status).toBe(204)
      const { rows } = await served.get('/v1/notes?limit=100')
      expect(rows.map((row) => row.text)).toContain('deleted gone: true')
    })
  },
  { declaration },
  storeForms,
)

/** What a hook does without waiting for it, and what it left to do for later. */
let forget: (context: HookContext) => unknown = () => {}
const letters = resource('letters', {
  fields: { text: z.string().max(50) },
  filter: ['text'],
  hooks: {
    async beforeCreate(_, context) {
      void forget(context)
    },
  },
})
const stamps = resource('stamps', {
  fields: { number: z.int() },
  relations: { letter: belongsTo('letters', { optional: true }) },
  unique: [['number']],
})

describeServing(
  'a call that a hook does not await',
  (served) => {
    const post = (text: string, headers = {}) =>
      served.call('POST', '/v1/letters', { body: { text }, headers })
    const lettersOf = async (text: string) => (await served.get(`/v1/letters?filter[text]=${text}`)).rows

    test('fails the request when it fails in the store, which goes on serving', async () => {
      for (const headers of [{}, { 'Idempotency-Key': unique() }]) {
        const text = unique()
        forget = ({ create }) => create('stamps', { number: 1, letter_id: noId })
        expect((await post(text, headers)).status).toBe(500)
        expect(await lettersOf(text)).toEqual([])
        forget = () => {}
        expect((await post(text, headers)).status).toBe(201)
      }
    })

    test('is part of the request when it succeeds', async () => {
      const number = served.kind === 'sqlite' ? 7 : 8
      forget = ({ create }) => create('stamps', { number })
      expect((await post('stamped')).status).toBe(201)
      expect((await served.get('/v1/stamps')).rows.map((row) => row.number)).toEqual([number])
    })

    test.each<[string, (context: HookContext) => Promise<unknown>]>([
      ['find', ({ find }) => find('stamps', noId)],
      ['list', ({ list }) => list('stamps', {})],
      ['sum', ({ sum }) => sum('stamps', 'number', {})],
      ['create', ({ create }) => create('stamps', { number: 9 })],
      ['update', ({ update }) => update('stamps', noId, { number: 9 })],
      ['remove', ({ remove }) => remove('stamps', noId)],
    ])('is refused after the end of the transaction, and ends nothing else: %s', async (_, call) => {
      let late: HookContext | undefined
      forget = (context) => {
        late = context
      }
      expect((await post('late')).status).toBe(201)
      if (!late) throw new Error('the hook has not run')
      // An unhandled rejection would end the process.
      void call(late)
      await expect(call(late)).rejects.toThrow(/had ended/)
      expect((await post('after')).status).toBe(201)
    })

    test('of a resource or field that does not exist rejects its promise, and the service goes on', async () => {
      const told: unknown[] = []
      forget = async ({ list, create, update, remove }) => {
        void list('stamps', { nowhere: 1 })
        void create('nothing', {})
        void update('nothing', noId, {})
        void remove('nothing', noId)
        await create('nothing', {}).catch((error: unknown) => told.push(error))
      }
      await post('lost')
      expect(told).toMatchObject([{ message: expect.stringContaining('there is no resource "nothing"') }])
      forget = () => {}
      expect((await post('after')).status).toBe(201)
    })
  },
  { declaration: api('letters', { resources: [letters, stamps] }) },
)

/** Hooks that change every row they are given, which is theirs alone. */
const scribble = (row: object): void => {
  Object.assign(row, { text: 'scribbled', tags: ['scribbled'] })
}
const pads = resource('pads', {
  fields: { text: z.string(), tags: z.array(z.string()).default([]) },
  hooks: {
    async afterCreate(pad, { find }) {
      scribble(pad)
      scribble((await find('pads', pad.id, { lock: true })) ?? {})
    },
    async beforeUpdate(next, before, { find }) {
      scribble(before)
      scribble((await find('pads', before.id, { lock: true })) ?? {})
      if (next.text !== 'tagged') return undefined
      next.tags.push('by hook')
      return { tags: next.tags }
    },
    async afterUpdate(pad, before) {
      scribble(pad)
      scribble(before)
    },
  },
})

describeServing(
  'a hook that changes the rows it was given',
  (served) => {
    test('changes neither what is stored nor what is answered', async () => {
      const made = await served.call('POST', '/v1/pads', { body: { text: 'a', tags: ['x'] } })
      expect(made.data).toMatchObject({ text: 'a', tags: ['x'] })
      const path = `/v1/pads/${made.data.id}`
      expect((await served.get(path)).text).toBe(made.text)
      const patched = await served.call('PATCH', path, { body: { text: 'b' } })
      expect(patched.data).toMatchObject({ text: 'b', tags: ['x'] })
      expect((await served.get(path)).text).toBe(patched.text)
    })

    test('sets what it returns, also a value that it has changed in place', async () => {
      const { id } = await served.make('/v1/pads', { text: 'tagged', tags: ['x'] })
      const patched = await served.call('PATCH', `/v1/pads/${id}`, { body: {} })
      expect(patched.data.tags).toEqual(['x', 'by hook'])
      expect((await served.get(`/v1/pads/${id}`)).text).toBe(patched.text)
    })
  },
  { declaration: api('pads', { resources: [pads] }) },
)

const boxes = resource('boxes', {
  fields: { weight: sum('parcels', 'weight'), worth: sum<string>('parcels', 'worth') },
  relations: { parcels: hasMany('parcels') },
})
const parcels = resource('parcels', {
  fields: { weight: z.int().default(0), worth: decimal({ scale: 2 }).default('0.00') },
  relations: { box: belongsTo('boxes') },
  hooks: {
    afterCreate(parcel, { update }) {
      if (parcel.weight === 1) void update('parcels', parcel.id, { weight: 10 })
    },
    async beforeDelete(parcel, { create }) {
      if (parcel.weight !== 7) return
      // A failed call ends the request, whatever the hook makes of the error.
      await create('parcels', { box_id: parcel.box_id, weight: Number.MAX_SAFE_INTEGER }).catch(() => {})
    },
  },
})

describeServing(
  'calls of hooks',
  (served) => {
    const pack = (box: string, values: object) => served.make('/v1/parcels', { box_id: box, ...values })
    const boxOf = async (id: string) => (await served.get(`/v1/boxes/${id}`)).data

    test('that are not awaited are finished before the commit, with the sums they change', async () => {
      const { id } = await served.make('/v1/boxes', {})
      const parcel = await pack(id, { weight: 1 })
      expect(parcel.weight).toBe(10)
      expect((await boxOf(id)).weight).toBe(10)
    })

    test('that fail end the request, also where the hook catches the error', async () => {
      const { id } = await served.make('/v1/boxes', {})
      const parcel = await pack(id, { weight: 7 })
      const refused = await served.call('DELETE', `/v1/parcels/${parcel.id}`)
      expect(refused.refusal).toEqual([422, 'validation-failed'])
      expect((await boxOf(id)).weight).toBe(7)
    })

    test('a delete that makes a sum too large is 422, and deletes nothing', async () => {
      const { id } = await served.make('/v1/boxes', {})
      const debt = await pack(id, { worth: '-999999999999.00' })
      for (let times = 0; times < 2; times++) await pack(id, { worth: '999999999999.00' })
      const refused = await served.call('DELETE', `/v1/parcels/${debt.id}`)
      expect(refused.refusal).toEqual([422, 'validation-failed'])
      expect((await boxOf(id)).worth).toBe('999999999999.00')
    })
  },
  { declaration: api('boxes', { resources: [boxes, parcels] }) },
)

const lots = resource('lots', {
  fields: { status: states('open', { open: ['closed'] }) },
  relations: { bids: hasMany('bids') },
})
const bids = resource('bids', {
  fields: { amount: z.int(), seen: readOnly(z.int().default(0)) },
  relations: { lot: belongsTo('lots') },
  onlyWhile: { lot: { status: ['open'] } },
  hooks: { beforeUpdate: (next) => ({ seen: next.seen + 1 }) },
})

describeServing(
  'onlyWhile',
  (served) => {
    test('holds for what a hook sets, also where the request changes nothing', async () => {
      const lot = await served.make('/v1/lots', {})
      const bid = await served.make('/v1/bids', { lot_id: lot.id, amount: 5 })
      expect((await served.call('PATCH', `/v1/bids/${bid.id}`, { body: {} })).data.seen).toBe(1)
      expect((await served.call('PATCH', `/v1/lots/${lot.id}`, { body: { status: 'closed' } })).status).toBe(
        200,
      )
      const refused = await served.call('PATCH', `/v1/bids/${bid.id}`, { body: {} })
      expect(refused.refusal).toEqual([409, 'state-conflict'])
      expect((await served.get(`/v1/bids/${bid.id}`)).data.seen).toBe(1)
    })
  },
  { declaration: api('auctions', { resources: [lots, bids] }) },
)
