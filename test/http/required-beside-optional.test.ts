import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import {
  api,
  belongsTo,
  decimal,
  hasMany,
  makeRequired,
  renameField,
  resource,
  version,
} from '../../src/index.ts'
import { completeRequired } from '../../src/lifecycle/complete-required.ts'
import { type Answer, type Serving, serve } from '../support/serving.ts'
import { describeStores, type StoreUnderTest } from '../support/stores.ts'

const shelf = { relations: { books: hasMany('books') }, include: ['books'] as const }
const grade = z.enum(['low', 'high'])

/** Before: everything may be left out. */
const books = resource('books', {
  fields: {
    title: z.string().max(40),
    tongue: z.enum(['de', 'en']).optional(),
    pages: z.int().optional(),
    price: decimal({ scale: 2 }).optional(),
    bound: z.boolean().optional(),
    grade: grade.optional(),
  },
  relations: { shelf: belongsTo('shelves', { optional: true }) },
  filter: ['tongue', 'pages', 'price', 'bound', 'grade'],
  sort: ['tongue', 'pages', 'grade'],
  count: true,
})
const shelves = resource('shelves', { fields: {}, ...shelf })
const older = api('library', {
  resources: [shelves, books, resource('book-totals', { totals: { of: 'books', by: ['tongue'] } })],
  events: { keepDays: 1 },
  versions: [version('v1', { published: '2025-01-01' })],
})

const absent = { tongue: 'en', pages: 1, price: '2.50', bound: true, grade: 'low' } as const
const newer = api('library', {
  resources: [
    shelves,
    resource('books', {
      fields: {
        title: z.string().max(40),
        language: z.enum(['de', 'en']),
        pages: z.int(),
        price: decimal({ scale: 2 }),
        bound: z.boolean(),
        grade,
      },
      relations: { shelf: belongsTo('shelves', { optional: true }) },
      filter: ['language', 'pages', 'price', 'bound', 'grade'],
      sort: ['language', 'pages', 'grade'],
      count: true,
    }),
    resource('book-totals', { totals: { of: 'books', by: ['language'] } }),
  ],
  events: { keepDays: 1 },
  versions: [
    version('v2'),
    version('v1', {
      published: '2025-01-01',
      changes: [
        renameField('books', 'tongue', 'language'),
        makeRequired('books', 'language', { whenAbsent: 'en', why: 'all books have one' }),
        makeRequired('books', 'pages', { whenAbsent: 1, why: 'all books have some' }),
        makeRequired('books', 'price', { whenAbsent: '2.50', why: 'all books have one' }),
        makeRequired('books', 'bound', { whenAbsent: true, why: 'all books are' }),
        makeRequired('books', 'grade', { whenAbsent: 'low', why: 'all books have one' }),
      ],
    }),
  ],
})

const contracts = () => {
  const model = compileApi(older)
  return new Map<string, unknown>([['v1', contractOf(model, model.head)]])
}

interface Both {
  readonly url: string
  readonly old: Serving
  readonly now: Serving
  /** The answer of v1, which is the same from both. */
  same(path: string): Promise<Answer>
}

/** Cursors are sealed anew each time. */
const rowsText = ({ text }: Answer): string => text.replace(/"next_cursor":"[^"]+"/, '')

async function both(store: StoreUnderTest): Promise<Both> {
  const url = await store.url()
  const options = { contracts: contracts() }
  const old = await serve(store.kind, url, { declaration: older, ...options })
  await old.make('/v1/books', { title: 'first' })
  const now = await serve(store.kind, url, { declaration: newer, ...options })
  return {
    url,
    old,
    now,
    async same(path) {
      const [one, other] = [await old.get(path), await now.get(path)]
      expect([one.status, rowsText(one), one.etag], path).toEqual([other.status, rowsText(other), other.etag])
      return one
    },
  }
}

