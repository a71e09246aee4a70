import {
  addRequiredField,
  api,
  belongsTo,
  changeDefault,
  changeLimit,
  changeType,
  custom,
  hasMany,
  makeRequired,
  mapValues,
  removeField,
  removeFilter,
  removeInclude,
  removeMethod,
  removeSort,
  renameField,
  renameRelation,
  renameResource,
  requireIdempotencyKey,
  requireScope,
  resource,
  states,
  sum,
  version,
} from 'nounkit'
import { z } from 'zod'
import type { ApiOptions } from '../../src/declare/api.ts'
import type { Change } from '../../src/declare/change.ts'
import type { HookContext } from '../../src/declare/hooks.ts'
import { type Permute, reorderedMembers, reorderedOptions } from './reordered.ts'

type Options = { readonly [option: string]: unknown }
export type Parts = { readonly [resource: string]: Options }

const digits = z
  .string()
  .regex(/^[1-9]\d{0,3}$/)
  .meta({ examples: ['66'] })

const decimal = z
  .string()
  .regex(/^\d{1,6}\.\d\d$/)
  .meta({ examples: ['12.50'] })

/** A library in its first version. Nothing in it is declared in the order of the alphabet. */
export const library = {
  shelves: {
    description: 'Where books stand.',
    fields: {
      room: z.string().max(40).describe('As it is on the door.'),
      wing: z.enum(['west', 'north', 'east']),
      floor: z.int().min(0).max(9).default(1),
      lit: z.int().min(0).max(1).default(1),
      since: z.int().min(0).max(4_000_000_000),
      cost: decimal,
    },
    relations: { books: hasMany('books', { description: 'What stands there.' }) },
    unique: ['room'],
    filter: ['wing', 'room'],
    sort: ['room', 'floor', 'created_at'],
    include: ['books', 'books.author'],
  },
  books: {
    fields: {
      title: z.string().min(1).max(80),
      binding: z.enum(['soft', 'hard', 'cloth']),
      isbn: z.string().max(20).optional().describe('Where there is one.'),
      pages: digits,
      size: z.object({ width: z.int(), height: z.int(), unit: z.enum(['mm', 'cm']) }).optional(),
      stage: states('wanted', {
        wanted: ['ordered', 'lent'],
        ordered: ['lent', 'bought'],
        lent: ['bought', 'wanted'],
      }),
      note: z.string().max(200).optional(),
      origin: z.string().max(100),
      days: sum('loans', 'days'),
    },
    relations: {
      shelf: belongsTo('shelves', { description: 'Where it stands.' }),
      author: belongsTo('authors', { optional: true }),
      loans: hasMany('loans'),
    },
    unique: [['title', 'shelf_id'], 'isbn'],
    filter: ['title', 'stage', 'shelf_id', 'binding'],
    sort: ['title', 'created_at', 'binding'],
    include: ['shelf', 'author', 'loans'],
    deleteOnlyWhile: { stage: ['wanted', 'ordered'] },
    problems: {
      'too-thick': {
        status: 409,
        title: 'The book is too thick',
        description: 'It does not fit.',
        fix: 'Bind it in two.',
      },
      'a-copy': {
        status: 409,
        title: 'It is a copy',
        description: 'It stands there.',
        fix: 'Lend that one.',
      },
    },
    hooks: {
      beforeCreate: (book: { readonly note: string | null }, { reject }: HookContext) => {
        if (book.note === 'thick')
          reject({ code: 'too-thick', detail: 'It has too many pages.', field: 'note' })
      },
    },
  },
  authors: {
    fields: { name: z.string().max(80), born: z.iso.date().optional() },
    relations: { books: hasMany('books') },
    include: ['books'],
  },
  loans: {
    owner: 'book',
    fields: { to: z.string().max(80), days: z.int().min(1) },
    relations: { book: belongsTo('books', { onTargetDelete: 'cascade' }) },
    include: ['book', 'book.shelf'],
    onlyWhile: { book: { stage: ['wanted', 'ordered', 'lent'], binding: ['soft', 'hard', 'cloth'] } },
  },
  visits: {
    problems: {
      closed: { status: 409, title: 'It is closed', description: 'Nobody is there.', fix: 'Come later.' },
    },
    hooks: { beforeCreate: () => undefined },
    fields: { day: z.iso.date() },
    relations: { shelf: belongsTo('shelves') },
    methods: ['GET', 'POST'],
  },
} satisfies Parts

export const resourcesOf = (parts: Parts) =>
  Object.entries(parts).map(([name, options]) => resource(name, options as never))

export const firstVersion = version('v1', { published: '2026-01-01' })

