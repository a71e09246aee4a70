import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import type { Contract } from '../../src/compile/contract-format.ts'
import type { View } from '../../src/compile/model.ts'
import { inOrderOf, schemaInOrderOf } from '../../src/compile/schemas/order.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { freezeContract, thawContract } from '../../src/contract/freeze.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { openapiOf } from '../../src/contract/openapi/openapi.ts'
import { api } from '../../src/declare/api.ts'
import { removeField } from '../../src/declare/change.ts'
import { states } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { viewIn } from '../support/pair.ts'

const size = z.object({ width: z.int(), height: z.int(), unit: z.enum(['m', 'cm']) })
const either = z.union([z.strictObject({ b: z.enum(['y', 'x']), a: z.int() }), z.string(), z.int()])

const books = resource('books', {
  fields: {
    title: z.string(),
    binding: z.enum(['soft', 'hard', 'cloth']),
    isbn: z.string().max(20).optional(),
    size: size.optional(),
    tag: z.array(either).optional(),
    stage: states('wanted', { wanted: ['lent', 'bought'], lent: ['wanted', 'bought'], bought: [] }),
  },
  relations: { shelf: belongsTo('shelves'), author: belongsTo('authors') },
  filter: ['title', 'binding'],
  sort: ['title', 'created_at', 'binding'],
})
const shelves = resource('shelves', { fields: { room: z.string() }, relations: { books: hasMany('books') } })
const authors = resource('authors', { fields: { name: z.string() }, relations: { books: hasMany('books') } })

const eitherReversed = z.union([z.int(), z.string(), z.strictObject({ a: z.int(), b: z.enum(['x', 'y']) })])

/** The same declaration, each list of it from its end. */
const booksReversed = resource('books', {
  fields: {
    stage: states('wanted', { bought: [], lent: ['bought', 'wanted'], wanted: ['bought', 'lent'] }),
    tag: z.array(eitherReversed).optional(),
    size: z.object({ unit: z.enum(['cm', 'm']), height: z.int(), width: z.int() }).optional(),
    isbn: z.string().max(20).optional(),
    binding: z.enum(['cloth', 'hard', 'soft']),
    title: z.string(),
  },
  relations: { author: belongsTo('authors'), shelf: belongsTo('shelves') },
  filter: ['binding', 'title'],
  sort: ['binding', 'created_at', 'title'],
})

const v1 = version('v1', { published: '2026-01-01' })
const first = api('library', { resources: [books, shelves, authors], versions: [v1] })
const reversed = api('library', { resources: [authors, shelves, booksReversed], versions: [v1] })

const thawed = (contract: Contract): ReadonlyMap<string, Contract> => {
  const { contract: read } = thawContract(freezeContract(contract), contract.version)
  if (!read) throw new Error('the contract was not read')
  return new Map([[contract.version, read]])
}

const then = compileApi(first)
const published = thawed(contractOf(then, then.head))

/** Lines, so that a difference is seen. */
const text = (value: object): string => JSON.stringify(value, null, 1)

const shown = (view: View) => ({
  fields: view.fields.map(({ name }) => name),
  relations: [...view.relations.keys()],
  filters: [...view.filters],
  sorts: [...view.sorts],
})

describe('the contract', () => {
  test('has everything in the order it was declared in', () => {
    const { resources } = contractOf(then, then.head)
    expect(Object.keys(resources)).toEqual(['books', 'shelves', 'authors'])
    const { fields, sorts, filters } = resources.books ?? expect.fail('there are no books')
    expect(Object.keys(fields).slice(3, 6)).toEqual(['title', 'binding', 'isbn'])
    expect(fields.binding?.request?.schema.enum).toEqual(['soft', 'hard', 'cloth'])
    expect(fields.stage?.states?.moves).toEqual({ wanted: ['lent', 'bought'], lent: ['wanted', 'bought'] })
    expect(Object.keys(fields.size?.request?.schema.properties ?? {})).toEqual(['width', 'height', 'unit'])
    expect([sorts, Object.keys(filters)]).toEqual([
      ['title', 'created_at', 'binding'],
      ['title', 'binding'],
    ])
  })

  test('that was reordered by hand is refused', () => {
    const text = freezeContract(contractOf(then, then.head))
    const edited = text.replaceAll('"soft", "hard"', '"hard", "soft"')
    expect(thawContract(edited, 'v1').fault?.what).toBe('it was edited by hand: its hash does not match.')
  })
})

