import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { anyOf, api, belongsTo, hasMany, readOnly, resource, states, sum } from '../../src/index.ts'
import { describeServing } from '../support/serving.ts'
import { unique } from '../support/shop-rows.ts'

const folders = resource('folders', {
  fields: { name: z.string(), status: states('open', { open: ['closed'] }), words: sum('notes', 'words') },
  relations: { notes: hasMany('notes') },
  include: ['notes'],
  rules: { read: ({ row, caller }) => anyOf(row.name.is('public'), row.name.is(caller.claim('folder'))) },
})
const notes = resource('notes', {
  fields: {
    owner: z.string().optional(),
    text: z.string(),
    words: z.int().default(1),
    counted: readOnly(z.string().optional()),
  },
  relations: { folder: belongsTo(folders, { optional: true, onTargetDelete: 'cascade' }) },
  sort: ['words'],
  rules: {
    read: ({ row, caller }) => anyOf(caller.has('notes:all'), row.owner.is(caller.subject)),
  },
  hooks: {
    async beforeCreate(note, { caller, find, list, sum }) {
      if (note.text === 'count') {
        const where = { text: 'counted' }
        const [first] = await list('notes', where)
        const id = first?.id ?? ''
        const seen = [
          (await list('notes', where)).length,
          (await list('notes', where, { asCaller: true })).length,
          await sum('notes', 'words', where),
          await sum('notes', 'words', where, { asCaller: true }),
          (await find('notes', id)) !== null,
          (await find('notes', id, { asCaller: true })) !== null,
          (await find('notes', id, { lock: true })) !== null,
          (await find('notes', id, { lock: true, asCaller: true })) !== null,
        ]
        return { counted: seen.join(' ') }
      }
      return note.text === 'mine' ? { owner: caller.subject } : undefined
    },
    async afterCreate(note, { update }) {
      if (note.text === 'given away') await update('notes', note.id, { owner: 'somebody' })
    },
    async afterUpdate(note, _, { update }) {
      if (note.text === 'given away') await update('notes', note.id, { owner: 'somebody' })
    },
  },
})
/** Written only while its folder is open. */
const pins = resource('pins', {
  fields: { text: z.string() },
  relations: { folder: belongsTo(folders) },
  onlyWhile: { folder: { status: ['open'] } },
})
/** Shared by all accounts, and written by who has the scope by its name. */
const words = resource('words', {
  shared: true,
  fields: { text: z.string(), locked: z.boolean().default(false) },
  scopes: { write: 'authenticated' },
  rules: {
    read: ({ row }) => row.text.isNotNull(),
    update: ({ row, caller }) => anyOf(caller.has('words:edit'), row.locked.is(false)),
  },
})

const declaration = api('notes', {
  resources: [folders, notes, pins, words],
  scopes: { 'notes:all': 'See every note.', 'words:edit': 'Change locked words.' },
})

const refused = [403, 'not-permitted'] as const

