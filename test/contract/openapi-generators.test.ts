import fc from 'fast-check'
import { api, belongsTo, hasMany, resource, version } from 'nounkit'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import type { Model } from '../../src/compile/model.ts'
import { openapiOf } from '../../src/contract/openapi/openapi.ts'
import type { Document } from './openapi-judge.ts'
import { shopContracts } from './openapi-shop.ts'

type Json = { readonly [key: string]: unknown }

const shopModel = compileApi(shop, { contracts: await shopContracts() })

/** Resources whose names are taken: by each other, by schemas of the document, and by what generated code has of its own. */
const named = (...names: readonly string[]) =>
  api('names', {
    resources: names.map((name) =>
      resource(name, { fields: { title: z.string() }, nameIsPluralBecause: 'it is chosen to clash' }),
    ),
    versions: [version('v1')],
  })

const nullable = api('nullable', {
  resources: [
    resource('parents', {
      fields: { name: z.string().optional() },
      relations: { children: hasMany('children') },
      include: ['children', 'children.friend'],
    }),
    resource('children', {
      fields: {
        text: z.string().optional(),
        whole: z.int().optional(),
        real: z.number().optional(),
        flag: z.boolean().optional(),
        colour: z.enum(['red', 'null']).optional(),
        day: z.iso.date().optional(),
        at: z.iso.datetime().optional(),
        shape: z.union([z.object({ side: z.number() }), z.object({ radius: z.number() })]).optional(),
      },
      relations: {
        parent: belongsTo('parents'),
        friend: belongsTo('children', { optional: true }),
      },
      filter: ['text', 'whole', 'real', 'flag', 'colour', 'day', 'at', 'friend_id'],
      include: ['parent', 'friend', 'friend.parent'],
    }),
  ],
  versions: [version('v1')],
})

const documentsOf = (model: Model): Document[] =>
  model.versions.map((one) => openapiOf(one, model) as Document)

const documents = [
  ...documentsOf(shopModel).map((one) => [`shop ${(one.info as Json).version}`, one] as const),
  ...documentsOf(compileApi(nullable)).map((one) => ['nullable', one] as const),
]

/** Every object of a document that is no example, with its path. */
const nodesOf = (value: unknown, path = ''): [string, Json][] => {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value)
    .filter(([key]) => key !== 'example' && key !== 'examples' && !key.startsWith('x-'))
    .flatMap(([key, one]) => nodesOf(one, `${path}/${key}`))
  return Array.isArray(value) ? inner : [[path, value as Json], ...inner]
}

const schemaNamesOf = (document: Document): string[] => Object.keys(document.components.schemas ?? {})

describe.each(documents)('generators can read the document of %s:', (_, document) => {
  it('every schema has a class name, and no two differ in capitals alone', () => {
    const names = schemaNamesOf(document)
    expect(names.filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name))).toEqual([])
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length)
  })

  it('a title is the name of its schema: some generators name classes by titles', () => {
    for (const [name, schema] of Object.entries(document.components.schemas ?? {}))
      expect(schema.title ?? name).toBe(name)
  })

  it('every body is a named schema, so that no generator has to invent a name', () => {
    const bodies = nodesOf(document).filter(([path]) =>
      /\/content\/[^/]+~?[^/]*\/schema$|json\/schema$/.test(path),
    )
    expect(bodies.length).toBeGreaterThan(20)
    expect(bodies.filter(([, schema]) => !schema.$ref).map(([path]) => path)).toEqual([])
  })

  it('no schema is joined by allOf, in which nullability is lost', () => {
    expect(nodesOf(document).filter(([, node]) => 'allOf' in node)).toEqual([])
  })

  it('null is a type beside another, and stands in an anyOf only next to what has no single type', () => {
    const unions = nodesOf(document).filter(([, node]) =>
      ((node.anyOf ?? []) as Json[]).some((one) => one.type === 'null'),
    )
    for (const [path, { anyOf }] of unions) {
      const others = (anyOf as Json[]).filter((one) => one.type !== 'null')
      expect(others.map((one) => [path, typeof one.type])).toEqual([[path, 'undefined']])
    }
  })

  it('webhooks have a tag that no operation has: a class of theirs would take the place of another', () => {
    const tagsIn = (paths: unknown) =>
      nodesOf(paths).flatMap(([, { operationId, tags }]) => (operationId ? (tags as string[]) : []))
    const ofOperations = new Set(tagsIn(document.paths))
    const ofWebhooks = tagsIn((document as Json).webhooks)
    expect(ofWebhooks.filter((tag) => ofOperations.has(tag))).toEqual([])
    const told = ((document as Json).tags as Json[]).map(({ name }) => name)
    expect([...ofOperations, ...ofWebhooks].filter((tag) => !told.includes(tag))).toEqual([])
  })

  it('a filter has one type, and never a choice of schemas', () => {
    const filters = Object.values(document.components.parameters ?? {}).filter(
      ({ name }) => String(name).startsWith('filter[') && name !== 'filter[or]',
    )
    expect(filters.length).toBeGreaterThan(20)
    for (const { name, schema } of filters) {
      const one = (schema as Json).type === 'array' ? (schema as { items: Json }).items : (schema as Json)
      expect([name, typeof one.type, Object.keys(one).filter((key) => /Of$|const/.test(key))]).toEqual([
        name,
        'string',
        [],
      ])
    }
  })
})

