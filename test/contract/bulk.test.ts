import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { guideOf } from '../../src/contract/guide/guide.ts'
import { openapiOf } from '../../src/contract/openapi/openapi.ts'
import type { Change } from '../../src/declare/change.ts'
import {
  api,
  belongsTo,
  changeLimit,
  hasMany,
  removeBulk,
  renameField,
  resource,
  version,
} from '../../src/index.ts'
import { contractsOf, withNewest } from '../support/contract-additions.ts'

interface Told {
  readonly bulk: boolean
  readonly bulkRows?: number
  readonly changes?: readonly Change[]
}

/** Books, in one version, or in two where there are changes. */
const library = ({ bulk, bulkRows, changes }: Told) => {
  const books = resource('books', {
    fields: { title: z.string() },
    relations: { shelf: belongsTo('shelves') },
    bulk,
    ...(bulkRows === undefined ? {} : { limits: { bulkRows } }),
  })
  const v1 = version('v1', { published: '2026-01-01', changes: changes ?? [] })
  return api('library', {
    resources: [books, resource('shelves', { fields: {}, relations: { books: hasMany('books') } })],
    versions: changes
      ? [version('v2', { published: '2026-02-01' }), v1]
      : [version('v1', { published: '2026-01-01' })],
  })
}

const { publishedBy, differences } = contractsOf(library)

test('lists are an addition, and break where they go', () => {
  expect(differences({ bulk: false }, { bulk: true })).toEqual(['additive books: POST takes a list of rows'])
  expect(differences({ bulk: true }, { bulk: false })).toEqual([
    'breaking books: POST no longer takes a list of rows',
  ])
  expect(differences({ bulk: true, bulkRows: 50 }, { bulk: true })).toEqual([
    'additive books.limits.bulkRows: 50 was raised to 100',
  ])
  expect(differences({ bulk: true }, { bulk: true, bulkRows: 50 })).toEqual([
    'breaking books.limits.bulkRows: 100 was lowered to 50',
  ])
})

test('the gate says which line declares that they went, and the line is enough', () => {
  const contracts = publishedBy({ bulk: true })
  const refused = checkContracts(compileApi(library({ bulk: false, changes: [] }), { contracts }), contracts)
  expect(refused.refusals.map((refusal) => JSON.stringify(refusal)).join()).toContain("removeBulk('books')")
  const changes = [removeBulk('books', { why: 'Nobody sends them.' })]
  const model = compileApi(library({ bulk: false, changes }), { contracts })
  expect(checkContracts(model, withNewest(model, contracts)).refusals).toEqual([])
  const [head = model.head, older = model.head] = model.versions
  expect([head.views.get('books')?.bulk, older.views.get('books')?.bulk]).toEqual([false, true])
  expect(guideOf(older, head)).toContain('| `POST /v1/books` with a list | one POST for each row |')
})

test('a removeBulk of lists that are there does not compile', () => {
  expect(() => compileApi(library({ bulk: true, changes: [removeBulk('books')] }))).toThrow(
    'books still takes lists. Take bulk off, or leave this out.',
  )
})

test('an older version that was published without it takes no list, and one with a lower limit keeps that', () => {
  const without = compileApi(library({ bulk: true, changes: [] }), {
    contracts: publishedBy({ bulk: false }),
  })
  expect(without.versions.map(({ views }) => views.get('books')?.bulk)).toEqual([true, false])
  const contracts = publishedBy({ bulk: true, bulkRows: 20 })
  const lower = compileApi(library({ bulk: true, bulkRows: 50, changes: [] }), { contracts })
  expect(lower.versions.map(({ views }) => views.get('books')?.limits.bulkRows)).toEqual([50, 20])
  const changed = [changeLimit('books', 'bulkRows', { was: 80 })]
  const published = publishedBy({ bulk: true, bulkRows: 80 })
  const model = compileApi(library({ bulk: true, bulkRows: 50, changes: changed }), { contracts: published })
  expect(checkContracts(model, withNewest(model, published)).refusals).toEqual([])
})

test('a version whose field is called data takes no list', () => {
  const declared = api('library', {
    resources: [resource('books', { fields: { title: z.string() }, bulk: true })],
    versions: [
      version('v2', { published: '2026-02-01' }),
      version('v1', { published: '2026-01-01', changes: [renameField('books', 'data', 'title')] }),
    ],
  })
  expect(compileApi(declared).versions.map(({ views }) => views.get('books')?.bulk)).toEqual([true, false])
})

test('documents have the list and its limit where lists are taken', () => {
  const text = (told: Told) => {
    const model = compileApi(library(told))
    return JSON.stringify(openapiOf(model.head, model))
  }
  expect(text({ bulk: false }).includes('or a list of up to')).toBe(false)
  const told = text({ bulk: true, bulkRows: 70 })
  expect(told.includes('"minItems":1,"maxItems":70')).toBe(true)
  expect(told.includes('or a list of up to 70 rows')).toBe(true)
})
