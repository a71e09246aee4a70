import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { allOf, anyOf, not } from '../../src/declare/condition.ts'
import { states } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { now } from '../../src/declare/rule.ts'
import { library, linesOf } from './declarations.ts'

/** Rules are written as JavaScript would let them pass, without types. */
// biome-ignore lint/suspicious/noExplicitAny: what TypeScript would refuse is what is tested
type Write = (of: any) => unknown

const scopes = { 'books:all': 'See every book.' }
const fields = {
  title: z.string().max(200),
  price: z.int(),
  weight: z.number().optional(),
  sold: z.boolean().optional(),
  tags: z.array(z.string()).default([]),
  day: z.iso.date().optional(),
  at: z.iso.datetime().optional(),
  status: states('draft', { draft: ['printed'] }),
}
const relations = { author: belongsTo('authors'), leaves: hasMany('book-pages') }
const declared = (read: unknown, over: object = {}) =>
  library({ api: { scopes }, books: { fields, relations, rules: { read } }, ...over })
const linesFor = (read: unknown) => linesOf(declared(read))

test('a rule over fields, relations, claims and scopes has no mistake', () => {
  const sound: Write = ({ row, caller }) =>
    anyOf(
      caller.has('books:all'),
      caller.has('authors:read'),
      allOf(row.author.name.is(caller.claim('author.name')), row.price.lte(5), row.title.gt('a')),
      not(caller.claim('authors').includes(row.author_id)),
      row.at.lt(now()),
      row.day.gte(now()),
      row.weight.lt(row.price),
      row.author_id.is(caller.subject),
      row.tags.isNotNull(),
      caller.claim('role').is('clerk'),
      now().lt(caller.claim('until')),
      caller.consumer.isNot('import'),
      row.status.in(['draft', caller.claim('status')]),
    )
  expect(linesFor(sound)).toEqual([])
})

const cases: readonly (readonly [string, Write | string, ...string[]])[] = [
  ['no function', 'row.title', 'books.rules.read: it must be a function.'],
  [
    'an unknown field',
    ({ row }) => row.titel.is('a'),
    '"titel" is neither a field nor a to-one relation of books.',
    'Did you mean "title"?',
  ],
  [
    'an unknown field of a relation',
    ({ row }) => row.author.nam.is('a'),
    'row.author.nam: "nam" is neither',
    'of authors. Did you mean "name"?',
  ],
  [
    'an unknown relation',
    ({ row }) => row.writer.name.is('a'),
    '"writer" is neither a field nor a to-one relation of books.',
  ],
  ['a has-many', ({ row }) => row.leaves.number.is(1), 'row.leaves is a has-many'],
  ['a field as a relation', ({ row }) => row.title.name.is('a'), 'books.rules.read: it threw TypeError'],
  [
    'an unknown scope',
    ({ caller }) => caller.has('books:al'),
    'there is no scope "books:al". Did you mean "books:all"?',
    "api(…, { scopes: { 'books:al': ",
  ],
  ['a scope that is no text', ({ caller }) => caller.has(5), 'there is no scope "5".'],
  [
    'a text for a number',
    ({ row }) => row.price.is('5'),
    'row.price is compared with "5", which is no value of kind integer.',
  ],
  ['a number past 2^53', ({ row }) => row.price.is(2 ** 53), 'which is no value of kind integer.'],
  ['a text with NUL', ({ row }) => row.title.is('a\0'), 'which is no value of kind string.'],
  ['a day that is none', ({ row }) => row.day.is('2026-02-30'), 'which is no value of kind date.'],
  [
    'a misspelt state',
    ({ row }) => row.status.is('drafft'),
    '"drafft" is not a value of row.status. Did you mean "draft"?',
  ],
  ['null', ({ row }) => row.sold.is(null), 'Use isNull() or isNotNull().'],
  ['undefined', ({ row, caller }) => row.title.is(caller.sub), 'is compared with undefined'],
  ['an object', ({ row }) => row.title.is({ a: 1 }), 'which is no value of kind string.'],
  ['a list', ({ row }) => row.tags.is(['a']), 'row.tags is stored as JSON'],
  [
    'an order of booleans',
    ({ row }) => row.sold.lt(true),
    'row.sold is of kind boolean, whose values have no order.',
  ],
  [
    'an order of ids',
    ({ row, caller }) => row.author_id.gt(caller.claim('a')),
    'whose values have no order.',
  ],
  [
    'a text and a number',
    ({ row }) => row.title.is(row.price),
    'row.title is of kind string and row.price of kind integer: they cannot be compared.',
  ],
  [
    'a time and a text',
    ({ row }) => row.title.lt(now()),
    'row.title is compared with now(), and is no time.',
  ],
  [
    'a number and the subject',
    ({ row, caller }) => row.price.is(caller.subject),
    'row.price is compared with caller.subject, which is a text.',
  ],
  [
    'a claim and a claim',
    ({ caller }) => caller.claim('a').is(caller.claim('b')),
    'caller.claim("a") is compared with caller.claim("b"), and neither has a type.',
  ],
  [
    'a claim without a name',
    ({ row, caller }) => row.title.is(caller.claim('')),
    '"" is not the name of a claim.',
  ],
  [
    'a claim that is no text',
    ({ row, caller }) => row.title.is(caller.claim(5)),
    '5 is not the name of a claim.',
  ],
  [
    'the absence of a claim',
    ({ caller }) => caller.claim('a').isNull(),
    'what is absent in a caller must open nothing.',
  ],
  ['a list that is none', ({ row }) => row.title.includes('a'), 'row.title is not a list.'],
  [
    'an order of texts without a field',
    ({ caller }) => caller.claim('a').lt('b'),
    'caller.claim("a") and "b" are texts, which have no order without a field.',
  ],
  ['no conditions', () => anyOf(...([] as unknown as [never])), 'anyOf() has no conditions.'],
  ['no values', ({ row }) => row.title.in([]), 'in([]) has no values.'],
  ['nothing', () => undefined, 'undefined is not a condition.'],
  ['a number', () => 1, '1 is not a condition.'],
  ['a promise', async () => ({}), 'is not a condition.'],
  ['a term', ({ row }) => row.title, 'is not a condition.'],
  ['true within', ({ row }) => allOf(row.title.is('a'), true as never), 'true is not a condition.'],
  [
    'a failure',
    () => {
      throw new Error('lost')
    },
    'it threw Error: lost.',
    'Write it like this: ({ row, caller }) => ',
  ],
]
test.each(cases)('%s is a mistake', (_, read, ...parts) => {
  const lines = linesFor(read).join('\n')
  for (const part of parts) expect(lines).toContain(part)
  expect(linesFor(read)).toHaveLength(1)
})

