import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { compareContracts } from '../../src/contract/diff/diff.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { guideOf } from '../../src/contract/guide/guide.ts'
import { openapiOf } from '../../src/contract/openapi/openapi.ts'
import type { Change } from '../../src/declare/change.ts'
import {
  api,
  belongsTo,
  hasMany,
  removeFilter,
  renameField,
  renameRelation,
  resource,
  version,
  writeOnly,
} from '../../src/index.ts'

type Paths = readonly string[]

/** Loans of books on shelves, in one version, or in two where there are changes. */
const library = (filter: Paths, changes: readonly Change[] | null = null) => {
  const shelves = resource('shelves', {
    fields: { room: z.string() },
    relations: { books: hasMany('books') },
  })
  const books = resource('books', {
    fields: {
      title: z.string(),
      size: z.object({ width: z.int() }).optional(),
      code: writeOnly(z.string().optional()),
    },
    relations: { shelf: belongsTo('shelves', { optional: true }), loans: hasMany('loans') },
  })
  const loans = resource('loans', {
    fields: { days: z.int() },
    relations: { book: belongsTo('books') },
    filter: filter as readonly 'book.title'[],
  })
  const v1 = version('v1', { published: '2026-01-01', changes: changes ?? [] })
  return api('library', {
    resources: [shelves, books, loans],
    versions: changes ? [version('v2', { published: '2026-02-01' }), v1] : [v1],
  })
}

const published = (filter: Paths) => {
  const model = compileApi(library(filter))
  return new Map([['v1', contractOf(model, model.head)]])
}

test('a filter through relations is an addition, and breaks where it goes', () => {
  const contractWith = (filter: Paths) => {
    const model = compileApi(library(filter))
    return contractOf(model, model.head)
  }
  const [before, after] = [contractWith(['days']), contractWith(['days', 'book.shelf.room'])]
  expect(after.resources.loans?.filters).toEqual({
    days: ['eq', 'gt', 'gte', 'in', 'lt', 'lte', 'ne'],
    'book.shelf.room': ['eq', 'gt', 'gte', 'in', 'lt', 'lte', 'ne'],
  })
  const told = (from: typeof before, to: typeof before) =>
    compareContracts(from, to).map(({ verdict, where, what }) => `${verdict} ${where}: ${what}`)
  expect(told(before, after)).toEqual(['additive loans: filter book.shelf.room was added'])
  expect(told(after, before)).toEqual(['breaking loans: filter book.shelf.room was removed'])
})

test('the gate says which line declares that it went, and the line is enough', () => {
  const contracts = published(['book.title'])
  const refused = checkContracts(compileApi(library([], []), { contracts }), contracts)
  expect(JSON.stringify(refused.refusals)).toContain("removeFilter('loans', 'book.title')")
  const changes = [removeFilter('loans', 'book.title', { why: 'It was slow.' })]
  const model = compileApi(library([], changes), { contracts })
  const [head = model.head, older = model.head] = model.versions
  expect(checkContracts(model, new Map(contracts).set('v2', contractOf(model, head))).refusals).toEqual([])
  expect([...(older.views.get('loans')?.filters ?? [])]).toEqual(['book.title'])
  expect(guideOf(older, head)).toContain('`GET /v1/loans?filter[book.title]=…`')
  // A filter that only an older version offers has its index all the same.
  expect(model.resources.get('books')?.indexes).toContainEqual(['title'])
})

test('an older version hides it where its contract lacks it, and has its own names', () => {
  const hidden = compileApi(library(['book.title'], []), { contracts: published([]) })
  expect(hidden.versions.map(({ views }) => [...(views.get('loans')?.filters ?? [])])).toEqual([
    ['book.title'],
    [],
  ])
  const changes = [
    renameRelation('loans', 'volume', 'book'),
    renameRelation('books', 'rack', 'shelf'),
    renameField('shelves', 'hall', 'room'),
  ]
  const { versions } = compileApi(library(['book.title', 'book.shelf.room'], changes))
  const [, older] = versions
  expect([...(older?.views.get('loans')?.filters ?? [])]).toEqual(['volume.title', 'volume.rack.hall'])
})

test.each([
  ['book.loans.days', '"book.loans.days": "loans" of books leads to many rows, and a filter leads to one.'],
  [
    'book.shelf.books.title',
    '"book.shelf.books.title" has 3 relations, and 2 is the limit. Name a field that is nearer.',
  ],
  ['boek.title', '"boek.title": "boek" is not a to-one relation of loans. Did you mean "book"?'],
  ['book.titel', '"book.titel": "titel" is not a field of books. Did you mean "title"?'],
  ['book.shelf', '"book.shelf": "shelf" is not a field of books. Write "shelf_id".'],
  ['book.size', '"book.size": "size" is stored as JSON'],
  ['book.code', '"book.code": "code" is write-only'],
  ['book.', '"book.": "" is not a field of books.'],
])('a filter by %s does not compile', (path, told) => {
  expect(() => compileApi(library([path]))).toThrow(`loans.filter: ${told}`)
})

test('documents have the parameters of each operator, with what is unset on the way', () => {
  const model = compileApi(library(['book.shelf.room', 'book.title']))
  const { components } = openapiOf(model.head, model) as {
    components: { parameters: { [name: string]: object } }
  }
  expect(components.parameters['loans.filter.book-title.in']).toMatchObject({
    name: 'filter[book.title][in]',
  })
  expect(components.parameters['loans.filter.book-shelf-room']).toMatchObject({
    name: 'filter[book.shelf.room]',
    description: 'Rows whose `book.shelf.room` is equal to this. `null` stands for an unset value.',
  })
})
