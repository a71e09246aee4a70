import { api, belongsTo, hasMany, resource, states, sum, version } from 'nounkit'
import { z } from 'zod'
import type { ApiOptions } from '../../src/declare/api.ts'
import type { HookContext } from '../../src/declare/hooks.ts'
import type { VersionDeclaration } from '../../src/declare/version.ts'

export type Options = { readonly [option: string]: unknown }
export type Parts = { readonly [resource: string]: Options }

export const digits = z
  .string()
  .regex(/^[1-9]\d{0,3}$/)
  .meta({ examples: ['66'] })

export const decimal = z
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
    filter: ['title', 'stage', 'shelf_id', 'binding', 'author.name', 'shelf.wing'],
    sort: ['title', 'created_at', 'binding'],
    count: true,
    bulk: true,
    limits: { countRows: 2, bulkRows: 3 },
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
    search: ['name'],
    include: ['books'],
  },
  loans: {
    owner: 'book',
    fields: { to: z.string().max(80), days: z.int().min(1) },
    relations: { book: belongsTo('books', { onTargetDelete: 'cascade' }) },
    filter: ['days', 'book.title', 'book.stage', 'book.shelf.room', 'book.author.name'],
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

const resourcesOf = (parts: Parts) =>
  Object.entries(parts).map(([name, options]) => resource(name, options as never))

export const firstVersion = version('v1', { published: '2026-01-01' })

export const libraryOf = (
  parts: Parts,
  versions: readonly VersionDeclaration[] = [firstVersion],
  more: Partial<ApiOptions> = {},
) =>
  api('library', {
    title: 'The library',
    description: 'Books and who has them.',
    resources: resourcesOf(parts),
    versions,
    ...more,
  })
