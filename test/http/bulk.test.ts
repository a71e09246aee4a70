import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import {
  api,
  belongsTo,
  hasMany,
  needsScope,
  renameField,
  resource,
  states,
  sum,
  version,
} from '../../src/index.ts'
import { emptyDatabase, storeForms } from '../support/databases.ts'
import { type Answer, describeServing, type Row, type Serving, serve } from '../support/serving.ts'
import { newOrder, newProduct, noId, unique } from '../support/shop-rows.ts'
import { until } from '../support/until.ts'

const shelves = resource('shelves', {
  fields: {
    room: z.string(),
    pages: sum('books', 'pages'),
    weight: sum('marks', 'weight'),
    state: states('open', { open: ['closed'] }),
  },
  relations: { books: hasMany('books'), marks: hasMany('marks') },
  bulk: true,
})
const keepers = resource('keepers', {
  fields: { name: z.string(), open: z.boolean() },
  bulk: true,
  rules: { read: ({ row }) => row.open.is(true), create: () => true },
})
const books = resource('books', {
  fields: {
    title: z.string().min(1).max(60),
    pages: z.int().min(0).default(1),
    code: z.string().max(40).optional(),
    cost: needsScope('books:finance', z.int().optional()),
    keeper: z.string().default('m1'),
  },
  relations: { shelf: belongsTo('shelves'), helper: belongsTo('keepers', { optional: true }) },
  bulk: true,
  unique: ['code', ['title', 'shelf_id']],
  filter: ['title', 'shelf_id'],
  limits: { bulkRows: 100 },
  onlyWhile: { shelf: { state: ['open'] } },
  rules: {
    read: ({ row, caller }) => row.keeper.is(caller.claim('keeper')),
  },
})
/** What the hooks of visits were given of the key. */
let keysSeen: (string | null)[] = []
const visits = resource('visits', {
  fields: { place: z.string().max(20), number: z.int().default(0) },
  relations: { shelf: belongsTo('shelves', { optional: true }) },
  bulk: true,
  unique: ['place'],
  filter: ['place'],
  idempotencyKey: { mode: 'optional', body: 'reread' },
  limits: { responseBytes: 2_000 },
  problems: { 'too-far': { status: 409, title: 'Too far' } },
  hooks: {
    async beforeCreate(visit, { caller, count, reject }) {
      keysSeen.push(caller.idempotencyKey)
      if (visit.place.startsWith('far')) reject({ code: 'too-far', detail: 'No.', field: 'place' })
      return { number: await count('visits', {}) }
    },
    async afterCreate(visit, { list, update }) {
      if (!visit.place.startsWith('late')) return
      for (const { id } of await list('visits', { place: visit.place.replace('late', 'soon') }))
        await update('visits', id, { number: -1 })
    },
  },
  rules: { read: ({ row }) => row.number.isNot(-1) },
})
const wishes = resource('wishes', {
  fields: { keeper: z.string(), code: z.string() },
  bulk: true,
  unique: [['keeper', 'code']],
  hooks: { beforeCreate: () => ({}) },
  rules: { read: ({ row, caller }) => row.keeper.is(caller.claim('keeper')) },
})
const tags = resource('tags', { fields: { text: z.string() }, bulk: true, shared: true, unique: ['text'] })
const notes = resource('notes', { fields: { text: z.string().max(1_000), data_of: z.string().optional() } })
const slow = resource('slow-notes', {
  fields: { text: z.string() },
  bulk: true,
  rate: { perSecond: 0.001, burst: 10 },
  limits: { bulkRows: 10 },
})
const labels = resource('labels', {
  fields: {
    text: z.string().default('a'),
    size: z.number().optional(),
    kept: z.array(z.string()).optional(),
  },
  bulk: true,
})
const marks = resource('marks', {
  fields: { weight: z.int() },
  relations: { shelf: belongsTo('shelves') },
  bulk: true,
})
const declaration = api('library', {
  resources: [shelves, keepers, books, visits, wishes, tags, notes, slow, labels, marks],
  scopes: { 'books:finance': 'See what books cost.' },
  versions: [
    version('v2', { published: '2026-02-01' }),
    version('v1', {
      published: '2026-01-01',
      changes: [renameField('books', 'name', 'title', { why: 'Titles.' })],
    }),
  ],
})

