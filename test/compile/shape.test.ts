import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { api } from '../../src/declare/api.ts'
import * as change from '../../src/declare/change.ts'
import {
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
/** A call that is incomplete, or that TypeScript would not accept. */
type Loose = (...args: unknown[]) => never
const loose = (builder: unknown) => builder as Loose

const changed = (...changes: unknown[]): Over => ({
  api: { versions: [version('v2'), version('v1', { changes: changes as never })] },
})
const related = (author: unknown): Over => ({
  books: { relations: { author, leaves: hasMany('book-pages') } },
})
const tokens = { jwks: 'keys.json', issuer: 'a', audience: 'b' }

/** A declaration, and all messages about it. */
const cases: { readonly [about: string]: readonly (readonly [Over, ...string[]])[] } = {
  'the api': [
    [{ api: { title: 5 } }, 'title: it must be a text. Write a text, or leave it out.'],
    [{ api: { resources: 'books' } }, 'resources: it must be a list. Write api('],
    [{ api: { versions: 'v1', unversioned: 'v2' } }, 'versions: it must be a list.'],
    [
      { api: { versions: [loose(version)('v1', 'x')] } },
      'versions.v1: the options must be an object. Write { option: value }, with one of "published", ',
    ],
    [{ api: { versions: [5], unversioned: 'v2' } }, 'versions[0]: this is not a version.'],
    [{ api: { versions: [loose(version)()] } }, 'versions[0]: this is not a version.'],
    [
      { api: { versions: [version('v1', { deprecatd: '2026-01-01' } as never)] } },
      'versions.v1: "deprecatd" is not an option. Did you mean "deprecated"?',
    ],
    [
      { api: { versions: [version('v1', { published: 5 } as never)] } },
      'versions.v1.published: it must be a text.',
    ],
    [
      { api: { versions: [version('v1', { changes: 5 } as never)] } },
      'versions.v1.changes: it must be a list.',
    ],
    [
      { api: { rate: { perSeconds: 3 } } },
      'rate: "perSeconds" is not an option. Did you mean "perSecond"?',
      'rate.perSecond: it is missing. Write perSecond: 10.',
    ],
    [{ api: { rateStoreAway: 'shut' } }, 'rateStoreAway: "shut" is not a choice. There is "open", "closed".'],
    [{ api: { rateStoreAway: 'close' } }, 'rateStoreAway: "close" is not a choice. Did you mean "closed"?'],
    [
      { api: { cors: { origin: '*' } } },
      'cors: "origin" is not an option. Did you mean "origins"?',
      "cors.origins: it is missing. Write origins: ['https://shop.example'] or '*'.",
    ],
    [{ api: { cors: { origins: 'http://x' } } }, "cors.origins: it must be '*' or a list."],
    [
      {
        api: {
          cors: { origins: ['foo', '*', 'https://a.example', 'https://a.example/'], maxAgeSeconds: 'x' },
        },
      },
      'cors.origins[0]: it must be an origin, such as "https://shop.example".',
      'cors.origins[1]: it must be an origin',
      'cors.origins[3]: it must be an origin',
      'cors.maxAgeSeconds: it must be a whole number from 0.',
    ],
    [{ api: { tokens: { jwk: 'x' } } }, 'tokens: "jwk" is not an option. Did you mean "jwks"?'],
    [
      { api: { tokens: { ...tokens, claims: { acount: 'x' }, clockSkewSeconds: -1 } } },
      'tokens.clockSkewSeconds: it must be a whole number from 0.',
      'tokens.claims: "acount" is not an option. Did you mean "account"?',
    ],
    [
      {
        api: { tokens: { ...tokens, jwks: 'http://evil.example/x', algorithms: ['RS256', 'none', 'HS256'] } },
      },
      'tokens.jwks: "http://evil.example/x" is fetched in the clear',
      'tokens.algorithms: none, HS256 cannot be allowed. Name algorithms with a public key',
    ],
    [{ api: { tokens: [] } }, 'tokens: the list is empty. List an issuer, or leave tokens out'],
    [
      { api: { tokens: [{ issuer: 'https://a.example' }, { issuer: 'https://a.example', prefix: 'b:' }] } },
      'tokens: "https://a.example" is listed twice. List each issuer once.',
    ],
    [
      { api: { tokens: [{ issuer: 'https://a.example' }, { issuer: 'https://b.example' }] } },
      'tokens: two issuers have no prefix, so that people of both with the same "sub" would be one subject. Give each its own',
    ],
    [{ api: { tokens: [{ prefix: 'a:' }, { prefix: 'a:' }] } }, 'tokens: two issuers have the prefix "a:"'],
    [
      { api: { tokens: { prefix: 'a b' } } },
      'tokens.prefix: "a b" cannot be a prefix. Write 1 to 50 visible ASCII characters',
    ],
    [
      { api: { tokens: [{ issuer: 'https://a.example' }, { issuer: 'http://b.example', prefix: 'b:' }] } },
      'tokens[1]: the keys of the issuer "http://b.example" cannot be found by discovery.',
    ],
    [
      { api: { tokens: { issuer: 'login' } } },
      'tokens: the issuer "login" is not a URL, so its keys cannot be found by discovery. Write the https: URL of the issuer, exactly as in the claim "iss", or add jwks.',
    ],
    [
      { api: { tokens: { issuer: 'http://login.example' } } },
      'tokens: the keys of the issuer "http://login.example" cannot be found by discovery.',
    ],
    [
      { api: { tokens: { issuer: 'https://login.example/?tenant=1' } } },
      'tokens: the keys of the issuer "https://login.example/?tenant=1" cannot be found by discovery.',
    ],
    [{ api: { tokens: { ...tokens, jwks: 'https:' } } }, 'tokens.jwks: "https:" is not a URL.'],
    [
      { api: { tokens: { ...tokens, algorithms: [] } } },
      'tokens.algorithms: an empty list cannot be allowed.',
    ],
    [
      { api: { proxies: [5, 'bla', '10.0.0.0/99', '10.0.0.0/8', '::/129', '10.0.0.0/8/8x'] } },
      'proxies[0]: it must be a text.',
      'proxies[1]: "bla" is no address range. Write it like 10.0.0.0/8 or fd00::/8.',
      'proxies[2]: "10.0.0.0/99" is no address range.',
      'proxies[4]: "::/129" is no address range.',
      'proxies[5]: "10.0.0.0/8/8x" is no address range.',
    ],
    [
      { api: { seed: { acounts: [] } } },
      'seed: "acounts" is not an option. Did you mean "accounts"?',
      'seed.accounts: it is missing.',
    ],
    [{ api: { seed: { accounts: ['a'], account: [] } } }, 'seed.account: it must be a function.'],
  ],
  'a resource': [
    [
      { books: { fields: undefined } },
      "books.fields: it is missing. Write resource('name', { fields: { … } }).",
    ],
    [{ books: { sort: [1] } }, 'books.sort[0]: it must be a text. Write a text.'],
    [{ books: { filter: [undefined] } }, 'books.filter[0]: it must be a text.'],
    [{ books: { methods: [5] } }, "books.methods[0]: it must be 'GET', 'POST', 'PUT', 'PATCH' or 'DELETE'."],
    [{ books: { include: [5] } }, 'books.include[0]: it must be a text.'],
    [{ books: { unique: [5] } }, 'books.unique[0]: it must be a text or a list.'],
    [{ books: { unique: [['title', 5]] } }, 'books.unique[0][1]: it must be a text.'],
    [
      { books: { idempotencyKey: { mod: 'required' } } },
      'books.idempotencyKey: "mod" is not an option. Did you mean "mode"?',
      "books.idempotencyKey.mode: it is missing. Write mode: 'optional', 'required' or 'off'.",
    ],
    [
      { books: { idempotencyKey: true, unique: 'code' } },
      "books.idempotencyKey: it must be 'optional', 'required' or 'off' or an object. Write idempotencyKey: 'optional', 'required' or 'off', or { mode: 'required', body: 'reread' }, or leave it out.",
      "books.unique: it must be a list. Write unique: ['code'] for a field, [['shelf', 'code']] for several together, or leave it out.",
    ],
    [
      { api: { rate: 100, events: { keepDays: '30' } } },
      'rate: it must be an object. Write rate: { perSecond: 10, burst: 20 }, or leave it out.',
      'events.keepDays: it must be a number. Write keepDays: 30.',
    ],
    [
      { books: { problems: { full: { staus: 409 } } } },
      'books.problems.full: "staus" is not an option. Did you mean "status"?',
      'books.problems.full.status: it is missing. Write status: 409.',
      'books.problems.full.title: it is missing. Write title: ',
    ],
    [{ books: { problems: { full: 409 } } }, 'books.problems.full: it must be an object.'],
    [{ books: { hooks: { beforeCreate: 'x' } } }, 'books.hooks.beforeCreate: it must be a function.'],
    [{ pages: { onlyWhile: { book: null } } }, 'book-pages.onlyWhile.book: it must be an object.'],
    [
      { pages: { onlyWhile: { book: { status: [5] } } } },
      'book-pages.onlyWhile.book.status[0]: it must be a text.',
    ],
    [
      { books: { fields: { status: loose(states)() } } },
      "books.fields.status.initial: it is missing. Write states('draft', { draft: ['placed'] }).",
      'books.fields.status.moves: it is missing.',
    ],
    [
      { books: { fields: { status: loose(states)('a', { a: 'b' }) } } },
      'books.fields.status.moves.a: it must be a list.',
    ],
    [
      { books: { fields: { words: loose(sum)('leaves') } } },
      "books.fields.words.of: it is missing. Write sum('items', 'price').",
    ],
  ],
  'a relation': [
    [related('authors'), 'books.relations.author: this is not a relation.'],
    [related(null), 'books.relations.author: this is not a relation.'],
    [related(belongsTo), 'books.relations.author: this is not a relation.'],
    [
      related(loose(belongsTo)()),
      "books.relations.author.target: it is missing. Write belongsTo('authors').",
    ],
    [
      related(loose(belongsTo)(5)),
      "books.relations.author.target: it must be a text. Write belongsTo('authors').",
    ],
    [
      related(loose(belongsTo)('authors', { onTargetDelete: 'casade', optinal: true })),
      'books.relations.author: "optinal" is not an option. Did you mean "optional"?',
      'books.relations.author.onTargetDelete: "casade" is not a choice. Did you mean "cascade"?',
    ],
    [
      { authors: { relations: { books: loose(hasMany)('books', { byy: 'x' }) } } },
      'authors.relations.books: "byy" is not an option. Did you mean "by"?',
    ],
    [
      { authors: { relations: { books: loose(hasMany)('books', { wrong: 'x' }) } } },
      'authors.relations.books: "wrong" is not an option. There is "by", "through", "cap", "nameIsPluralBecause", "description".',
    ],
    [
      { authors: { relations: { books: loose(hasMany)('books', 'author') } } },
      'authors.relations.books: the options must be an object. Write { option: value }, with one of "by", "through", ',
    ],
  ],
  'names where a list of them belongs': [
    [
      { books: { filter: 'status', sort: 'title', search: 'title' } },
      "books.filter: it must be a list. Write filter: ['status'], or",
      "books.sort: it must be a list. Write sort: ['title'], or",
    ],
  ],
  changes: [
    [changed(5), "v1.changes[0]: this is not a change. Write a call, such as renameField('books'"],
    [changed(undefined), 'v1.changes[0]: this is not a change.'],
    [changed(change.renameField), 'v1.changes[0]: this is not a change.'],
    [changed({ kind: 'constructor' }), 'v1.changes[0]: this is not a change.'],
    [changed([change.removeSort('books', 'title')]), 'v1.changes[0]: this is not a change.', '...list.'],
    [
      changed(loose(change.renameField)()),
      "v1.changes[0] renameField.resource: it is missing. Write renameField('books', 'old_name', 'new_name').",
      'v1.changes[0] renameField.from: it is missing.',
      'v1.changes[0] renameField.to: it is missing.',
    ],
    [
      changed(loose(change.mapValues)('books', 'status', {}, { onlyInNewr: {} })),
      'mapValues: "onlyInNewr" is not an option. Did you mean "onlyInNewer"?',
    ],
    [
      changed(loose(change.removeBulk)('books', 'x')),
      'removeBulk: the options must be an object. Write { option: value }, with one of "why".',
    ],
    [changed(loose(change.mapValues)('books', 'status')), 'v1.changes[0] mapValues.values: it is missing.'],
    [
      changed(loose(change.custom)('books', {})),
      'v1.changes[0] custom.fields: it is missing.',
      'v1.changes[0] custom.replaces: it is missing.',
      'v1.changes[0] custom.up: it is missing.',
      'v1.changes[0] custom.down: it is missing.',
      'v1.changes[0] custom.samples: it is missing.',
    ],
    [changed(loose(change.removeField)('books', 'isbn')), 'v1.changes[0] removeField.was: it is missing.'],
    [
      changed(loose(change.removeSort)('books', 'title', { whi: 'x' })),
      'v1.changes[0] removeSort: "whi" is not an option. Did you mean "why"?',
    ],
  ],
}

for (const [about, rows] of Object.entries(cases))
  describe(about, () => {
    test.each(rows.map(([over, ...told]) => [told.join(' … '), over, told] as const))(
      '%s',
      (_, over, told) => {
        const lines = linesOf(library(over))
        for (const part of told) expect(lines.join('\n')).toContain(part)
        expect(lines.join('\n')).not.toContain('cannot be compiled')
      },
    )
  })

test('accounts of a seed that are no list are one mistake', () => {
  expect(linesOf(library({ api: { seed: { accounts: 'acme' } } }))).toEqual([
    expect.stringContaining("seed.accounts: it must be a list. Write accounts: ['acme'], or leave it out."),
  ])
})

test('a wrong address of keys is one mistake, whatever the issuer is', () => {
  const wrong = { ...tokens, jwks: 'http://evil.example/x' }
  expect(linesOf(library({ api: { tokens: wrong } }))).toHaveLength(1)
})

test('every change that was called without arguments is reported', () => {
  const builders = Object.values(change) as readonly unknown[]
  expect(builders.length).toBeGreaterThan(10)
  for (const builder of builders) {
    const lines = linesOf(library(changed(loose(builder)())))
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(line).toMatch(/^v1\.changes\[0\] \w+\.\w+: it is missing\. Write \w+\(/)
  }
})

test('what is wrong with one option hides nothing of the rest', () => {
  const wrong = library({
    api: { foo: 'bar', title: 5, cors: { origin: '*' } },
    books: {
      requireIfMatch: 'yes',
      hooks: { beforCreate: () => undefined },
      unique: ['titel'],
      sort: [1, 'prise'],
      relations: { author: belongsTo('nobodies'), leaves: hasMany('book-pages'), foo: 'bar' },
      include: ['foo', 'autor'],
    },
  })
  expect(linesOf(wrong).map((line) => line.split(/[.?] /)[0])).toEqual([
    'api: "foo" is not an option',
    'title: it must be a text',
    'cors: "origin" is not an option',
    'cors.origins: it is missing',
    'books.sort[0]: it must be a text',
    'books.requireIfMatch: it must be true or false',
    'books.hooks: "beforCreate" is not a hook',
    'books.relations.foo: this is not a relation',
    'books.relations.author: there is no resource "nobodies"',
    'books.unique: "titel" is not a field of books',
    'books.sort: "prise" is not a field of books',
    'books.include: "autor" is not a relation of books',
  ])
})

test('a change that cannot be read does not hide what is wrong with the head', () => {
  const over = { ...changed(5), books: { sort: ['titel'] } }
  expect(linesOf(library(over)).map((line) => line.split(':')[0])).toEqual(['v1.changes[0]', 'books.sort'])
})

test('a sound declaration is served as it was written', () => {
  const hooks = new (class {
    beforeCreate() {
      return undefined
    }
  })()
  const declaration = library({ books: { hooks } })
  const model = compileApi(declaration)
  expect(model.declaration).toBe(declaration)
  expect(model.resources.get('books')?.hooks).toBe(hooks)
})

test('what a service can be started with is no mistake', () => {
  const sound = {
    ...tokens,
    jwks: 'http://127.0.0.1:9/keys',
    algorithms: ['ES384'],
    claims: { account: 'org' },
  }
  expect(linesOf(library({ api: { tokens: sound, proxies: ['10.0.0.0/8', 'fd00::/8', '::1'] } }))).toEqual([])
})

test('an origin is what a browser sends', () => {
  const origins = ['https://a.example', 'http://localhost:5173', 'http://[::1]:80', 'capacitor://localhost']
  expect(linesOf(library({ api: { cors: { origins } } })).map((line) => line.split(':')[0])).toEqual([
    'cors.origins[2]',
  ])
})

test('schemas in changes are schemas', () => {
  const was = 'string' as unknown as z.ZodType
  expect(linesOf(library(changed(change.removeField('books', 'isbn', { was }))))).toEqual([
    expect.stringMatching(/^v1\.changes\[0\] removeField\.was: it must be a Zod schema/),
  ])
})

test('an argument of another type, for a helper of fields, is a mistake of the field and no error', () => {
  const moves = { draft: ['printed'], printed: [] }
  const callsWith = (value: unknown): readonly unknown[] => [
    value,
    ...[readOnly, writeOnly, immutable, open].map((mark) => loose(mark)(value)),
    loose(needsScope)(value, z.string()),
    loose(needsScope)('books:more', value),
    loose(was)(value, z.string()),
    loose(was)('older', value),
    loose(states)(value, moves),
    loose(states)('draft', value),
    loose(sum)(value, 'words'),
    loose(sum)('leaves', value),
  ]
  for (const value of [undefined, null, 5, true, [], { a: 1 }, () => 1, Symbol('a'), 1n])
    for (const [index, field] of callsWith(value).entries()) {
      // What is not given at all is no former name.
      if (index === 7 && value === undefined) continue
      const lines = linesOf(library({ books: { fields: { title: z.string(), field } } }))
      expect(lines.join()).not.toContain('cannot be compiled')
      expect(lines, `call ${index} with ${String(value)}`).toContainEqual(
        expect.stringContaining('books.fields.field'),
      )
    }
})

test('options that are null are none', () => {
  const changes = [change.mapValues('books', 'status', { older: 'draft' }, null as never)]
  const versions = [version('v2', null as never), version('v1', { changes })]
  expect(linesOf(library({ api: { versions } }))).toEqual([])
})

test.each([
  [{ throught: 'taggings' }, '"throught" is not an option. Did you mean "through"?'],
  ['taggings', 'the options must be an object. Write { option: value }, with one of "by", "through", '],
  [
    {},
    "tags has no belongs-to that points to notes. taggings links the two: write hasMany('tags', { through: 'taggings' }). Or add to the relations of tags: belongsTo('notes').",
  ],
])('a many-to-many with the options %o has one mistake', (options, told) => {
  const notes = resource('notes', {
    fields: { title: z.string() },
    relations: { tags: loose(hasMany)('tags', options) },
  })
  const tags = resource('tags', { fields: { name: z.string() } })
  const taggings = resource('taggings', {
    fields: {},
    relations: { note: belongsTo('notes'), tag: belongsTo('tags') },
  })
  const lines = linesOf(api('notebook', { resources: [notes, tags, taggings] }))
  expect(lines).toEqual([expect.stringContaining(`notes.relations.tags: ${told}`)])
})

test('a misspelt GET is not also missing', () => {
  expect(linesOf(library({ books: { methods: ['get', 'POST'] } }))).toEqual([
    'books.methods[0]: "get" is not a method. Did you mean "GET"?',
  ])
})
