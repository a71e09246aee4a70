import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { guideOf } from '../../src/contract/guide/guide.ts'
import { openapiOf } from '../../src/contract/openapi/openapi.ts'
import type { Change } from '../../src/declare/change.ts'
import { api, belongsTo, changeLimit, hasMany, removeCount, resource, version } from '../../src/index.ts'
import { contractsOf, withNewest } from '../support/contract-additions.ts'

interface Told {
  readonly count: boolean
  readonly countRows?: number
  readonly changes?: readonly Change[]
}

/** Books, in one version, or in two where there are changes. */
const library = ({ count, countRows, changes }: Told) => {
  const books = resource('books', {
    fields: { title: z.string() },
    relations: { shelf: belongsTo('shelves') },
    count,
    ...(countRows === undefined ? {} : { limits: { countRows } }),
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

test('a count is an addition, and breaks where it goes', () => {
  const added = ['GET /books', 'GET /shelves/{id}/books'].map((path) => `${path}: query parameter count was`)
  expect(differences({ count: false }, { count: true })).toEqual(added.map((one) => `additive ${one} added`))
  expect(differences({ count: true }, { count: false })).toEqual(
    added.map((one) => `breaking ${one} removed`),
  )
  expect(differences({ count: true, countRows: 100 }, { count: true })).toEqual([
    'additive books.limits.countRows: 100 was raised to 10000',
  ])
  expect(differences({ count: true }, { count: true, countRows: 100 })).toEqual([
    'breaking books.limits.countRows: 10000 was lowered to 100',
  ])
})

test('the gate says which line declares that it went, and the line is enough', () => {
  const contracts = publishedBy({ count: true })
  const refused = checkContracts(compileApi(library({ count: false, changes: [] }), { contracts }), contracts)
  expect(refused.refusals.map((refusal) => JSON.stringify(refusal)).join()).toContain("removeCount('books')")
  const changes = [removeCount('books', { why: 'Nobody reads it.' })]
  const model = compileApi(library({ count: false, changes }), { contracts })
  expect(checkContracts(model, withNewest(model, contracts)).refusals).toEqual([])
  const [head = model.head, older = model.head] = model.versions
  expect([head.views.get('books')?.counted, older.views.get('books')?.counted]).toEqual([false, true])
  expect(guideOf(older, head)).toContain('| `GET /v1/books?count=true` | count what you get |')
})

test('a removeCount of a count that is there does not compile', () => {
  expect(() => compileApi(library({ count: true, changes: [removeCount('books')] }))).toThrow(
    'books still offers count. Take count off, or leave this out.',
  )
})

test('an older version that was published without it has no count, and one with a lower limit keeps that', () => {
  const without = compileApi(library({ count: true, changes: [] }), {
    contracts: publishedBy({ count: false }),
  })
  expect(without.versions.map(({ views }) => views.get('books')?.counted)).toEqual([true, false])
  const lower = compileApi(library({ count: true, countRows: 50, changes: [] }), {
    contracts: publishedBy({ count: true, countRows: 20 }),
  })
  expect(lower.versions.map(({ views }) => views.get('books')?.limits.countRows)).toEqual([50, 20])
  const changed = [changeLimit('books', 'countRows', { was: 80 })]
  const contracts = publishedBy({ count: true, countRows: 80 })
  const model = compileApi(library({ count: true, countRows: 50, changes: changed }), { contracts })
  expect(checkContracts(model, withNewest(model, contracts)).refusals).toEqual([])
})

test('documents have the parameter and the page where there is a count', () => {
  const text = (told: Told) => {
    const model = compileApi(library(told))
    return JSON.stringify(openapiOf(model.head, model))
  }
  expect(text({ count: false })).not.toMatch(/books\.count|total_is_exact|CountedPage/)
  const told = text({ count: true, countRows: 70 })
  expect(told).toContain('"page":{"$ref":"#/components/schemas/CountedPage"}')
  expect(told).toContain('"page":{"$ref":"#/components/schemas/Page"}')
  expect(told).toContain('counted up to 70')
})