const rowsOf = (answer: Answer): readonly Row[] => (answer.json as { data: readonly Row[] }).data
const scopes = ['*']
let keys = 0

describeServing(
  'many rows at once',
  (served) => {
    const asKeeper = (keeper = 'm1', more: readonly string[] = scopes) =>
      served.api.key('acme', { name: `keeper ${++keys}`, scopes: more, claims: { keeper } })
    let keeper = ''
    let shelf = ''
    beforeEach(async () => {
      keysSeen = []
      keeper ||= await asKeeper()
      shelf = (await served.make('/v2/shelves', { room: 'a' })).id
    })
    const send = (data: unknown, headers = {}, path = '/v2/books', as = keeper) =>
      served.call('POST', path, { body: { data }, headers, as })
    const book = (fields: object = {}) => ({ title: unique(), shelf_id: shelf, ...fields })
    const count = async (path = `/v2/books?limit=100&filter[shelf_id]=${shelf}`) =>
      (await served.get(path, { as: keeper })).rows.length

    test('come back in the order sent, without Location and ETag, and the sums follow', async () => {
      const sent = Array.from({ length: 40 }, (_, pages) => book({ pages }))
      const answer = await send(sent)
      expect(answer.status, answer.text).toBe(201)
      expect(Object.keys(answer.json as object)).toEqual(['data'])
      expect(rowsOf(answer).map(({ title, pages }) => ({ title, pages, shelf_id: shelf }))).toEqual(sent)
      expect([answer.headers.get('location'), answer.headers.get('etag')]).toEqual([null, null])
      const listed = await served.get(`/v2/books?limit=100&filter[shelf_id]=${shelf}`, { as: keeper })
      expect(listed.rows).toEqual(rowsOf(answer))
      expect(answer.text).toContain(listed.text.slice('{"data":['.length, listed.text.indexOf('],"page"')))
      expect((await served.get(`/v2/shelves/${shelf}`)).data.pages).toBe((39 * 40) / 2)
      const row = rowsOf(answer)[3]
      const one = await served.get(`/v2/books/${row?.id}`, { as: keeper })
      expect([one.data, one.rowVersion]).toEqual([row, 1])
    })

    test('keep numbers and JSON as they were sent', async () => {
      const sizes = [0, 0.1, -1e-7, 5e-324, -1.5e-300, 0.30000000000000004, Number.MAX_SAFE_INTEGER]
      const sent = sizes.map((size) => ({ size, kept: ['\\u0000 "ü" \n'] }))
      const made = rowsOf(await send(sent, {}, '/v2/labels'))
      for (const [index, { id }] of made.entries())
        expect((await served.get(`/v2/labels/${id}`)).json).toMatchObject({ data: sent[index] })
    })

    test('take few statements, where no hook looks at each: also with rules, references and unique values', async () => {
      const { counters } = served.api.service.store
      const sentByFew = async (data: readonly object[], path = '/v2/books', more = 0) => {
        const before = counters.statements
        const answer = await send(data, {}, path)
        // Thirteen are of the list. Others are of what the service does meanwhile.
        expect(counters.statements - before).toBeLessThan(40 + more)
        return answer
      }
      expect((await sentByFew(Array(100).fill({}), '/v2/labels')).status).toBe(201)
      const helpers = await send(Array(100).fill({ name: 'x', open: true }), {}, '/v2/keepers')
      const rows = rowsOf(helpers).map(({ id }) => book({ helper_id: id, code: unique() }))
      expect((await sentByFew(rows)).status).toBe(201)
      expect((await sentByFew(rows)).faults).toHaveLength(100)
      const [last, ...others] = rows.map((row) => ({ ...row, title: unique(), code: unique() })).toReversed()
      const forbidden = await sentByFew([...others, { ...last, keeper: 'other' }])
      expect(forbidden.problem.detail).toMatch(/^data\/99: /)
      const nowhere = rows.map((row, at) => ({
        ...row,
        helper_id: noId.slice(0, -2) + String(at + 10).slice(-2),
      }))
      expect((await sentByFew(nowhere)).faults).toHaveLength(100)
      const owners = rowsOf(await send(Array(100).fill({ room: 'a' }), {}, '/v2/shelves'))
      const ofOwners = (row: object) => owners.map(({ id }) => ({ ...row, shelf_id: id }))
      expect((await sentByFew(ofOwners({ ...book(), pages: 0 }))).status).toBe(201)
      // Each sum is written by a statement of its own, and on Citus read by another one.
      const ofSums = served.api.service.store.dialect.returnsRows ? 100 : 200
      expect((await sentByFew(ofOwners({ weight: 2 }), '/v2/marks', ofSums)).status).toBe(201)
      expect((await served.get(`/v2/shelves/${owners[7]?.id}`)).data.weight).toBe(2)
    })
    test('of lists at once for the same owners, one waits for the other, and the sums follow', async () => {
      const owners = rowsOf(await send(Array(20).fill({ room: 'a' }), {}, '/v2/shelves'))
      const marksOf = (some: readonly Row[]) => some.map(({ id }) => ({ shelf_id: id, weight: 1 }))
      const lists = Array.from({ length: 8 }, (_, at) => marksOf(at % 2 === 0 ? owners : owners.toReversed()))
      const answers = await Promise.all(lists.map((list) => send(list, {}, '/v2/marks')))
      expect(answers.map(({ status }) => status)).toEqual(lists.map(() => 201))
      for (const { id } of owners) expect((await served.get(`/v2/shelves/${id}`)).data.weight).toBe(8)
    })

    test('of a shared resource are rows of all accounts', async () => {
      const as = (account: string) =>
        served.api.key(account, { name: `tags ${++keys}`, scopes: ['*', 'tags:write'] })
      const [one, other] = [await as('acme'), await as('globex')]
      const texts = [unique(), unique()]
      for (const headers of [{}, { 'Idempotency-Key': unique() }]) {
        const more = texts.map((text) => ({ text: `${text} ${Object.keys(headers)}` }))
        const made = await send(more, headers, '/v2/tags', one)
        expect(made.status, made.text).toBe(201)
        const again = await send([{ text: unique() }, ...more], {}, '/v2/tags', other)
        expect([again.status, ...again.faults]).toEqual([409, '#/data/1/text', '#/data/2/text'])
      }
    })

    test('of a list, every mistake of every row is told at once, and nothing is written', async () => {
      const answer = await send([
        book(),
        { title: '', pages: -1, shelf_id: shelf },
        'a text',
        { titel: 'x', shelf_id: shelf },
        null,
        book({ id: noId }),
      ])
      expect(answer.refusal).toEqual([422, 'validation-failed'])
      expect(answer.faults).toEqual([
        '#/data/1/title',
        '#/data/1/pages',
        '#/data/2',
        '#/data/3/titel',
        '#/data/3/title',
        '#/data/4',
        '#/data/5/id',
      ])
      expect(answer.problem.detail).toContain('data/1/title')
      expect(await count()).toBe(0)
    })

    test('the row is told whose value the store or a sum cannot keep', async () => {
      const most = Number.MAX_SAFE_INTEGER
      const answer = await send([book({ pages: 1 }), book({ pages: most - 1 }), book({ pages: 1 })])
      expect([answer.status, ...answer.faults]).toEqual([422, '#/data/2'])
      expect(answer.problem.detail).toMatch(/^data\/2: /)
      expect([await count(), (await served.get(`/v2/shelves/${shelf}`)).data.pages]).toEqual([0, 0])
    })

    test('the row is told whose text is too long for an index', async () => {
      const long = randomBytes(6_000).toString('base64')
      const as = await served.api.key('acme', { name: `tags ${++keys}`, scopes: ['*', 'tags:write'] })
      for (const path of ['/v2/wishes', '/v2/tags']) {
        const texts = [unique(), long, unique()]
        const rows = texts.map((text) => (path === '/v2/tags' ? { text } : { keeper: 'm1', code: text }))
        const answer = await send(rows, {}, path, path === '/v2/tags' ? as : keeper)
        if (served.kind === 'sqlite') expect(answer.status).toBe(201)
        else expect([answer.status, ...answer.faults]).toEqual([422, '#/data/1'])
      }
    })

    test('the row is told that a later one hides from the caller', async () => {
      const place = unique().slice(0, 12)
      const rows = [{ place }, { place: `soon${place}` }, { place: `late${place}` }]
      const answer = await send(rows, {}, '/v2/visits')
      expect(answer.refusal).toEqual([403, 'not-permitted'])
      expect(answer.problem.detail).toMatch(/^data\/1: /)
    })

    test.each([
      ['no row', [], '#/data', 'has no rows'],
      ['too many', Array(101).fill({}), '#/data', 'the limit bulkRows of books is 100'],
      ['an object', { title: 'x' }, '#/data', 'must be a list'],
      ['null', null, '#/data', 'must be a list'],
    ])('%s is 422 with what to send', async (_, data, pointer, detail) => {
      const answer = await send(data)
      expect(answer.refusal).toEqual([422, 'validation-failed'])
      expect(answer.faults).toEqual([pointer])
      expect(answer.problem.errors?.[0]?.detail).toContain(detail)
    })

    test('a mistake beside the list, a bare list, and a list where none is declared are 422', async () => {
      const beside = await served.call('POST', '/v2/books', {
        body: { data: [book()], title: 'x' },
        as: keeper,
      })
      expect([beside.status, ...beside.faults]).toEqual([422, '#/title'])
      const bare = await served.call('POST', '/v2/books', { body: [book()], as: keeper })
      expect([bare.status, ...bare.faults]).toEqual([422, '#'])
      const form = 'send a list as {"data":[{…},{…}]}.'
      expect(bare.problem.detail).toBe(`The body must be a JSON object; ${form}`)
      const none = await served.call('POST', '/v2/notes', { body: [{ text: 'x' }] })
      expect(none.problem.detail).toBe('The body must be a JSON object.')
      const undeclared = await send([{ text: 'x' }], {}, '/v2/notes')
      expect([undeclared.status, ...undeclared.faults]).toEqual([422, '#/data', '#/text'])
      expect(undeclared.problem.errors?.[0]).toEqual({
        pointer: '#/data',
        detail: 'is not a field of notes, which takes one row at a time; send each row by itself',
        code: 'unknown',
      })
      const enveloped = await served.call('POST', '/v2/notes', { body: { data: { text: 'x' } }, as: keeper })
      expect(enveloped.problem.errors?.[0]?.detail).toBe(
        'is not a field of notes; send the row by itself, without data around it',
      )
    })

    test('a thousand mistakes are counted, and the first hundred told', async () => {
      const bad = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`f${at}`, 1]))
      const { problem } = await send(Array(100).fill(bad))
      expect([problem.errors?.length, problem.more]).toEqual([100, 100 * 52 - 100])
    })

    test('of many values that are taken the sentence names ten rows, and says how many more there are', async () => {
      const codes = Array.from({ length: 12 }, unique)
      expect((await send(codes.map((code) => book({ code })))).status).toBe(201)
      const { problem } = await send(codes.map((code) => book({ code })))
      expect(problem.detail).toMatch(/taken in data\/0, .*, data\/9 and 2 more\.$/)
      expect(problem.errors).toHaveLength(12)
    })

    test('the same unique value twice, or that of a stored row, is 409 with the row, and nothing is written', async () => {
      const [taken, twice] = [unique(), unique()]
      const [first] = rowsOf(await send([book({ code: taken })]))
      const answer = await send([
        book(),
        book({ code: taken }),
        book({ code: twice }),
        book({ title: first?.title }),
        book({ code: twice }),
      ])
      expect(answer.refusal).toEqual([409, 'unique-conflict'])
      expect(answer.faults).toEqual(['#/data/1/code', '#/data/4/code', '#/data/3/shelf_id', '#/data/3/title'])
      const [, like] = answer.problem.errors ?? []
      expect(like?.detail).toBe('is the same as in data/2')
      expect(await count()).toBe(1)
    })

    test('references to rows that do not exist are told of every row', async () => {
      const answer = await send([book(), book({ shelf_id: noId }), book(), book({ shelf_id: noId })])
      expect([answer.status, ...answer.faults]).toEqual([422, '#/data/1/shelf_id', '#/data/3/shelf_id'])
      const keeperRow = async (open: boolean) => {
        const { data } = await served.call('POST', '/v2/keepers', { body: { name: 'x', open } })
        return data.id
      }
      const [seen, hidden] = [await keeperRow(true), await keeperRow(false)]
      const unread = await send([
        book({ helper_id: seen }),
        book({ helper_id: hidden }),
        book({ helper_id: noId }),
      ])
      expect([unread.status, ...unread.faults]).toEqual([422, '#/data/1/helper_id', '#/data/2/helper_id'])
      expect(await count()).toBe(0)
    })

    test('a row that the rules forbid is 403 with its place, and nothing is written', async () => {
      const answer = await send([book(), book({ keeper: 'other' })])
      expect(answer.refusal).toEqual([403, 'not-permitted'])
      expect(answer.problem.detail).toContain('data/1')
      expect(await count()).toBe(0)
      const other = await asKeeper('m2')
      const taken = unique()
      await send([book({ code: taken })])
      const hidden = await send([book({ keeper: 'm2' }), book({ code: taken })], {}, '/v2/books', other)
      expect(hidden.refusal).toEqual([403, 'not-permitted'])
      expect(hidden.problem.detail).toMatch(/^data\/1: /)
    })

    test('of rows that no hook has seen yet, nothing tells what hidden rows they collide with', async () => {
      const other = await asKeeper('m2')
      const [hidden, own] = [unique(), unique()]
      await send([{ keeper: 'm2', code: hidden }], {}, '/v2/wishes', other)
      const wish = { keeper: 'm1', code: own }
      for (const rows of [
        [wish, wish, { keeper: 'm2', code: hidden }],
        [wish, wish, { keeper: 'm2', code: unique() }],
      ]) {
        const answer = await send(rows, {}, '/v2/wishes')
        expect(answer.refusal).toEqual([409, 'unique-conflict'])
        expect(answer.faults).toEqual(['#/data/1/keeper', '#/data/1/code'])
        expect(answer.problem.detail).toMatch(/taken in data\/1\.$/)
      }
    })

    test('a field that needs a scope is 403 with the rows that send it', async () => {
      const without = await asKeeper('m1', ['books:write', 'books:read'])
      const answer = await send([book(), book({ cost: 1 }), book({ cost: 2 })], {}, '/v2/books', without)
      expect(answer.refusal).toEqual([403, 'scope-missing'])
      expect(answer.faults).toEqual(['#/data/1/cost', '#/data/2/cost'])
      expect(answer.problem.detail).toMatch(/^data\/1: cost needs the scope /)
      expect(await count()).toBe(0)
    })

    test('a state that forbids one row refuses all', async () => {
      const closed = rowsOf(await send([{ room: 'b' }, { room: 'c' }], {}, '/v2/shelves'))
      for (const { id } of closed)
        await served.call('PATCH', `/v2/shelves/${id}`, { body: { state: 'closed' } })
      const onClosed = closed.map(({ id }) => book({ shelf_id: id })).toReversed()
      const answer = await send([book(), ...onClosed])
      expect(answer.refusal).toEqual([409, 'state-conflict'])
      expect(answer.problem.detail).toMatch(/^data\/1: /)
      expect(await count()).toBe(0)
    })

    test('below an owner they belong to it, and an owner that is not there is 404 before any mistake', async () => {
      const path = `/v2/shelves/${shelf}/books`
      const answer = await send([{ title: 'a' }, { title: 'b', shelf_id: shelf }], {}, path)
      expect(rowsOf(answer).map(({ shelf_id }) => shelf_id)).toEqual([shelf, shelf])
      const other = await send([{ title: 'c', shelf_id: noId }], {}, path)
      expect([other.status, ...other.faults]).toEqual([422, '#/data/0/shelf_id'])
      const nowhere = `/v2/shelves/${noId}/books`
      for (const data of [[{ title: 'd' }], [{}], []])
        expect((await send(data, {}, nowhere)).refusal).toEqual([404, 'not-found'])
    })

    test('an older version has its own names in rows and pointers', async () => {
      const answer = await send([{ name: 'x1', shelf_id: shelf }], {}, '/v1/books')
      expect(rowsOf(answer)[0]).toMatchObject({ name: 'x1', shelf_id: shelf })
      const again = await send(
        [
          { name: 'y', shelf_id: shelf },
          { name: 'x1', shelf_id: shelf },
        ],
        {},
        '/v1/books',
      )
      expect(again.faults).toEqual(['#/data/1/shelf_id', '#/data/1/name'])
      expect((await send([{ title: 'x' }], {}, '/v1/books')).faults).toEqual([
        '#/data/0/title',
        '#/data/0/shelf_id',
        '#/data/0/name',
      ])
    })

    test('one Idempotency-Key stands for all: replayed byte for byte, and another list is 422', async () => {
      const key = { 'Idempotency-Key': unique() }
      const data = [book(), book()]
      const first = await send(data, key)
      const again = await send(data, key)
      expect([again.status, again.text]).toEqual([201, first.text])
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      expect([again.headers.get('location'), again.headers.get('etag')]).toEqual([null, null])
      expect((await send(data.toReversed(), key)).refusal).toEqual([422, 'idempotency-key-reused'])
      await served.call('DELETE', `/v2/books/${rowsOf(first)[0]?.id}`, { as: keeper })
      expect((await send(data, key)).text).toBe(first.text)
      expect(await count()).toBe(1)
    })

    test('a list that was refused leaves its key free', async () => {
      const key = { 'Idempotency-Key': unique() }
      expect((await send([book({ pages: -1 })], key)).status).toBe(422)
      expect((await send([book()], key)).status).toBe(201)
    })

    test('twenty at once with one key make the rows once', async () => {
      const key = { 'Idempotency-Key': unique() }
      const data = [book(), book(), book()]
      const answers = await Promise.all(Array.from({ length: 20 }, () => send(data, key)))
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
      expect(await count()).toBe(3)
    })

    test('hooks run for each row in turn, each with a key of its own, and a replay reads all rows again', async () => {
      const key = { 'Idempotency-Key': unique() }
      const data = [{ place: unique() }, { place: unique() }, { place: unique() }]
      const answer = await send(data, key, '/v2/visits')
      const [from = 0, ...others] = rowsOf(answer).map(({ number }) => Number(number))
      expect(others).toEqual([from + 1, from + 2])
      expect(new Set(keysSeen).size).toBe(3)
      const again = await send(data, key, '/v2/visits')
      expect([again.text, again.headers.get('idempotent-replayed-body')]).toEqual([answer.text, 'current'])
      const id = rowsOf(answer)[1]?.id
      await served.call('PATCH', `/v2/visits/${id}`, { body: { number: 99 } })
      expect(rowsOf(await send(data, key, '/v2/visits')).map(({ number }) => number)).toEqual([
        from,
        99,
        from + 2,
      ])
      expect(keysSeen).toHaveLength(3)
    })

    test('what a hook refuses, or the store after it, refuses all rows, with the place', async () => {
      const place = unique()
      const refused = await send([{ place }, { place: 'far away' }], {}, '/v2/visits')
      expect([...refused.refusal, ...refused.faults]).toEqual([409, 'too-far', '#/data/1/place'])
      const twice = await send([{ place }, { place: unique() }, { place }], {}, '/v2/visits')
      expect([...twice.refusal, ...twice.faults]).toEqual([409, 'unique-conflict', '#/data/2/place'])
      const missing = await send(
        [
          { place, shelf_id: noId },
          { place: 'b', shelf_id: noId },
        ],
        {},
        '/v2/visits',
      )
      expect(missing.faults).toEqual(['#/data/0/shelf_id', '#/data/1/shelf_id'])
      expect(await count(`/v2/visits?filter[place]=${place}`)).toBe(0)
    })

    test('rows that one answer could not hold are refused before they are written', async () => {
      const data = Array.from({ length: 20 }, () => ({ place: unique() }))
      const answer = await send(data, {}, '/v2/visits')
      expect(answer.refusal).toEqual([422, 'response-too-large'])
      expect(answer.problem.limit).toBe(2_000)
      expect(await count(`/v2/visits?filter[place]=${data[0]?.place}`)).toBe(0)
    })
  },
  { declaration },
  storeForms,
)