describe('a declaration in another order', () => {
  test('breaks no promise and adds none', () => {
    const now = compileApi(reversed, { contracts: published })
    expect(checkContracts(now, published)).toEqual({ refusals: [], broken: new Set(), grown: [] })
    const unordered = compileApi(reversed)
    expect(checkContracts(unordered, published)).toEqual({ refusals: [], broken: new Set(), grown: [] })
  })

  test.each([
    ['the newest version', [v1]],
    ['an older version', [version('v2'), v1]],
  ])('changes nothing in %s that is published', (_, versions) => {
    const now = compileApi({ ...reversed, versions }, { contracts: published })
    const old = now.versions.at(-1) ?? now.head
    for (const name of ['books', 'shelves', 'authors'])
      expect(shown(viewIn(old, name))).toEqual(shown(viewIn(then.head, name)))
    expect(text(contractOf(now, old))).toBe(text(contractOf(then, then.head)))
    // The introduction tells of the newer version, and of the client that older versions have.
    const document = (of: object) => text(of).replace(/^ *"description": ".*## First steps.*/m, '')
    expect(document(openapiOf(old, now))).toBe(document(openapiOf(then.head, then)))
  })

  test('decides the order of a version that is not published', () => {
    const now = compileApi({ ...reversed, versions: [version('v2'), v1] }, { contracts: published })
    expect([...now.head.views.keys()]).toEqual(['authors', 'shelves', 'books'])
  })
})

test('a field that was removed stands where it stood, in the version that had it', () => {
  const { isbn: _, ...fields } = books.fields
  const changed = { ...books, fields } as typeof books
  const changes = [removeField('books', 'isbn', { was: z.string().max(20).optional() })]
  const versions = [version('v2'), version('v1', { published: '2026-01-01', changes })]
  const now = compileApi(
    { ...first, resources: [changed, shelves, authors], versions },
    { contracts: published },
  )
  const old = now.versions.at(-1) ?? now.head
  expect(shown(viewIn(old, 'books'))).toEqual(shown(viewIn(then.head, 'books')))
})

describe('the order of names', () => {
  test.each([
    ['is the known one', 'cab', 'abc', 'abc'],
    ['leaves out what is gone', 'ca', 'abc', 'ac'],
    ['keeps a new one behind the one it was declared behind', 'cxayb', 'abc', 'aybcx'],
    ['keeps new ones together', 'axyb', 'ba', 'baxy'],
    ['keeps a new one first that was declared first', 'xba', 'ab', 'xab'],
    ['is the declared one where none is known', 'cab', '', 'cab'],
  ])('%s', (_, declared, known, expected) => {
    expect(inOrderOf(declared, known).join('')).toBe(expected)
  })

  test('of the items of a tuple stays, because each has its meaning by its position', () => {
    const pair = { prefixItems: [{ type: 'string' }, { type: 'integer' }] } as const
    const swapped = { prefixItems: [{ type: 'integer' }, { type: 'string' }] } as const
    expect(schemaInOrderOf(pair, swapped)).toEqual(pair)
  })

  test('of union members that allow the same values is kept, with their descriptions', () => {
    const forms = {
      anyOf: [
        { type: 'string', description: 'one' },
        { type: 'string', description: 'two' },
      ],
    } as const
    expect(JSON.stringify(schemaInOrderOf(forms, forms))).toBe(JSON.stringify(forms))
  })
})
