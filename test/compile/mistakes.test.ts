import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { Mistakes } from '../../src/compile/mistakes.ts'
import {
  became,
  immutable,
  needsScope,
  open,
  readOnly,
  states,
  sum,
  was,
  writeOnly,
} from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { library, linesOf } from './declarations.ts'

type Over = Parameters<typeof library>[0]

test('the declaration that all these are made from has no mistake', () => {
  expect(linesOf(library({}))).toEqual([])
})

const bookFields = { title: z.string(), price: z.int() }
const bookRelations = { author: belongsTo('authors'), leaves: hasMany('book-pages') }
const unlisted = resource('readers', { fields: {} })
const hooks = { beforeCreate: () => undefined }

const cases: { readonly [about: string]: readonly (readonly [Over, ...string[]])[] } = {
  'the api': [
    [{ api: { resources: [] } }, 'resources: there are none. List at least one'],
    [{ api: { resources: [{}] } }, 'resources[0]: this is not a resource.'],
    [{ api: { resorces: [] } }, 'api: "resorces" is not an option. Did you mean "resources"?'],
    [{ api: { unversioned: 'v2' } }, 'unversioned: there is no version "v2". Did you mean "v1"?'],
    [{ api: { versions: [] } }, 'versions: the list is empty.'],
    [{ api: { accounts: 'many' } }, 'accounts: "many" is not a choice.'],
    [{ api: { seed: {} } }, "seed.accounts: it is missing. Write it like this: accounts: ['acme']."],
    [
      {
        api: {
          accounts: 'one',
          seed: { accounts: ['acme'], demoKeys: [{ account: 'acme', name: 'x', scopes: [] }] },
        },
      },
      "seed.accounts: the API has one account (accounts: 'one'), which needs no name. Take it out",
    ],
    [
      { api: { accounts: 'one', tokens: { claims: { account: 'tenant' } } } },
      "tokens.claims.account: the API has one account (accounts: 'one'), which needs no name.",
    ],
    [{ api: { versions: ['v1'] } }, 'versions[0]: this is not a version. Write version('],
    [{ api: { versions: [version('1')] } }, 'versions: "1" is not a version\'s name. Write "v1"'],
    [{ api: { versions: [version('v1'), version('v2')] } }, 'versions: "v1" comes before "v2".'],
    [{ api: { limits: { pageMax: 0 } } }, 'limits.pageMax: 0 is out of range.'],
    [{ api: { limits: { pagemax: 9 } } }, 'limits: "pagemax" is not a limit. Did you mean "pageMax"?'],
    [
      { api: { limits: { bulkRows: '10' as never } } },
      'limits.bulkRows: "10" is not a number. Write a whole',
    ],
    [
      { books: { limits: { streams: 5 } as never } },
      'books.limits: "streams" is a limit of the whole API, and no resource has its own. Write it into the limits of api(…).',
    ],
    [{ api: { limits: { rowsPerRequest: 10 } } }, 'limits.rowsPerRequest: 10 is less than one page of 100.'],
    [{ api: { rate: { perSecond: 0 } } }, 'rate.perSecond: 0 is not a rate.'],
    [
      { books: { rate: { perSecond: 150 } } },
      "books.rate.perSecond: 150 is more than the API's 100, which every call must pass too.",
      'Write at most 100, or raise the "rate" of the API.',
    ],
    [
      { api: { rate: { perSecond: 5 } }, books: { rate: { perSecond: 5, burst: 11 } } },
      "books.rate.burst: 11 is more than the API's 10",
    ],
    [{ api: { events: {} } }, 'events.keepDays: it is missing.'],
    [{ api: { events: { keepDays: 0 } } }, 'events.keepDays: events cannot be kept for 0 days.'],
    [{ api: { events: { keepDays: 1.5 } } }, 'events.keepDays: events cannot be kept for 1.5 days.'],
    [{ books: { events: true } }, 'books.events: the API has no events. Write events: { keepDays: 30 }'],
    [
      {
        api: { events: { keepDays: 30 } },
        more: [{ name: 'loans', fields: {}, shared: true, events: true }],
      },
      'loans.events: a shared resource has no events',
    ],
    [
      { api: { events: { keepDays: 30 } }, more: [{ name: 'events', fields: {} }] },
      'events: where an API has events, "/events" is a collection of the engine\'s own.',
    ],
    [
      { api: { events: { keepDays: 30 } }, more: [{ name: 'webhook-endpoints', fields: {} }] },
      '"/webhook-endpoints" is a collection of the engine\'s own.',
    ],
    [
      { api: { versions: [version('v1', { published: '2026-02-30' })] } },
      '"2026-02-30" is not a calendar day.',
    ],
  ],
  names: [
    [{ more: [{ name: 'loan', fields: {} }] }, 'loan: "loan" is not plural', 'Write "loans".'],
    [{ more: [{ name: 'books', fields: {} }] }, 'books: two resources have this name.'],
    [{ more: [{ name: 'nounkit-keys', fields: {} }] }, "would name a table of the engine's own"],
    [
      { api: { unversioned: 'v1' }, more: [{ name: 'docs', fields: {} }] },
      '"/docs" is a path of the service itself.',
    ],
    [
      { books: { fields: { unitPrice: z.int() } } },
      'books.fields.unitPrice: "unitPrice" is not snake_case. Write "unit_price".',
    ],
    [{ books: { fields: { id: z.string() } } }, 'books.fields.id: "id" is reserved'],
    [
      { books: { fields: { ctid: z.string() } } },
      'books.fields.ctid: "ctid" is reserved: every table of PostgreSQL has a column of this name.',
    ],
    [
      { books: { fields: { author_id: z.string() } } },
      'books.relations.author: it makes the field "author_id", which is also declared.',
    ],
    [{ books: { fields: { author: z.string() } } }, 'books.relations.author: "author" is also a field'],
    [{ books: { idPrefix: 'Book' } }, 'books.idPrefix: "Book" is not a prefix.'],
    [{ books: { was: 'books' } }, 'books: was: "books" is its name now. Write the name that it had before'],
    [{ books: { was: 'Old Books' } }, 'books: was: "Old Books" is not a name.'],
    [
      { books: { fields: { ...bookFields, size: became({ big: 'larg' }, z.enum(['large', 'small'])) } } },
      'books.fields.size: became: "larg" is not a value of the field. Did you mean "large"?',
    ],
    [
      { books: { fields: { ...bookFields, size: became({ large: 'small' }, z.enum(['large', 'small'])) } } },
      'books.fields.size: became: "large" is still a value of the field.',
    ],
    [
      { books: { fields: { ...bookFields, size: became({ big: 'large' }, z.string()) } } },
      'books.fields.size: became(…) is for enums and states',
    ],
    [
      { books: { fields: { ...bookFields, title: was('title', z.string()) } } },
      'books.fields.title: was: "title" is its name now.',
    ],
    [
      { books: { relations: { ...bookRelations, author: belongsTo('authors', { was: 'author' }) } } },
      'books.relations.author: was: "author" is its name now.',
    ],
    [
      { books: { was: 'authors' }, authors: { was: 'books' } },
      'names change places (authors was books, books was authors), and a store looks the same before and after that. Do it in two steps: give one of them a third name',
    ],
    [
      {
        books: {
          fields: {
            ...bookFields,
            title: was('x', z.string()),
            x: was('y', z.string()),
            y: was('title', z.string()),
          },
        },
      },
      'books.fields.title: names change places (title was x, x was y, y was title)',
    ],
    [
      {
        books: {
          relations: {
            ...bookRelations,
            author: belongsTo('authors', { was: 'editor' }),
            editor: belongsTo('authors', { was: 'author' }),
          },
        },
      },
      'books.relations.author: names change places (author_id was editor_id, editor_id was author_id)',
    ],
    [
      { authors: { relations: { book: hasMany('books') } } },
      'it is a path segment, and "book" is not plural',
      'Write "books".',
    ],
  ],
  fields: [
    [{ books: { fields: { x: readOnly(z.string()) } } }, 'books.fields.x: nobody can set it'],
    [
      { books: { fields: { x: readOnly(writeOnly(z.string().optional())) } } },
      'both read-only and write-only',
    ],
    [{ books: { fields: { x: open(z.string()) } } }, 'open() is for enums'],
    [{ books: { fields: { x: 'string' } } }, 'books.fields.x: this is not a Zod schema.'],
    [{ books: { fields: { x: immutable('string' as never) } } }, 'books.fields.x: this is not a Zod schema.'],
    [
      { books: { fields: { x: readOnly(states('a', { a: ['b'] }) as never) } } },
      'books.fields.x: this is not a Zod schema.',
      'states(…) or sum(…) with no mark around them.',
    ],
    [
      { books: { fields: { x: z.int().multipleOf(0) } } },
      'books.fields.x: .multipleOf(0) cannot be a field. Write a number above 0.',
    ],
    [{ books: { fields: { x: z.number().multipleOf(Number.NaN) } } }, '.multipleOf(NaN) cannot be a field.'],
    [
      { books: { fields: { x: z.string().max(2).default('abc') } } },
      'its default "abc" is not a value it allows.',
    ],
    [
      { books: { fields: { x: z.string().default(() => `${performance.now()}`) } } },
      'its default is not a constant.',
    ],
    [
      { books: { fields: { x: z.int().meta({ examples: ['a'] }) } } },
      'its example "a" is not a value it allows.',
    ],
  ],
  lists: [
    [
      { books: { filter: ['titel'] } },
      'books.filter: "titel" is not a field of books. Did you mean "title"?',
    ],
    [{ books: { filter: ['author'] } }, '"author" is not a field of books. Write "author_id".'],
    [{ books: { sort: ['tags'] } }, 'books.sort: "tags" is stored as JSON'],
    [{ books: { sort: ['title', 'title'] } }, 'books.sort: "title" is named twice.'],
    [
      { books: { fields: { ...bookFields, key: writeOnly(z.string()) }, filter: ['key'] } },
      'books.filter: "key" is write-only',
    ],
    [{ books: { unique: ['isbn'] } }, 'books.unique: "isbn" is not a field of books.'],
    [{ books: { unique: [['title', 'nope']] } }, 'books.unique: "nope" is not a field of books.'],
    [{ books: { unique: [[]] } }, 'books.unique: an empty set of fields.'],
    [{ books: { unique: ['created_at'] } }, 'books.unique: "created_at" is set by the server.'],
    [
      {
        books: {
          unique: [
            ['title', 'price'],
            ['price', 'title'],
          ],
        },
      },
      'is named twice.',
    ],
  ],
  scopes: [
    [{ api: { scopes: { 'Loans all': 'x' } } }, 'scopes.Loans all: "Loans all" is not the name of a scope.'],
    [{ api: { scopes: { public: 'x' } } }, 'scopes.public: "public" is not the name of a scope.'],
    [{ api: { scopes: { 'books:all': ' ' } } }, 'scopes.books:all: it says nothing to people.'],
    [{ api: { scopes: { 'books:all': 7 } } }, 'scopes.books:all: it must be a text.'],
    [
      { books: { fields: { ...bookFields, cost: needsScope('books:costs', z.int()) } } },
      'books.fields.cost: there is no scope "books:costs". Scopes of your own are declared: api(',
      "api(…, { scopes: { 'books:costs': 'What it opens.' } })",
    ],
    [
      {
        api: { scopes: { 'books:cost': 'See costs.' } },
        books: { fields: { ...bookFields, cost: needsScope('books:costs', z.int()) } },
      },
      'Did you mean "books:cost"?',
    ],
    [
      {
        api: { scopes: { 'books:cost': 'See costs.' } },
        books: { fields: { ...bookFields, words: sum('leaves', 'words') } },
        pages: { fields: { words: needsScope('books:cost', z.int()) } },
      },
      'books.fields.words: it would show what "words" holds to callers without the scope "books:cost".',
      "Write needsScope('books:cost', sum(…)).",
    ],
    [{ books: { fields: { cost: needsScope('books:write', 7 as never) } } }, 'this is not a Zod schema.'],
  ],
  relations: [
    [
      { books: { relations: { author: belongsTo('autors'), leaves: hasMany('book-pages') } } },
      'books.relations.author: there is no resource "autors". Did you mean "authors"?',
    ],
    [
      {
        api: { events: { keepDays: 30 } },
        books: { relations: { author: belongsTo('people'), leaves: hasMany('book-pages') } },
      },
      'books.relations.author: there is no resource "people". There is "authors", "books", "book-pages". If it is declared, add it to the resources of api(…).',
    ],
    ...[belongsTo(unlisted), hasMany(unlisted)].map(
      (readers) =>
        [
          { books: { relations: { ...bookRelations, readers } } },
          'books.relations.readers: there is no resource "readers". It is declared, but not listed: add it to the resources of api(…).',
        ] as const,
    ),
    [
      { authors: { relations: { pages: hasMany('book-pages') } } },
      'book-pages has no belongs-to that points to authors.',
      "belongsTo('authors')",
    ],
    [
      { books: { relations: { ...bookRelations, editor: belongsTo('authors') } } },
      'authors.relations.books: books points to authors in 2 ways.',
      "by: 'author' or by: 'editor'",
    ],
    [
      { authors: { relations: { books: hasMany('books', { by: 'autor' }) } } },
      '"autor" is not a belongs-to of books that points to authors. Did you mean "author"?',
    ],
    [
      { authors: { relations: { books: hasMany('books', { cap: 0 }) } } },
      'authors.relations.books.cap: 0 is out of range.',
    ],
    [{ books: { relations: { author: 'authors' } } }, 'books.relations.author: this is not a relation.'],
    [{ books: { shared: true } }, 'shared rows cannot belong to authors'],
    [
      {
        authors: { shared: true },
        books: {
          relations: { ...bookRelations, author: belongsTo('authors', { onTargetDelete: 'cascade' }) },
        },
      },
      'would delete rows of every account',
    ],
    [
      { pages: { owner: 'bok' } },
      'book-pages.owner: "bok" is not a belongs-to relation of book-pages. Did you mean "book"?',
    ],
    [
      { pages: { relations: { book: belongsTo('books', { optional: true }) } } },
      'book-pages.owner: "book" is optional',
    ],
    [
      { books: { relations: { author: belongsTo('authors') } } },
      'book-pages.owner: books has no has-many that leads to book-pages',
    ],
    [
      {
        authors: { owner: 'book', relations: { books: hasMany('books'), book: belongsTo('books') } },
        books: { owner: 'author', relations: { ...bookRelations, authors: hasMany('authors') } },
      },
      'it owns itself: authors → books → authors.',
    ],
  ],
  circles: [
    [
      { more: [{ name: 'nodes', fields: {}, relations: { parent: belongsTo('nodes') } }] },
      'nodes.relations.parent: no row can ever be created: nodes needs nodes.',
      "Make one of these references optional, as in belongsTo('nodes', { optional: true }).",
    ],
    [
      { authors: { relations: { books: hasMany('books'), debut: belongsTo('books') } } },
      'authors.relations.debut: no row can ever be created: authors needs books needs authors.',
    ],
  ],
  includes: [
    [
      { books: { include: ['autor'] } },
      'books.include: "autor" is not a relation of books. Did you mean "author"?',
    ],
    [
      { authors: { include: ['books.leaves'] } },
      '"books.leaves" leads through "books", which is not in the list. Add "books".',
    ],
    [
      { books: { include: ['leaves', 'leaves.book'] } },
      '"leaves.book" goes in a circle: "book" leads back to books.',
    ],
    [
      { books: { include: ['author', 'author.books'] } },
      '"author.books" goes in a circle: "books" leads back to books.',
    ],
    [
      { pages: { include: ['book', 'book.author', 'book.author.name'] } },
      'book-pages.include: "book.author.name": "name" is not a relation of authors.',
    ],
    [
      { authors: { include: ['books', 'books.leaves'], limits: { includeDepth: 1 } } },
      '"books.leaves" is 2 deep; the limit is 1.',
    ],
    [
      { authors: { include: ['books', 'books.leaves'], limits: { includeRows: 200 } } },
      'may have 40201 rows for a single row; the limit is 15000',
    ],
    [{ books: { include: ['author', 'author'] } }, 'books.include: "author" is named twice.'],
  ],
  'states, sums and rules': [
    [
      { books: { fields: { status: states('draft', { darft: ['printed'] } as never) } } },
      'the initial state "draft" has no moves',
      'Did you mean "darft"?',
    ],
    [
      { books: { fields: { status: states('draft', { draft: ['prined'], printed: ['sold'] }) } } },
      'the state "printed" is never reached from "draft". Is the move to "prined" meant for it?',
    ],
    [
      { books: { fields: { words: sum('pages', 'words') } } },
      'books.fields.words: "pages" is not a has-many of books.',
    ],
    [
      { books: { fields: { words: sum('leaves', 'word') } } },
      '"word" is not a field of book-pages. Did you mean "words"?',
    ],
    [
      { books: { fields: { words: sum('leaves', 'text') } } },
      '"text" of book-pages is of kind string, which has no exact sums',
    ],
    [{ books: { fields: { words: sum('author', 'words') } } }, '"author" is not a has-many of books.'],
    [
      { pages: { onlyWhile: { bok: { status: ['draft'] } } } },
      'book-pages.onlyWhile: "bok" is not a belongs-to relation',
    ],
    [{ pages: { onlyWhile: { book: { title: ['x'] } } } }, '"title" is neither a state nor an enum.'],
    [
      { pages: { deleteOnlyWhile: { statu: ['draft'] } } },
      '"statu" is not a field of book-pages. book-pages has no field with states or an enum, and only those can be named here. Declare one',
    ],
    [
      { pages: { onlyWhile: { book: { status: ['drat'] } } } },
      '"drat" is not a value of "status". Did you mean "draft"?',
    ],
    [{ books: { deleteOnlyWhile: { status: 'draft' } } }, 'books.deleteOnlyWhile.status: it must be a list.'],
    [
      { books: { deleteOnlyWhile: { status: [] } } },
      'books.deleteOnlyWhile: no value of "status" is allowed',
    ],
    [
      { books: { deleteOnlyWhile: { staus: ['draft'] } } },
      '"staus" is not a field of books. Did you mean "status"?',
    ],
  ],
  access: [
    [
      { books: { scopes: { reed: 'books:read' } } },
      'books.scopes: "reed" is not read, write or a method. Did you mean "read"?',
    ],
    [{ books: { scopes: { read: 'a b' } } }, 'books.scopes.read: it must be the name of a scope'],
    [{ books: { scopes: { read: 'public' } } }, 'books cannot be public'],
    [{ books: { scopes: { write: 'public' } } }, 'a write cannot be public.'],
    [{ books: { methods: ['POST'] } }, 'books.methods: GET is missing'],
    [{ books: { methods: ['GET', 'PATHC'] } }, '"PATHC" is not a method. Did you mean "PATCH"?'],
    [
      { books: { idempotencyKey: 'requird' } },
      'books.idempotencyKey: "requird" is not a mode. Did you mean "required"?',
    ],
    [
      { books: { idempotencyKey: 'required', methods: ['GET'] } },
      'it is required, but nothing can be created.',
    ],
    [{ books: { limits: { pageDefault: 50, pageMax: 20 } } }, 'pageDefault 50 is more than pageMax 20.'],
    [{ books: { cacheControl: 'private\r\nx: y' } }, 'is not a Cache-Control header.'],
    [
      { books: { hooks: { beforeCreat: () => undefined } } },
      'books.hooks: "beforeCreat" is not a hook. Did you mean "beforeCreate"?',
    ],
    [
      { books: { hooks, problems: { Too_Many: { status: 409, title: 'Too many' } } } },
      'books.problems: "Too_Many" is not a code. Write at most 80 characters, lowercase words joined by single hyphens',
    ],
    [
      { books: { hooks, problems: { ['x'.repeat(81)]: { status: 409, title: 'Too many' } } } },
      'is not a code.',
    ],
    [
      { books: { hooks, problems: { 'not-found': { status: 404, title: 'Lost' } } } },
      'books.problems.not-found: it is a problem of the engine. Choose another code.',
    ],
    [
      { books: { hooks, problems: { closed: { status: 401, title: 'Closed' } } } },
      'books.problems.closed: 401 is not a status that a hook can refuse with. Write one of 400, 402, 403, 404, 409, 422, 423, 451.',
    ],
    [{ books: { hooks, problems: { closed: { status: 409, title: ' ' } } } }, 'closed: its title is empty.'],
    [
      { books: { problems: { closed: { status: 409, title: 'Closed' } } } },
      'books.problems: there is no hook that could refuse with them. Write "hooks", or leave "problems" out.',
    ],
    [
      {
        authors: { hooks, problems: { closed: { status: 409, title: 'Closed' } } },
        books: { hooks, problems: { closed: { status: 422, title: 'Closed' } } },
      },
      'books.problems.closed: authors declares it as 409 "Closed", and a type means one thing.',
    ],
    [{ books: { fitler: [] } }, 'books: "fitler" is not an option. Did you mean "filter"?'],
    [{ books: { filter: 'title' } }, 'books.filter: it must be a list.'],
  ],
}

