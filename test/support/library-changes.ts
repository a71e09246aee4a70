import {
  addRequiredField,
  belongsTo,
  changeDefault,
  changeFieldScope,
  changeLimit,
  changeRule,
  changeType,
  custom,
  hasMany,
  makeRequired,
  mapValues,
  needsScope,
  removeBulk,
  removeCount,
  removeField,
  removeFilter,
  removeInclude,
  removeMethod,
  removeSearch,
  removeSort,
  renameField,
  renameRelation,
  renameResource,
  requireIdempotencyKey,
  requireScope,
  states,
  sum,
} from 'nounkit'
import { z } from 'zod'
import type { Change } from '../../src/declare/change.ts'
import { decimal, digits, library, type Options, type Parts } from './library-first.ts'

/** The next declaration, with the changes since v1. */
export interface Next {
  readonly parts: Parts
  readonly changes: readonly Change[]
  /**
   * What happens to v1's rows in the store: by default they stay as they are, or they move with `migrate --rename`, or they are created again
   * because only a person's SQL could move them.
   */
  readonly rows?: 'stay' | 'move' | 'made anew'
  /** What changed also holds in v1, so that the documents of v1 tell of it. */
  readonly isTold?: true
}

type Rule = { readonly caller: { has(scope: string): unknown } }

const { shelves, books, authors, loans, visits } = library
const why = 'For the test of all kinds.'
const withBooks = (more: Options): Parts => ({ ...library, books: { ...books, ...more } })
/** Loans are filtered by a field of their book, here by its newer name. */
const loansBy = (field: string): Options => ({
  ...loans,
  filter: ['days', `book.${field}`, 'book.stage', 'book.shelf.room', 'book.author.name'],
})
const withFields = (fields: Options): Parts => withBooks({ fields: { ...books.fields, ...fields } })

/** One entry for each kind of change: a new kind does not compile here until it has one. */
export const nextVersions: { readonly [K in Change['kind']]: Next } = {
  'rename-resource': {
    parts: {
      shelves,
      books: {
        ...books,
        relations: { ...books.relations, author: belongsTo('writers', { optional: true }) },
      },
      writers: authors,
      loans,
      visits,
    },
    changes: [renameResource('authors', 'writers')],
    rows: 'move',
  },
  'rename-field': {
    parts: {
      ...withBooks({
        fields: { name: books.fields.title, ...without(books.fields, 'title') },
        unique: [['name', 'shelf_id'], 'isbn'],
        filter: ['name', 'stage', 'shelf_id', 'binding', 'author.name', 'shelf.wing'],
        sort: ['name', 'created_at', 'binding'],
      }),
      loans: loansBy('name'),
    },
    changes: [renameField('books', 'title', 'name')],
    rows: 'move',
  },
  'rename-relation': {
    parts: {
      ...withBooks({
        relations: {
          shelf: books.relations.shelf,
          writer: books.relations.author,
          loans: books.relations.loans,
        },
        include: ['shelf', 'writer', 'loans'],
        filter: ['title', 'stage', 'shelf_id', 'binding', 'writer.name', 'shelf.wing'],
      }),
      loans: {
        ...loans,
        filter: ['days', 'book.title', 'book.stage', 'book.shelf.room', 'book.writer.name'],
      },
      shelves: { ...shelves, include: ['books', 'books.writer'] },
    },
    changes: [renameRelation('books', 'author', 'writer')],
    rows: 'move',
  },
  'map-values': {
    parts: {
      ...withFields({
        binding: z.enum(['leather', 'paper', 'hard', 'cloth']),
        stage: states('wanted', {
          out: ['lost', 'bought', 'wanted'],
          wanted: ['ordered', 'out'],
          ordered: ['out', 'bought'],
          lost: ['bought'],
        }),
      }),
      loans: {
        ...loans,
        onlyWhile: {
          book: {
            stage: ['out', 'lost', 'wanted', 'ordered'],
            binding: ['leather', 'paper', 'hard', 'cloth'],
          },
        },
      },
    },
    changes: [
      mapValues('books', 'binding', { soft: 'paper' }, { onlyInNewer: { leather: 'hard' }, why }),
      mapValues('books', 'stage', { lent: 'out' }, { onlyInNewer: { lost: 'lent' }, why }),
    ],
    rows: 'move',
  },
  'change-type': {
    parts: withFields({ pages: z.int().min(1).max(9999) }),
    changes: [changeType('books', 'pages', { was: digits, codec: 'integer-as-string' })],
    rows: 'move',
  },
  'remove-field': {
    parts: withBooks({ fields: without(books.fields, 'note') }),
    changes: [removeField('books', 'note', { was: books.fields.note })],
    rows: 'move',
  },
  'add-required-field': {
    parts: withFields({ language: z.enum(['de', 'en']) }),
    changes: [addRequiredField('books', 'language', { whenAbsent: 'de' })],
    rows: 'move',
  },
  'make-required': {
    parts: withFields({ note: z.string().max(200) }),
    changes: [makeRequired('books', 'note', { whenAbsent: 'none', why })],
    rows: 'made anew',
  },
  'remove-include': {
    parts: { ...withBooks({ include: ['shelf', 'loans'] }), shelves: { ...shelves, include: ['books'] } },
    changes: [removeInclude('books', 'author'), removeInclude('shelves', 'books.author')],
  },
  'remove-filter': {
    parts: {
      ...withBooks({ filter: ['stage', 'shelf_id', 'binding', 'author.name'] }),
      loans: { ...loans, filter: ['days', 'book.title', 'book.stage', 'book.shelf.room'] },
    },
    changes: [
      removeFilter('books', 'title'),
      removeFilter('books', 'shelf.wing'),
      removeFilter('loans', 'book.author.name'),
    ],
  },
  'remove-sort': {
    parts: withBooks({ sort: ['title', 'binding'] }),
    changes: [removeSort('books', 'created_at')],
  },
  'remove-search': {
    parts: { ...library, authors: { ...authors, search: [] } },
    changes: [removeSearch('authors', 'name')],
  },
  'remove-count': {
    parts: withBooks({ count: false }),
    changes: [removeCount('books')],
  },
  'remove-bulk': {
    parts: withBooks({ bulk: false }),
    changes: [removeBulk('books')],
  },
  'change-limit': {
    parts: withBooks({
      limits: { pageMax: 50, pageDefault: 10, includeRows: 20, countRows: 1, bulkRows: 2 },
    }),
    changes: [
      changeLimit('books', 'countRows', { was: 2 }),
      changeLimit('books', 'bulkRows', { was: 3 }),
      changeLimit('books', 'pageMax', { was: 100 }),
      changeLimit('books', 'pageDefault', { was: 25 }),
      changeLimit('books', 'includeRows', { was: 50 }),
    ],
  },
  'require-idempotency-key': {
    parts: withBooks({ idempotencyKey: 'required' }),
    changes: [requireIdempotencyKey('books')],
  },
  'require-scope': {
    parts: withBooks({ scopes: { DELETE: 'books:erase' } }),
    changes: [requireScope('books', 'DELETE', { was: 'books:write' })],
  },
  'remove-method': {
    parts: { ...library, authors: { ...authors, methods: ['GET', 'POST'] } },
    changes: [
      removeMethod('authors', 'PUT'),
      removeMethod('authors', 'PATCH'),
      removeMethod('authors', 'DELETE'),
    ],
  },
  'change-default': {
    parts: {
      ...library,
      shelves: { ...shelves, fields: { ...shelves.fields, floor: z.int().min(0).max(9).default(0) } },
    },
    changes: [changeDefault('shelves', 'floor', { was: 1 })],
    rows: 'move',
  },
  'change-rule': {
    parts: withBooks({ rules: { read: ({ caller }: Rule) => caller.has('books:read') } }),
    changes: [changeRule('books', 'read', { why })],
    isTold: true,
  },
  'change-field-scope': {
    parts: withFields({ note: needsScope('books:write', books.fields.note) }),
    changes: [changeFieldScope('books', 'note', { why })],
    isTold: true,
  },
  custom: {
    parts: withBooks({
      fields: { ...without(books.fields, 'origin'), town: z.string().max(48), country: z.string().max(48) },
    }),
    changes: [
      custom('books', {
        fields: { origin: books.fields.origin },
        replaces: ['town', 'country'],
        up: ({ origin }) => {
          const [town = '', country = ''] = String(origin).split(', ')
          return { town, country }
        },
        down: ({ town, country }) => ({ origin: `${town}, ${country}` }),
        samples: [{ older: { origin: 'Ulm, Germany' }, newer: { town: 'Ulm', country: 'Germany' } }],
        why,
      }),
    ],
    rows: 'made anew',
  },
}

