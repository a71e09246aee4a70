import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { compareContracts } from '../../src/contract/diff/diff.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { openapiOf } from '../../src/contract/openapi/openapi.ts'
import { shapeText } from '../../src/contract/typescript/shape-text.ts'
import type { Change } from '../../src/declare/change.ts'
import { api, belongsTo, hasMany, renameResource, resource, version } from '../../src/index.ts'
import { linesOf } from '../compile/declarations.ts'

interface Told {
  readonly tags?: object
  readonly join?: string
  readonly links?: object
  readonly changes?: readonly Change[]
  /** Options of the relation; none where it is left out. */
  readonly relation?: object | null
}

const library = ({ tags, join = 'taggings', links, changes, relation = {} }: Told) => {
  const relations = {
    book: belongsTo('books'),
    tag: belongsTo('tags'),
    ...links,
  }
  const through = relation && { tags: hasMany('tags', { through: join, ...relation }) }
  return api('library', {
    resources: [
      resource('books', {
        fields: { title: z.string() },
        relations: { ...through, taggings: hasMany(join) },
        ...(through ? { include: ['tags'] } : {}),
      }),
      resource('tags', {
        fields: { name: z.string() },
        shared: true,
        scopes: { read: 'public' },
        ...tags,
      }),
      resource(join, { fields: {}, relations }),
    ],
    versions: [
      ...(changes ? [version('v2', { published: '2026-02-01' })] : []),
      version('v1', { published: '2026-01-01', changes: changes ?? [] }),
    ],
  } as never)
}
const headOf = (told: Told) => {
  const model = compileApi(library(told))
  return contractOf(model, model.head)
}
const differences = (from: Told, to: Told) =>
  compareContracts(headOf(from), headOf(to)).map(({ verdict, where, what }) => `${verdict} ${where}: ${what}`)

test('the contract has its join, and only paths that read', () => {
  const contract = headOf({})
  expect(contract.resources.books?.relations.tags).toEqual({
    kind: 'to-many',
    resource: 'tags',
    through: 'taggings',
    rows: 50,
  })
  expect(Object.keys(contract.paths['/books/{id}/tags'] ?? {})).toEqual(['GET'])
  expect(Object.keys(contract.paths['/books/{id}/tags/{sub_id}'] ?? {})).toEqual(['GET'])
  expect(contract.paths['/books/{id}/tags']?.GET?.problems).toMatchObject({ 401: expect.anything() })
})

test('it is an addition; where it goes, or leads through another resource, a contract breaks', () => {
  const come = differences({ relation: null }, {})
  expect(come).toContain('additive books.tags: relation was added')
  expect(come).toContain('additive GET /books/{id}/tags: endpoint was added')
  expect(come.every((one) => one.startsWith('additive'))).toBe(true)
  expect(differences({}, { relation: null })).toContain('breaking books.tags: relation was removed')
  expect(differences({}, { join: 'labellings' })).toContain(
    'breaking books.tags: leads through labellings, no longer through taggings',
  )
})

test('an older version that was published without it hides it, and one with it has the older name of its join', () => {
  const frozen = new Map([['v1', headOf({ relation: null })]])
  const grown = compileApi(library({ changes: [] }), { contracts: frozen })
  expect(grown.versions.map(({ views }) => views.get('books')?.relations.has('tags'))).toEqual([true, false])
  expect(contractOf(grown, grown.versions[1] ?? grown.head)).toEqual(headOf({ relation: null }))
  const before = new Map([['v1', headOf({})]])
  const changes = [renameResource('taggings', 'labellings', { why: 'One word.' })]
  const renamed = compileApi(library({ join: 'labellings', changes }), { contracts: before })
  expect(contractOf(renamed, renamed.versions[1] ?? renamed.head)).toEqual(headOf({}))
  const published = new Map(before).set('v2', contractOf(renamed, renamed.head))
  expect(checkContracts(renamed, published).refusals).toEqual([])
})

test('the document says how rows are linked and which scopes it takes, the client that it only reads', () => {
  const model = compileApi(library({}))
  const document = openapiOf(model.head, model) as {
    paths: { [path: string]: { get: { [member: string]: unknown } } }
  }
  const read = document.paths['/v1/books/{id}/tags']?.get ?? document.paths['/books/{id}/tags']?.get
  expect(read?.description).toContain('Linked by the rows of taggings')
  expect(read?.['x-required-scopes']).toEqual(['taggings:read'])
  expect(shapeText(headOf({}))).toContain(`tags: { kind: 'many through'; to: "tags"; by: never }`)
})

test.each<readonly [string, Told, string]>([
  [
    'no resource',
    { relation: { through: 'tagings' } },
    'books.relations.tags: there is no resource "tagings" to lead through. Did you mean "taggings"?',
  ],
  [
    'a resource without a relation to this side',
    { links: { book: undefined } },
    "books.relations.tags: taggings has no belongs-to that points to books. Add to the relations of taggings: belongsTo('books').",
  ],
  [
    'a resource without a relation to the far side',
    { relation: { through: 'books' } },
    'books.relations.tags: books has no belongs-to that points to books.',
  ],
  [
    'a resource with several relations to this side',
    { links: { copy: belongsTo('books') } },
    "books.relations.tags: taggings points to books in 2 ways. Say which: by: 'book' or by: 'copy'.",
  ],
  [
    'a resource with several relations to the far side',
    { links: { other: belongsTo('tags') } },
    'books.relations.tags: taggings points to tags in 2 ways: "tag", "other". Lead through a resource that points there once.',
  ],
])('it leads through %s', (_, told, line) => {
  const links = Object.fromEntries(Object.entries(told.links ?? {}).filter(([, one]) => one !== undefined))
  const without = told.links && 'book' in told.links
  const given = without ? { ...told, links: {} } : { ...told, links }
  const declared = library(given) as { resources: readonly { name: string; relations?: object }[] }
  const resources = declared.resources.map((one) =>
    without && one.name === 'taggings' ? { ...one, relations: { tag: belongsTo('tags') } } : one,
  )
  expect(linesOf({ ...declared, resources } as never).join('\n')).toContain(line)
})