describeServing(
  'rules and hooks',
  (served) => {
    let ada: string
    let bo: string
    let all: string
    const scopes = ['folders:read', 'folders:write', 'notes:read', 'notes:write', 'pins:write', 'pins:read']
    beforeAll(async () => {
      const key = (subject: string, more: object = {}) =>
        served.api.key('acme', { name: `${subject} ${served.kind}`, subject, scopes, ...more })
      ada = await key('ada')
      bo = await key('bo', { claims: { folder: 'b' } })
      all = await key('all', { scopes: [...scopes, 'notes:all'] })
    })
    const post = (as: string, body: object, headers = {}) =>
      served.call('POST', '/v1/notes', { as, body, headers })
    const texts = async (as: string) =>
      (await served.get('/v1/notes?limit=100', { as })).rows.map((row) => row.text)

    test('the new row is judged after the hooks, and nothing is written where it fails', async () => {
      expect((await post(ada, { text: 'mine' })).data.owner).toBe('ada')
      expect((await post(ada, { text: 'own', owner: 'ada' })).status).toBe(201)
      const before = await texts(all)
      const headers = { 'Idempotency-Key': unique() }
      expect((await post(ada, { text: 'other', owner: 'bo' }, headers)).refusal).toEqual(refused)
      expect((await post(ada, { text: 'none' })).refusal).toEqual(refused)
      expect((await post(ada, { text: 'given away', owner: 'ada' })).refusal).toEqual(refused)
      expect(await texts(all)).toEqual(before)
      expect((await post(ada, { text: 'second try', owner: 'ada' }, headers)).status).toBe(201)
    })

    test('nobody changes a row into one that they could not have made', async () => {
      const note = (await post(ada, { text: 'kept', owner: 'ada' })).data
      const path = `/v1/notes/${note.id}`
      const change = (body: object) => served.call('PATCH', path, { as: ada, body })
      expect((await change({ owner: 'bo' })).refusal).toEqual(refused)
      expect((await change({ text: 'given away' })).refusal).toEqual(refused)
      expect((await served.get(path, { as: ada })).data).toEqual(note)
      expect((await change({ text: 'changed' })).status).toBe(200)
      expect((await served.call('PATCH', path, { as: all, body: { owner: 'bo' } })).status).toBe(200)
      expect((await served.get(path, { as: ada })).status).toBe(404)
    })

    test('hooks see all rows of the account, or those of the caller where they say so', async () => {
      await post(bo, { text: 'counted', owner: 'bo', words: 5 })
      await post(bo, { text: 'counted', owner: 'bo', words: 6 })
      await post(ada, { text: 'counted', owner: 'ada', words: 3 })
      const { data } = await post(ada, { text: 'count', owner: 'ada' })
      expect(data.counted).toBe('3 1 14 3 true false true false')
    })

    test('sums and cascades go over all rows', async () => {
      const folder = await served.make('/v1/folders', { name: 'public' }, { as: ada })
      await post(ada, { text: 'a', owner: 'ada', words: 2, folder_id: folder.id })
      await post(bo, { text: 'b', owner: 'bo', words: 40, folder_id: folder.id })
      const path = `/v1/folders/${folder.id}`
      const { data } = await served.get(`${path}?include=notes`, { as: ada })
      expect(data).toMatchObject({ words: 42, notes: { data: [{ text: 'a' }] } })
      expect((await served.call('DELETE', path, { as: ada })).status).toBe(204)
      expect(await texts(bo)).not.toContain('b')
    })

    test('the state of a row that may not be read is not told', async () => {
      const make = async (name: string) => {
        const folder = await served.make('/v1/folders', { name }, { as: bo })
        const pin = await served.make('/v1/pins', { text: 'p', folder_id: folder.id }, { as: bo })
        await served.call('PATCH', `/v1/folders/${folder.id}`, { as: bo, body: { status: 'closed' } })
        return `/v1/pins/${pin.id}`
      }
      const path = await make('b')
      const body = { text: 'q' }
      expect((await served.call('PATCH', path, { as: bo, body })).problem).toMatchObject({ value: 'closed' })
      const hidden = await served.call('PATCH', path, { as: ada, body })
      expect(hidden.refusal).toEqual([409, 'state-conflict'])
      expect(hidden.text).not.toContain('closed')
    })

    test('* opens the reading of shared rows, and no rule on their writing', async () => {
      const plain = await served.api.key('acme', { name: `plain ${served.kind}`, scopes: ['*'] })
      const editor = await served.api.key('acme', {
        name: `editor ${served.kind}`,
        scopes: ['*', 'words:edit'],
      })
      const word = await served.make('/v1/words', { text: 'w', locked: true }, { as: editor })
      const path = `/v1/words/${word.id}`
      const body = { text: 'v' }
      expect((await served.get(path, { as: plain })).status).toBe(200)
      expect((await served.call('PATCH', path, { as: plain, body })).refusal).toEqual(refused)
      expect((await served.call('DELETE', path, { as: plain })).refusal).toEqual(refused)
      expect((await served.call('PATCH', path, { as: editor, body })).status).toBe(200)
    })
  },
  { declaration },
)