describe('names of schemas', () => {
  const schemasOf = (...names: readonly string[]): string[] => {
    const [document] = documentsOf(compileApi(named(...names)))
    return document ? schemaNamesOf(document) : []
  }

  it('are the singular of the resource', () => {
    expect(schemasOf('order-items')).toContain('OrderItem')
  })

  it('leave to generated code what it has of its own, such as Client', () => {
    const names = schemasOf('clients', 'errors', 'fields')
    expect(names).toEqual(expect.arrayContaining(['ClientRow', 'ErrorRow', 'FieldRow']))
    expect(names).not.toContain('Client')
  })

  it('keep a word that another resource only could have made', () => {
    expect(schemasOf('wishlists', 'homepages')).toEqual(expect.arrayContaining(['Wishlist', 'Homepage']))
  })

  it('of resources and problems never clash', () => {
    const names = schemasOf('not-found-problems', 'pages', 'field-errors', 'order-lists', 'orders')
    expect(names).toEqual(
      expect.arrayContaining(['NotFoundProblem', 'NotFoundProblemRow', 'Page', 'PageRow']),
    )
    expect(names).toEqual(
      expect.arrayContaining(['FieldError', 'FieldErrorRow', 'OrderList', 'OrderListRow']),
    )
  })

  it('tell relations apart whose names have the same singular', () => {
    const model = compileApi(
      api('relations', {
        resources: [
          resource('teams', {
            fields: { name: z.string() },
            relations: {
              player: belongsTo('players', { optional: true, description: 'The captain.' }),
              players: hasMany('players', { by: 'team' }),
            },
            include: ['player', 'player.agent', 'players', 'players.coach'],
          }),
          resource('players', {
            fields: { name: z.string() },
            relations: { team: belongsTo('teams'), agent: belongsTo('agents'), coach: belongsTo('agents') },
          }),
          resource('agents', { fields: { name: z.string() } }),
        ],
        versions: [version('v1')],
      }),
    )
    const schemas = documentsOf(model)[0]?.components.schemas ?? {}
    const relationsOf = (name: string) => Object.keys((schemas[name]?.properties ?? {}) as Json)
    expect(relationsOf('TeamIncludedPlayer')).toContain('agent')
    expect(relationsOf('TeamIncludedPlayers')).toContain('coach')
  })

  it('differ in more than capitals for any resources', () => {
    const word = fc.constantFrom('order', 'orders', 'item', 'items', 'list', 'page', 'create', 'row', 'row2')
    const name = fc
      .array(word, { minLength: 1, maxLength: 3 })
      .chain((words) => fc.constantFrom(words.join('-'), words.join('')))
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 2, maxLength: 6 }), (names) => {
        const plural = [...new Set(names.map((one) => `${one.replace(/s$/, '')}s`))]
        const schemas = schemasOf(...plural)
        expect(new Set(schemas.map((one) => one.toLowerCase())).size).toBe(schemas.length)
      }),
      { numRuns: process.env.NOUNKIT_NIGHTLY === '1' ? 1000 : 100 },
    )
  })
})
