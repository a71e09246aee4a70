import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import type { Model } from '../../src/compile/model.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { guideOf } from '../../src/contract/guide/guide.ts'
import { openapiOf } from '../../src/contract/openapi/openapi.ts'
import type { Change } from '../../src/declare/change.ts'
import { api, needsScope, removeSearch, renameField, resource, version, writeOnly } from '../../src/index.ts'
import { contractsOf, withNewest } from '../support/contract-additions.ts'

interface Told {
  readonly search: readonly ('title' | 'blurb')[]
  readonly changes?: readonly Change[]
}

/** Books, in one version, or in two where there are changes. */
const library = ({ search, changes }: Told) =>
  api('library', {
    resources: [resource('books', { fields: { title: z.string(), blurb: z.string().optional() }, search })],
    versions: changes
      ? [version('v2'), version('v1', { published: '2026-01-01', changes })]
      : [version('v1')],
  })

const { publishedBy, differences } = contractsOf(library)

const searchedIn = ({ versions }: Model) =>
  versions.map(({ views }) => [...(views.get('books')?.searched ?? [])])

test('a search is an addition, and so is a field of it; both break where they go', () => {
  const parameter = 'GET /books: query parameter search was'
  const all = { search: ['title', 'blurb'] } as const
  expect(differences({ search: [] }, { search: ['title'] })).toEqual([
    'additive books: search title was added',
    `additive ${parameter} added`,
    'additive GET /books: problem search-not-ready was added',
  ])
  expect(differences({ search: ['title'] }, all)).toEqual(['additive books: search blurb was added'])
  expect(differences(all, { search: ['title'] })).toEqual(['breaking books: search blurb was removed'])
  expect(differences(all, { search: [] })).toEqual([
    'breaking books: search title was removed',
    'breaking books: search blurb was removed',
    `breaking ${parameter} removed`,
    'breaking GET /books: problem search-not-ready was removed or became another type',
  ])
})

test('the gate says which lines declare that it went, and the lines are enough', () => {
  const contracts = publishedBy({ search: ['title', 'blurb'] })
  const refused = checkContracts(compileApi(library({ search: [], changes: [] }), { contracts }), contracts)
  const told = refused.refusals.map((refusal) => JSON.stringify(refusal)).join()
  expect(told).toContain("removeSearch('books', 'title')")
  expect(told).toContain("removeSearch('books', 'blurb')")
  expect(told).not.toContain('no change can declare this')
  const changes = [removeSearch('books', 'title'), removeSearch('books', 'blurb')]
  const model = compileApi(library({ search: [], changes }), { contracts })
  expect(checkContracts(model, withNewest(model, contracts)).refusals).toEqual([])
  expect(searchedIn(model)).toEqual([[], ['title', 'blurb']])
  const [head = model.head, older = model.head] = model.versions
  expect(guideOf(older, head)).toContain('| `GET /v1/books?search=…` | search what you get |')
})

test('the guide says in which fields words are found still', () => {
  const model = compileApi(library({ search: ['title'], changes: [removeSearch('books', 'blurb')] }))
  const [head = model.head, older = model.head] = model.versions
  const now = 'the same finds words of `title` alone'
  expect(guideOf(older, head)).toContain(`| \`GET /v1/books?search=…\` | ${now} |`)
})

test('each version searches the fields that it was published with, each set with an index of its own', () => {
  const contracts = publishedBy({ search: ['title'] })
  const model = compileApi(library({ search: ['title', 'blurb'], changes: [] }), { contracts })
  expect(searchedIn(model)).toEqual([['title', 'blurb'], ['title']])
  expect(model.resources.get('books')?.searches).toEqual([['blurb', 'title'], ['title']])
  const without = compileApi(library({ search: ['title'], changes: [] }), {
    contracts: publishedBy({ search: [] }),
  })
  expect(searchedIn(without)).toEqual([['title'], []])
})

test('an older version searches a renamed field by the name that it has there', () => {
  const older = (name: string) =>
    resource('books', { fields: { [name]: z.string() }, search: [name] as never })
  const first = compileApi(api('library', { resources: [older('name')] }))
  const contracts = new Map([['v1', contractOf(first, first.head)]])
  const model = compileApi(
    api('library', {
      resources: [older('title')],
      versions: [
        version('v2'),
        version('v1', { published: '2026-01-01', changes: [renameField('books', 'name', 'title') as never] }),
      ],
    }),
    { contracts },
  )
  expect(searchedIn(model)).toEqual([['title'], ['name']])
  expect(model.resources.get('books')?.searches).toEqual([['title']])
})

test.each([
  [['year'], '"year" is no text.'],
  [['made'], '"made" is no text.'],
  [['secret'], '"secret" is write-only, and a search would show what it holds.'],
  [['inner'], '"inner" needs a scope, and a search would show what it holds to callers without it.'],
  [['titel'], '"titel" is not a field of books.'],
  [['title', 'title'], '"title" is named twice.'],
])('a search of %j does not compile', (search, why) => {
  const books = resource('books', {
    fields: {
      title: z.string(),
      year: z.int(),
      made: z.iso.date(),
      secret: writeOnly(z.string()),
      inner: needsScope('books:read', z.string()),
    },
    search: search as never,
  })
  expect(() => compileApi(api('library', { resources: [books] }))).toThrow(why)
})

test('a removeSearch of a field that is searched does not compile', () => {
  expect(() => compileApi(library({ search: ['title'], changes: [removeSearch('books', 'title')] }))).toThrow(
    'books still offers search in "title". Take it off the search list, or leave this out.',
  )
})

test('documents have the parameter where there is a search', () => {
  const text = (told: Told) => {
    const model = compileApi(library(told))
    return JSON.stringify(openapiOf(model.head, model))
  }
  expect(text({ search: [] })).not.toMatch(/books\.search|search-not-ready/)
  const told = text({ search: ['title', 'blurb'] })
  expect(told).toContain('"$ref":"#/components/parameters/books.search"')
  expect(told).toContain('the beginning of a word of `title` or `blurb`')
  expect(told).toContain('search-not-ready')
})