function without(fields: Options, name: string): Options {
  const { [name]: _, ...rest } = fields
  return rest
}

/** Further ways in which a part of v1 changed. */
export const otherVersions: { readonly [what: string]: Next } = {
  'a sub-collection was renamed': {
    parts: withBooks({
      relations: { shelf: books.relations.shelf, author: books.relations.author, lendings: hasMany('loans') },
      fields: { ...books.fields, days: sum('lendings', 'days') },
      include: ['shelf', 'author', 'lendings'],
    }),
    changes: [renameRelation('books', 'loans', 'lendings')],
  },
  'a resource was dropped': {
    parts: { ...library, visits: { ...visits, methods: [] } },
    changes: [removeMethod('visits', 'GET'), removeMethod('visits', 'POST')],
  },
  'types were changed': {
    parts: {
      ...library,
      shelves: {
        ...shelves,
        fields: {
          ...shelves.fields,
          lit: z.boolean().default(true),
          since: z.iso.datetime({ offset: true }),
          cost: z.int().min(0).max(99_999_999),
        },
      },
    },
    changes: [
      changeType('shelves', 'lit', { was: shelves.fields.lit, codec: 'boolean-as-integer' }),
      changeType('shelves', 'since', { was: shelves.fields.since, codec: 'datetime-as-unix-seconds', why }),
      changeType('shelves', 'cost', { was: decimal, codec: 'cents-as-decimal-string' }),
    ],
    rows: 'move',
  },
  'required fields were removed': {
    parts: {
      ...library,
      shelves: {
        ...shelves,
        fields: without(without(shelves.fields, 'wing'), 'floor'),
        filter: ['room'],
        sort: ['room', 'created_at'],
      },
      books: { ...books, filter: ['title', 'stage', 'shelf_id', 'binding', 'author.name'] },
    },
    changes: [
      removeField('shelves', 'wing', { was: shelves.fields.wing, whenAbsent: 'west' }),
      removeField('shelves', 'floor', { was: shelves.fields.floor }),
      removeFilter('shelves', 'wing'),
      removeFilter('books', 'shelf.wing'),
      removeSort('shelves', 'floor'),
    ],
    rows: 'made anew',
  },
  'names moved on': {
    parts: {
      ...withBooks({
        fields: {
          origin: z.string().min(1).max(80),
          ...without(without(books.fields, 'title'), 'origin'),
          source: z.string().max(100),
        },
        unique: [['origin', 'shelf_id'], 'isbn'],
        filter: ['origin', 'stage', 'shelf_id', 'binding', 'author.name', 'shelf.wing'],
        sort: ['origin', 'created_at', 'binding'],
      }),
      loans: loansBy('origin'),
    },
    changes: [renameField('books', 'title', 'origin'), renameField('books', 'origin', 'source')],
  },
}