export const libraryOf = (parts: Parts, versions = [firstVersion], more: Partial<ApiOptions> = {}) =>
  api('library', {
    title: 'The library',
    description: 'Books and who has them.',
    resources: resourcesOf(parts),
    versions,
    ...more,
  })

/** What else a newer declaration may say of the whole API. */
export const otherwise: Partial<ApiOptions> = {
  title: 'Told otherwise',
  description: 'Told otherwise.',
  limits: { pageMax: 200, pageDefault: 50, includeRelations: 12, includeDepth: 3, bodyBytes: 2_000_000 },
}

/** One declaration further on, with what became of v1. */
export interface Next {
  readonly parts: Parts
  readonly changes: readonly Change[]
  /**
   * What becomes of v1's rows in the store: they stay as they are unless said, move with `migrate --rename`, or are made anew
   * because only a person's SQL could move them.
   */
  readonly rows?: 'stay' | 'move' | 'made anew'
}

const { shelves, books, authors, loans, visits } = library
const why = 'For the test of all kinds.'
const withBooks = (more: Options): Parts => ({ ...library, books: { ...books, ...more } })
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
    parts: withBooks({
      fields: { name: books.fields.title, ...without(books.fields, 'title') },
      unique: [['name', 'shelf_id'], 'isbn'],
      filter: ['name', 'stage', 'shelf_id', 'binding'],
      sort: ['name', 'created_at', 'binding'],
    }),
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
      }),
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
    parts: withBooks({ filter: ['stage', 'shelf_id', 'binding'] }),
    changes: [removeFilter('books', 'title')],
  },
  'remove-sort': {
    parts: withBooks({ sort: ['title', 'binding'] }),
    changes: [removeSort('books', 'created_at')],
  },
  'change-limit': {
    parts: withBooks({ limits: { pageMax: 50, pageDefault: 10, includeRows: 20 } }),
    changes: [
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

/** Further ways in which something of v1 went elsewhere. */
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
    },
    changes: [
      removeField('shelves', 'wing', { was: shelves.fields.wing, whenAbsent: 'west' }),
      removeField('shelves', 'floor', { was: shelves.fields.floor }),
      removeFilter('shelves', 'wing'),
      removeSort('shelves', 'floor'),
    ],
    rows: 'made anew',
  },
  'names changed places': {
    parts: withBooks({
      fields: {
        origin: z.string().min(1).max(80),
        ...without(without(books.fields, 'title'), 'origin'),
        title: z.string().max(100),
        binding: z.enum(['soft', 'hard', 'cloth']),
      },
      unique: [['origin', 'shelf_id'], 'isbn'],
      filter: ['origin', 'stage', 'shelf_id', 'binding'],
      sort: ['origin', 'created_at', 'binding'],
    }),
    changes: [
      renameField('books', 'title', 'origin'),
      renameField('books', 'origin', 'title'),
      mapValues('books', 'binding', { soft: 'hard', hard: 'soft' }),
    ],
    rows: 'made anew',
  },
}

/** The same, with each list from its end, with more in it everywhere, and told in other words. */
export const turned = (parts: Parts): Parts => ({
  visitors: { fields: { name: z.string() } },
  ...Object.fromEntries(Object.entries(reordered(parts)).map(([name, options]) => [name, grown(options)])),
})

const grown = (options: Options): Options => ({
  ...options,
  description: 'Told otherwise.',
  fields: {
    shelved_by: z.string().max(80).optional(),
    ...Object.fromEntries(
      Object.entries(options.fields as Options).map(([name, field]) => [name, retold(field)]),
    ),
  },
  relations: {
    visitor: belongsTo('visitors', { optional: true }),
    ...Object.fromEntries(
      Object.entries((options.relations ?? {}) as Options).map(([name, one]) => [
        name,
        { ...(one as object), description: 'Told otherwise.' },
      ]),
    ),
  },
  // A hook could set what an older version does not show, so that a value may be taken there too.
  ...(options.hooks ? {} : { unique: ['shelved_by', ...((options.unique ?? []) as string[])] }),
  filter: ['shelved_by', ...((options.filter ?? []) as string[])],
  sort: ['shelved_by', ...((options.sort ?? []) as string[])],
  include: ['visitor', ...((options.include ?? []) as string[])],
})

const retold = (field: unknown): unknown =>
  field instanceof z.ZodType
    ? field.describe('Told otherwise.')
    : { ...(field as object), description: 'So.' }

/** The same, with each list from its end. */
export const reordered = (parts: Parts): Parts =>
  reorderedMembers(parts, fromEnd, (options) => reorderedOptions(options, fromEnd))

const fromEnd: Permute = (list) => list.toReversed()
