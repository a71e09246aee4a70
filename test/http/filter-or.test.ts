import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import {
  api,
  belongsTo,
  hasMany,
  mapValues,
  needsScope,
  renameField,
  resource,
  version,
} from '../../src/index.ts'
import { type Answer, describeServing } from '../support/serving.ts'

const keepers = resource('keepers', {
  fields: { city: z.string(), open: z.boolean().default(true) },
  rules: { read: ({ row, caller }) => row.open.is(caller.claim('open')) },
})
const books = resource('books', {
  fields: {
    title: z.string(),
    pages: z.int().optional(),
    kind: z.enum(['new', 'old', 'lost']).default('new'),
    cost: needsScope('books:finance', z.int().optional()),
  },
  relations: { keeper: belongsTo('keepers', { optional: true }), notes: hasMany('notes') },
  filter: ['title', 'pages', 'kind', 'cost', 'keeper.city'],
  sort: ['title', 'pages'],
  include: ['notes'],
  count: true,
})
const notes = resource('notes', {
  fields: { text: z.string() },
  relations: { book: belongsTo('books') },
  filter: ['text', 'book.title'],
})
const declaration = api('library', {
  resources: [keepers, books, notes],
  events: { keepDays: 7 },
  scopes: { 'books:finance': 'See what books cost.' },
  versions: [
    version('v2', { published: '2026-02-01' }),
    version('v1', {
      published: '2026-01-01',
      changes: [
        renameField('books', 'name', 'title', { why: 'Titles.' }),
        mapValues('books', 'kind', { fresh: 'new' }, { onlyInNewer: { lost: 'old' }, why: 'Words.' }),
      ],
    }),
  ],
})