for (const [about, rows] of Object.entries(cases))
  describe(about, () => {
    test.each(rows.map(([over, ...told]) => [told.join(' … '), over, told] as const))(
      '%s',
      (_, over, told) => {
        const lines = linesOf(library(over))
        for (const part of told) expect(lines.join('\n')).toContain(part)
      },
    )
  })

test('all mistakes of a file come together, one to a line, each with its file', () => {
  const wrong = library({
    authors: { sort: ['nmae'] },
    books: { filter: ['titel'], include: ['autor'], fields: { title: z.string(), when: z.date() } },
  })
  let message = ''
  try {
    compileApi(wrong, { file: 'examples/library/api.ts' })
  } catch (error) {
    expect(error).toBeInstanceOf(Mistakes)
    message = (error as Mistakes).message
  }
  expect(message.split('\n')).toEqual([
    'books.fields.when: z.date() cannot be a field. JSON has no dates: use z.iso.datetime() or z.iso.date(). (examples/library/api.ts)',
    'authors.sort: "nmae" is not a field of authors. Did you mean "name"? (examples/library/api.ts)',
    'books.filter: "titel" is not a field of books. Did you mean "title"? (examples/library/api.ts)',
    'books.include: "autor" is not a relation of books. Did you mean "author"? (examples/library/api.ts)',
  ])
})