describeStores('a field that becomes required while processes of the older declaration serve', (store) => {
  test('has a value in the version that requires it, and none in the older one, from both processes', async () => {
    const { old, now, same } = await both(store)
    const { id } = await old.make('/v1/books', { title: 'bare' })
    await old.make('/v1/books', {
      title: 'full',
      tongue: 'de',
      pages: 9,
      price: '7.00',
      bound: false,
      grade: 'high',
    })
    const { tongue, ...others } = absent
    const shown = (await now.get(`/v2/books/${id}`)).data
    expect(shown).toMatchObject({ title: 'bare', language: tongue, ...others })
    expect((await same(`/v1/books/${id}`)).data).toMatchObject({
      tongue: null,
      pages: null,
      price: null,
      bound: null,
      grade: null,
    })
    for (const [name, value] of Object.entries({ language: tongue, ...others })) {
      const titles = async (path: string) => (await now.get(path)).rows.map(({ title }) => title)
      expect(await titles(`/v2/books?filter[${name}]=${value}`), name).toEqual(['first', 'bare'])
      expect(await titles(`/v2/books?filter[${name}][ne]=${value}`), name).toEqual(['full'])
      const then = name === 'language' ? 'tongue' : name
      expect((await same(`/v1/books?filter[${then}]=${value}`)).rows).toEqual([])
      expect((await same(`/v1/books?filter[${then}]=null`)).rows).toHaveLength(2)
    }
    expect((await now.get('/v2/book-totals?by=language')).rows).toEqual([
      { language: 'de', count: 1 },
      { language: 'en', count: 2 },
    ])
    await same('/v1/book-totals?by=tongue')
    await same('/v1/books?sort=-tongue,pages&count=true')
  })

  test('is filled by a write of the newer process, told alike by both, and conditions hold across both', async () => {
    const { old, now, same } = await both(store)
    const { id } = await old.make('/v1/books', { title: 'bare' })
    const [tag, newTag] = [(await same(`/v1/books/${id}`)).etag, (await now.get(`/v2/books/${id}`)).etag]
    expect(newTag.split('.')[0]).toBe(tag.split('.')[0])
    // An older process changes something else: there still is no value.
    const renamed = await old.call('PATCH', `/v1/books/${id}`, {
      body: { title: 'older' },
      headers: { 'If-Match': tag },
    })
    expect(renamed.data).toMatchObject({ title: 'older', tongue: null })
    expect(
      (
        await now.call('PATCH', `/v2/books/${id}`, {
          body: { title: 'late' },
          headers: { 'If-Match': newTag },
        })
      ).status,
    ).toBe(412)
    expect((await now.get(`/v2/books/${id}`)).data).toMatchObject({
      title: 'older',
      language: 'en',
      price: '2.50',
    })
    // A write of the newer process that changes nothing writes nothing, and shows what is stored.
    const unchanged = await now.call('PATCH', `/v1/books/${id}`, { body: { tongue: null, title: 'older' } })
    expect([unchanged.text, unchanged.etag]).toEqual([renamed.text, renamed.etag])
    expect((await now.call('PATCH', `/v2/books/${id}`, { body: { language: 'en' } })).data).toMatchObject({
      language: 'en',
      pages: 1,
    })
    expect((await same(`/v1/books/${id}`)).text).toBe(renamed.text)
    const patched = await now.call('PATCH', `/v1/books/${id}`, {
      body: { title: 'newer' },
      headers: { 'If-Match': renamed.etag },
    })
    expect(patched.data).toMatchObject({ title: 'newer', tongue: 'en', pages: 1 })
    expect((await same(`/v1/books/${id}`)).text).toBe(patched.text)
    // What v1 leaves out, the newer process stores; what it sets to null, too.
    const made = await now.make('/v1/books', { title: 'made', tongue: null })
    expect((await same(`/v1/books/${made.id}`)).data).toMatchObject({ tongue: 'en', bound: true })
    const removed = await old.make('/v1/books', { title: 'gone' })
    expect((await old.call('DELETE', `/v1/books/${removed.id}`)).status).toBe(204)
    const events = (await same('/v1/events?limit=100')).rows.map(({ type, data }) => [
      type,
      (data as { title: string }).title,
      (data as { tongue: string | null }).tongue,
    ])
    expect(events).toEqual([
      ['books.created', 'first', null],
      ['books.created', 'bare', null],
      ['books.updated', 'older', null],
      ['books.updated', 'newer', 'en'],
      ['books.created', 'made', 'en'],
      ['books.created', 'gone', null],
      ['books.deleted', 'gone', null],
    ])
    const told = (await now.get('/v2/events?limit=100')).rows.map(
      ({ data }) => (data as { language: string }).language,
    )
    expect(new Set(told)).toEqual(new Set(['en']))
  })

  test('is walked page by page by both in turn, by values and without', async () => {
    const { old, now } = await both(store)
    for (const tongue of ['de', null, 'en', null, 'de'])
      await old.make('/v1/books', { title: `${tongue}`, tongue })
    const walk = async (path: string, turns: readonly Serving[]) => {
      const seen: unknown[] = []
      let cursor = ''
      for (let turn = 0; ; turn++) {
        const page = await (turns[turn % turns.length] as Serving).get(`${path}&limit=1${cursor}`)
        seen.push(...page.rows.map(({ tongue, language }) => (tongue === undefined ? language : tongue)))
        if (!page.page.next_cursor) return seen
        cursor = `&cursor=${page.page.next_cursor}`
      }
    }
    expect(await walk('/v1/books?sort=tongue', [old, now])).toEqual([null, null, null, 'de', 'de', 'en'])
    expect(await walk('/v1/books?sort=-tongue', [now, old])).toEqual(['en', 'de', 'de', null, null, null])
    expect(await walk('/v2/books?sort=language', [now])).toEqual(['de', 'de', 'en', 'en', 'en', 'en'])
    expect(await walk('/v2/books?sort=-grade,language', [now])).toEqual(['de', 'de', 'en', 'en', 'en', 'en'])
  })

  test('is filled once no older process serves, without a new version or event, and may be left out again by an older process that starts', async () => {
    const { url, old, now } = await both(store)
    const { id } = await old.make('/v1/books', { title: 'bare' })
    const complete = () =>
      completeRequired({ ...now.api.service, warn: () => {} }, new AbortController().signal)
    const lacking = async () =>
      Number((await now.store.all('SELECT count(*) FROM "books" WHERE "tongue" IS NULL', []))[0]?.[0])
    const [before, told] = [await now.get(`/v2/books/${id}`), await now.get('/v1/events?limit=100')]
    await complete()
    expect(await lacking()).toBe(2)
    await old.api.close()
    await complete()
    expect(await lacking()).toBe(0)
    expect(await now.get(`/v2/books/${id}`)).toMatchObject({ text: before.text, etag: before.etag })
    expect(rowsText(await now.get('/v1/events?limit=100'))).toBe(rowsText(told))
    expect((await now.get(`/v1/books/${id}`)).data).toMatchObject({ tongue: 'en' })
    await expect(now.store.writeOne('UPDATE "books" SET "tongue" = NULL', [])).rejects.toThrow()
    // The process learns that a value is always there, and an older one that starts takes that back before it serves.
    await now.api.service.lifecycle.beat()
    expect(now.api.service.model.stored.get('books')?.field.get('language')?.mayLack).toBe(false)
    const options = { declaration: older, contracts: contracts() }
    const again = await serve(store.kind, url, options)
    await now.api.service.lifecycle.beat()
    const late = await again.make('/v1/books', { title: 'late' })
    expect(late).toMatchObject({ tongue: null })
    expect((await now.get(`/v1/books/${late.id}`)).data).toMatchObject({ tongue: null })
    expect((await now.get(`/v2/books/${late.id}`)).data).toMatchObject({ language: 'en', pages: 1 })
    await complete()
    expect(await lacking()).toBe(1)
  })
})