test('all mistakes of all rules are found at once', () => {
  const rules = {
    read: (({ row }) => anyOf(row.titel.is('a'), row.prise.is(1))) satisfies Write,
    update: (({ row, caller }) =>
      allOf(row.price.is('1'), not(caller.has('x')), row.title.is(2))) satisfies Write,
    write: () => true,
  }
  expect(linesOf(library({ books: { rules } }))).toEqual([
    expect.stringContaining('books.rules: "write" is not a rule.'),
    expect.stringContaining('books.rules.read: row.titel'),
    expect.stringContaining('books.rules.read: row.prise'),
    expect.stringContaining('books.rules.update: row.price is compared with "1"'),
    expect.stringContaining('books.rules.update: there is no scope "x".'),
    expect.stringContaining('books.rules.update: row.title is compared with 2'),
  ])
})

describe('a path', () => {
  const pages = (read: Write) => library({ pages: { rules: { read } } })

  test('leads over two relations', () => {
    expect(linesOf(pages(({ row }) => row.book.author.name.is('a')))).toEqual([])
  })

  test('leads over no more than two', () => {
    const more = [
      {
        name: 'notes',
        fields: { text: z.string() },
        relations: { leaf: belongsTo('book-pages') },
        rules: { read: (({ row }) => row.leaf.book.author.name.is('a')) satisfies Write },
      },
    ]
    expect(linesOf(library({ more }))).toEqual([
      'notes.rules.read: row.leaf.book.author leads over more than 2 relations. A path has at most 2, then a field.',
    ])
  })

  test('may lead back to its own resource, and ends all the same', () => {
    const more = (read: Write) => [
      {
        name: 'folders',
        fields: { name: z.string() },
        relations: { parent: belongsTo('folders', { optional: true }) },
        rules: { read },
      },
    ]
    expect(linesOf(library({ more: more(({ row }) => row.parent.parent.name.is('a')) }))).toEqual([])
    expect(linesOf(library({ more: more(({ row }) => row.parent.parent.parent.name.is('a')) }))).toEqual([
      expect.stringContaining('row.parent.parent.parent leads over more than 2 relations.'),
    ])
  })

  test('over a relation with a mistake is not a second mistake', () => {
    const over = { relations: { ...relations, editor: belongsTo('editors') } }
    const rules = { read: (({ row }) => row.editor.name.is('a')) satisfies Write }
    expect(linesOf(library({ books: { fields, ...over, rules } }))).toEqual([
      expect.stringContaining('books.relations.editor: there is no resource "editors".'),
    ])
  })
})

describe('scopes', () => {
  test.each([
    [{ 'Books All': 'x' }, 'scopes.Books All: "Books All" is not the name of a scope.'],
    [{ '*': 'x' }, '"*" is not the name of a scope.'],
    [{ public: 'x' }, '"public" is not the name of a scope.'],
    [{ 'books:read': 'x' }, 'scopes.books:read: every resource has this scope.'],
    [{ 'books:all': ' ' }, 'scopes.books:all: it says nothing to people.'],
    [{ 'books:all': true }, 'scopes.books:all: it must be a text.'],
    [['books:all'], 'scopes: it must be an object.'],
  ])('%j', (wrong, line) => {
    expect(linesOf(library({ api: { scopes: wrong } }))).toEqual([expect.stringContaining(line)])
  })

  test('of methods are among the declared ones, where there are any', () => {
    const books = { scopes: { DELETE: 'books:erase' } }
    expect(linesOf(library({ books }))).toEqual([])
    expect(linesOf(library({ books, api: { scopes: { 'books:erase': 'Erase books.' } } }))).toEqual([])
    expect(linesOf(library({ books, api: { scopes: { 'books:erased': 'Erase books.' } } }))).toEqual([
      expect.stringContaining('books.scopes: there is no scope "books:erase". Did you mean "books:erased"?'),
    ])
  })
})

test('a belongs-to takes the resource itself', () => {
  const more = [
    { name: 'notes', fields: {}, relations: { book: belongsTo({ kind: 'resource', name: 'books' }) } },
  ]
  const model = compileApi(library({ more }))
  expect(model.resources.get('notes')?.belongsTo[0]?.target.name).toBe('books')
})