test('a mistake is reported once, not wherever the wrong declaration is used', () => {
  const wrong = library({
    books: {
      fields: { title: z.bigint() },
      filter: ['title'],
      sort: ['title', 'author_id'],
      include: ['author', 'leaves'],
      relations: { author: belongsTo('nobodies'), leaves: hasMany('book-pages') },
    },
  })
  expect(linesOf(wrong).map((line) => line.split(':')[0])).toEqual([
    'books.relations.author',
    'books.fields.title',
  ])
})

test('a circle of required references is reported once, and not at all where one of them is optional', () => {
  const circle = (options = {}) =>
    library({ authors: { relations: { books: hasMany('books'), debut: belongsTo('books', options) } } })
  expect(linesOf(circle())).toHaveLength(1)
  expect(linesOf(circle({ optional: true }))).toEqual([])
})

test('an unexpected error while compiling is one mistake, with its cause', () => {
  const boom = new Error('boom')
  const fields = new Proxy(
    {},
    {
      ownKeys: () => {
        throw boom
      },
    },
  )
  const wrong = library({ books: { fields } })
  expect(linesOf(wrong)).toEqual([
    expect.stringMatching(/^api: it cannot be compiled: boom\. Look at what you wrote last\./),
  ])
  expect(() => compileApi(wrong)).toThrow(expect.objectContaining({ cause: boom }))
})

test('what is no declaration is said to be none', () => {
  for (const thing of [undefined, null, 3, {}, { kind: 'resource' }])
    expect(linesOf(thing)[0]).toContain('this is not an API declaration')
})

test('a sub-resource of a sub-resource has a collection of its own, and so has what others are nested under', () => {
  const model = compileApi(
    library({
      pages: { relations: { book: belongsTo('books'), notes: hasMany('notes') } },
      more: [{ name: 'notes', owner: 'leaf', fields: {}, relations: { leaf: belongsTo('book-pages') } }],
    }),
  )
  expect(model.head.views.get('book-pages')?.topLevel).toBe(true)
  expect(model.head.views.get('notes')?.topLevel).toBe(true)
  expect(compileApi(library({})).head.views.get('book-pages')?.topLevel).toBe(false)
})

test('the reference to an owner is immutable, as is what is declared so', () => {
  const view = compileApi(library({ pages: { fields: { number: immutable(z.int()) } } })).head.views.get(
    'book-pages',
  )
  expect(view?.field.get('book_id')?.immutable).toBe(true)
  expect(view?.field.get('number')?.immutable).toBe(true)
})