describeServing(
  'the rate of lists',
  (served) => {
    test('each row counts as a call, and a list beyond it is 429 before anything is written', async () => {
      const send = (rows: number) =>
        served.call('POST', '/v2/slow-notes', { body: { data: Array(rows).fill({ text: 'x' }) } })
      expect((await send(11)).status).toBe(422)
      expect((await send(6)).status).toBe(201)
      const left = await send(4)
      expect(left.status).toBe(429)
      expect(left.problem.detail).toMatch(
        /^A list counts as one request for each row, and this one has 4\. More than/,
      )
      expect(Number(left.headers.get('retry-after'))).toBeGreaterThan(0)
      const { rows } = await served.get('/v2/slow-notes')
      expect(rows).toHaveLength(6)
    })
  },
  { declaration, rate: '1000' },
)

describeServing('order lines of the shop', (served: Serving) => {
  test('come as a list in both versions, with one event each, and the total follows', async () => {
    const order = await newOrder(served)
    const product = await newProduct(served)
    const line = { product_id: product.id, quantity: 2, unit_price: 50 }
    for (const version of ['v2', 'v1']) {
      const path = `/${version}/orders/${order.id}/items`
      const answer = await served.call('POST', path, { body: { data: [line, line, line] } })
      expect(answer.status, answer.text).toBe(201)
      const [row] = rowsOf(answer)
      const told = await served.get(`/${version}/events?filter[resource_id]=${row?.id}`)
      expect(told.rows.map(({ type, data }) => ({ type, data }))).toEqual([
        { type: 'order-items.created', data: row },
      ])
    }
    expect((await served.get(`/v2/orders/${order.id}`)).data.total).toBe(600)
  })
})