describeServing(
  'filters that are alternatives',
  (served) => {
    let key = ''
    const ids = new Map<string, string>()
    beforeAll(async () => {
      key = await served.api.key('acme', { name: 'open', scopes: ['*'], claims: { open: true } })
      const hider = await served.api.key('acme', { name: 'hidden', scopes: ['*'], claims: { open: false } })
      const make = async (path: string, body: object, as = key) => (await served.make(path, body, { as })).id
      const bonn = await make('/v2/keepers', { city: 'Bonn' })
      const hidden = await make('/v2/keepers', { city: 'Bonn', open: false }, hider)
      const rows: readonly (readonly [string, object, string?])[] = [
        ['a', { pages: 10, keeper_id: bonn }],
        ['b', { pages: 20, kind: 'old', cost: 5 }],
        ['c', { kind: 'lost' }],
        ['d', { pages: 40, kind: 'old' }],
        ['e', { pages: 50, keeper_id: hidden }, hider],
      ]
      for (const [title, body, as] of rows) ids.set(title, await make('/v2/books', { title, ...body }, as))
      await make('/v2/notes', { text: 'x', book_id: ids.get('a') })
      await make('/v2/notes', { text: 'y', book_id: ids.get('b') })
      await served.make('/v2/books', { title: 'a', pages: 10 }, { as: 'globex' })
    })
    const get = (query: string, path = '/v2/books', as = key) => served.get(`${path}?${query}`, { as })
    const titles = (answer: Answer, name = 'title') => {
      expect(answer.status, answer.text).toBe(200)
      return answer.rows.map((row) => row[name]).join('')
    }
    const found = async (query: string, path?: string) => titles(await get(query, path))

    test.each([
      ['filter[or][0][title]=a&filter[or][1][title]=d', 'ad'],
      ['filter[or][0][title]=a', 'a'],
      ['filter[or][0][kind]=old&filter[or][0][pages][gte]=30&filter[or][1][title]=a', 'ad'],
      ['filter[or][1][title]=a&filter[or][0][pages][lt]=25', 'ab'],
      ['filter[or][0][pages]=null&filter[or][1][pages][gt]=40', 'ce'],
      ['filter[or][0][pages][ne]=10&filter[or][1][title]=a', 'abcde'],
      ['filter[or][0][title][in]=a,b&filter[or][1][title][in]=b,c', 'abc'],
      ['filter[or][0][title]=a&filter[or][1][title]=b&filter[kind]=old', 'b'],
      ['filter[or][0][keeper.city]=Bonn&filter[or][1][title]=d', 'ad'],
      ['filter[or][0][keeper.city][ne]=Ulm&filter[or][1][title]=e', 'abcde'],
      ['filter[or][0][keeper.city][ne]=Ulm&filter[or][1][title]=x', 'abcd'],
      ['filter[or][0][keeper.city]=null&filter[or][0][kind]=old&filter[or][1][pages]=10', 'abd'],
      ['filter%5Bor%5D%5B0%5D%5Btitle%5D=a&filter%5Bor%5D%5B1%5D%5Btitle%5D=d', 'ad'],
      [
        [0, 1, 2, 3, 4]
          .map((at) => `filter[or][${at}][title]=${'abcde'[at]}&filter[or][${at}][pages][in]=10,20,40`)
          .join('&'),
        'abd',
      ],
    ])('%s finds %s', async (query, expected) => {
      expect(await found(query)).toBe(expected)
      const { page } = await get(`${query}&count=true&limit=1`)
      expect(page.total).toBe(expected.length)
    })

    test('statements of one shape share a plan, and those of other shapes do not', async () => {
      const or = (...alternatives: string[]) =>
        alternatives.map((one, at) => one.replaceAll('#', `filter[or][${at}]`)).join('&')
      expect(await found(or('#[title]=a', '#[title]=b'))).toBe('ab')
      expect(await found(or('#[title]=c', '#[title]=d'))).toBe('cd')
      expect(await found(or('#[title]=c&#[pages]=40', '#[title]=d'))).toBe('d')
      expect(await found(or('#[title]=c', '#[pages]=40&#[title]=d'))).toBe('cd')
      expect(await found(`${or('#[title]=c')}&filter[title]=d`)).toBe('')
      expect(await found(or('#[title]=c', '#[title]=d', '#[title]=e'))).toBe('cde')
    })

    test('pages go on by a cursor, which is bound to the alternatives, in whatever order they stand', async () => {
      const query = 'filter[or][0][kind]=old&filter[or][1][pages]=10&filter[or][2][pages]=50'
      let [seen, cursor] = ['', '']
      for (let pages = 0; pages < 5; pages++) {
        const answer = await get(`${query}&sort=-title&limit=2${cursor && `&cursor=${cursor}`}`)
        seen += titles(answer)
        if (!answer.page.next_cursor) break
        cursor = answer.page.next_cursor
      }
      expect(seen).toBe('edba')
      const { page } = await get(`${query}&limit=1`)
      const turned = 'filter[or][2][kind]=old&filter[or][0][pages]=50&filter[or][1][pages]=10'
      expect(await found(`${turned}&limit=1&cursor=${page.next_cursor}`)).toBe('b')
      for (const other of [
        'filter[or][0][kind]=old&filter[or][1][pages]=10&filter[or][2][pages]=51',
        'filter[or][0][kind]=old&filter[or][0][pages]=10&filter[or][1][pages]=50',
        'filter[kind]=old',
      ])
        expect((await get(`${other}&cursor=${page.next_cursor}`)).refusal).toEqual([400, 'bad-cursor'])
    })

    test('the link to the next page and the canonical URL have them', async () => {
      const answer = await get('filter[or][0][title]=a&filter[or][1][title]=b&limit=1&include=notes,notes')
      expect(answer.headers.get('link')).toContain('filter[or][0][title]=a&filter[or][1][title]=b&limit=1')
      expect(answer.headers.get('content-location')).toContain('filter[or][1][title]=b')
    })

    test('below an owner they are of its rows alone', async () => {
      const path = `/v2/books/${ids.get('a')}/notes`
      const answer = await get('filter[or][0][text]=x&filter[or][1][book.title]=b', path)
      expect(titles(answer, 'text')).toBe('x')
      expect(
        titles(await get('filter[or][0][text]=x&filter[or][1][book.title]=b', '/v2/notes'), 'text'),
      ).toBe('xy')
    })

    test('an older version has its own names and values', async () => {
      const names = async (query: string) => titles(await get(query, '/v1/books'), 'name')
      expect(await names('filter[or][0][name]=a&filter[or][1][kind]=old')).toBe('abcd')
      expect(await names('filter[or][0][kind]=fresh&filter[or][1][name]=d')).toBe('ade')
      const wrong = await get('filter[or][0][title]=a&filter[or][1][kind]=new', '/v1/books')
      expect(wrong.faults).toEqual(['filter[or][0][title]', 'filter[or][1][kind]'])
      expect(wrong.problem.errors?.[0]?.allowed).toContain('name')
    })

    test('a field that needs a scope, and one of rows that may not be read, are 403', async () => {
      const plain = await served.api.key('acme', {
        name: 'plain',
        scopes: ['books:read'],
        claims: { open: true },
      })
      const cost = await get('filter[or][0][title]=a&filter[or][1][cost]=5', '/v2/books', plain)
      expect([...cost.refusal, ...cost.faults]).toEqual([403, 'scope-missing', 'filter[or][1][cost]'])
      const city = await get('filter[or][0][title]=a&filter[or][1][keeper.city]=Bonn', '/v2/books', plain)
      expect(city.refusal).toEqual([403, 'scope-missing'])
      expect(await found('filter[or][0][cost]=5&filter[or][1][title]=a')).toBe('ab')
    })

    const six = [0, 1, 2, 3, 4].map((at) => `filter[or][${at}][title]=a`).join('&')
    test.each([
      ['filter[or]=a', ['filter[or]'], 'write filter[or][0][title]'],
      ['filter[or][0]=a', ['filter[or][0]'], 'write filter[or][0][title]'],
      ['filter[or][title]=a', ['filter[or][title]'], 'write filter[or][0][title]'],
      ['filter[or][gte]=1', ['filter[or][gte]'], 'write filter[or][0][title]'],
      ['filter[or][][title]=a', ['filter[or][][title]'], 'write filter[or][0][title]'],
      ['filter[or][0][title][in][x]=a', ['filter[or][0][title][in][x]'], 'write filter[or][0][title]'],
      ['filter[or][-1][title]=a', ['filter[or][-1][title]'], 'write filter[or][0][title]'],
      ['filter[or][00][title]=a', ['filter[or][00][title]'], 'numbered 0 to 4'],
      [`${six}&filter[or][5][title]=a`, ['filter[or][5][title]'], 'at most 5 alternatives'],
      ['filter[or][999999999][title]=a', ['filter[or][999999999][title]'], 'at most 5 alternatives'],
      ['filter[or][1][title]=a', ['filter[or][1][title]'], 'there is no filter[or][0]'],
      [
        'filter[or][0][title]=a&filter[or][3][title]=b',
        ['filter[or][3][title]', 'filter[or][3][title]'],
        'there is no filter[or][1]',
      ],
      [
        ['', '[ne]', '[in]', '[gt]', '[gte]', '[lt]'].map((op) => `filter[or][0][title]${op}=a`).join('&'),
        ['filter[or][0][title][lt]'],
        'at most 5 conditions',
      ],
      ['filter[or][0][or][0][title]=a', ['filter[or][0][or][0][title]'], 'one level'],
      [
        'filter[or][0][title]=a&filter[or][0][title]=b',
        ['filter[or][0][title]'],
        'filter[or][0][title][in]=a,b',
      ],
      ['filter[or][0][title]=a&filter[or][0][title][eq]=b', ['filter[or][0][title][eq]'], 'given twice'],
      ['filter[or][0][title]=', ['filter[or][0][title]'], 'is empty'],
      ['filter[or][0][titel]=a', ['filter[or][0][titel]'], 'did you mean filter[or][0][title]?'],
      ['filter[or][0][keeper_id]=a', ['filter[or][0][keeper_id]'], 'is not offered'],
      ['filter[or][0][title][like]=a', ['filter[or][0][title][like]'], 'unknown operator'],
      ['filter[or][0][kind][gt]=new', ['filter[or][0][kind][gt]'], 'can only be tested'],
      ['filter[or][0][pages]=x', ['filter[or][0][pages]'], 'is not'],
      ['or[0][title]=a', ['or[0][title]'], 'is not a parameter of a list'],
    ])('%s is 400, with what to write', async (query, faults, says) => {
      const answer = await get(query)
      expect(answer.refusal).toEqual([400, 'bad-query'])
      expect(answer.faults).toEqual(faults)
      expect(answer.problem.detail).toContain(says)
    })

    test('events and resources without filters have none', async () => {
      for (const name of ['events', 'keepers']) {
        const { refusal, problem } = await get('filter[or][0][type]=x', `/v2/${name}`)
        expect(refusal).toEqual([400, 'bad-query'])
        expect(problem.detail).toContain(`lists of ${name} take no alternatives`)
      }
    })

    test('each condition is counted as a use of its filter', async () => {
      const { use } = await import('../../src/request/read-query.ts').then(({ readListQuery }) => {
        const view = compileApi(declaration).head.views.get('books')
        if (!view) throw new Error('no books')
        const all = { mayKnow: () => true, mayRead: () => true }
        return {
          use: readListQuery('filter[or][0][title]=a&filter[or][1][pages]=1', view, 100, all).list.uses,
        }
      })
      expect(use?.filters).toEqual(['title', 'pages'])
    })
  },
  { declaration },
)

describe('a declaration', () => {
  test('cannot offer a filter called or', () => {
    const told = () =>
      compileApi(api('x', { resources: [resource('books', { fields: { or: z.string() }, filter: ['or'] })] }))
    expect(told).toThrow('filter[or] stands for alternatives')
  })

  test('an older version that was published without alternatives, or has a filter called or, has none', () => {
    const contract = JSON.parse(
      JSON.stringify(
        contractOf(compileApi(declaration), compileApi(declaration).versions[1] as never),
      ).replaceAll(',"filter[or]"', ''),
    )
    const model = compileApi(declaration, { contracts: new Map([['v1', contract]]) })
    expect(model.versions.map(({ views }) => views.get('books')?.eitherOr)).toEqual([true, false])
    const renamed = api('x', {
      resources: [resource('books', { fields: { title: z.string() }, filter: ['title'] })],
      versions: [
        version('v2', { published: '2026-02-01' }),
        version('v1', { published: '2026-01-01', changes: [renameField('books', 'or', 'title')] }),
      ],
    })
    expect(compileApi(renamed).versions.map(({ views }) => views.get('books')?.eitherOr)).toEqual([
      true,
      false,
    ])
  })
})