test('on PostgreSQL, lists at once with the same unique values in other orders do not wait for each other in turn', async () => {
  // Locks are given up before PostgreSQL looks for a deadlock, which it does after a second.
  const url = await emptyDatabase('postgres')
  const terms = resource('terms', {
    fields: { text: z.string() },
    bulk: true,
    shared: true,
    unique: ['text'],
    // So that each list has a connection of its own.
    rules: { read: () => true, create: ({ row }) => row.text.isNot('') },
  })
  const declaration = api('terms', { resources: [terms] })
  const { call } = await serve('postgres', `${url}?lock_timeout=900`, { declaration })
  const send = (...texts: readonly string[]) =>
    call('POST', '/v1/terms', { body: { data: texts.map((text) => ({ text })) } })
  const sql = postgres(url)
  const other = await sql.reserve()
  await other`BEGIN`
  await other`INSERT INTO "terms" ("id", "text", "created_at", "updated_at", "version") VALUES (${noId}, 'b', now(), now(), 1)`
  const lists = [send('c', 'b', 'a'), send('a', 'b', 'c')]
  await until(
    async () => {
      const waiting =
        await sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      return waiting.length === lists.length
    },
    { within: 5_000 },
  )
  await other`ROLLBACK`
  other.release()
  const answers = await Promise.all(lists)
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
  await sql.end()
})

describe('a declaration of lists', () => {
  const told = (options: object) => () =>
    compileApi(
      api('x', { resources: [resource('books', { fields: { title: z.string() }, bulk: true, ...options })] }),
    )
  test.each([
    [{ methods: ['GET'] }, 'a list is sent by POST, which is not offered'],
    [{ rate: { perSecond: 5 } }, 'Write limits: { bulkRows: 10 }'],
    [{ limits: { bulkRows: 1_001 } }, 'Write a whole number from 1 to 1000'],
  ])('%j is a mistake', (options, says) => {
    expect(told(options)).toThrow(says)
  })
})
