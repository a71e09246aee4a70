import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { type FieldDeclarations, immutable, readOnly, writeOnly } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { emptyDatabase, walkedStores } from '../support/databases.ts'
import { gateVerdict } from '../support/gate-verdict.ts'
import { serveBoth } from '../support/old-and-new.ts'
import type { Serving } from '../support/serving.ts'

type Loose = { readonly [option: string]: unknown }

const orders = (over: Loose = {}, cap = 10) =>
  resource('orders', {
    fields: { name: z.string() },
    relations: { items: hasMany('items', { cap }) },
    include: ['items'],
    limits: { pageDefault: 10, pageMax: 20 },
    ...over,
  })
const items = resource('items', { fields: { text: z.string() }, relations: { order: belongsTo('orders') } })
const shop = (over: Loose = {}, cap = 10, limits: Loose = { rowsPerRequest: 200 }) =>
  api('shop', { resources: [orders(over, cap), items], limits })

const limited = (pageDefault: number, pageMax: number) => ({ limits: { pageDefault, pageMax } })

describe.each(walkedStores)('an old and a new server on %s', (kind) => {
  let url: string
  beforeAll(async () => {
    url = await emptyDatabase(kind)
  })

  describe('when rows times caps pass the ceiling', () => {
    test.each<[string, ReturnType<typeof shop>, string, string]>([
      ['a cap raised', shop({}, 21), '?include=items', 'include=items with the default page'],
      ['a cap raised', shop({}, 11), '?include=items&limit=1000', 'include=items with limit=20'],
      ['the default page raised', shop(limited(40, 40)), '?include=items', 'with the default page'],
      ['the largest page raised', shop(limited(10, 21)), '?include=items&limit=1000', 'with limit=21'],
    ])('%s breaks the call that it refuses', async (_, after, query, says) => {
      const { old, now } = await serveBoth(kind, url, shop(), after)
      expect((await old.get(`/v1/orders${query}`)).status).toBe(200)
      expect((await now.get(`/v1/orders${query}`)).refusal).toEqual([400, 'include-too-large'])
      const { verdict, text } = gateVerdict(shop(), after)
      expect(text).toContain(says)
      expect(verdict).toBe('breaking')
    })

    test('includeRows raised breaks as a cap does', async () => {
      const rows = (includeRows: number) =>
        api('shop', {
          resources: [
            orders({
              relations: { items: hasMany('items') },
              limits: { ...limited(10, 20).limits, includeRows },
            }),
            items,
          ],
          limits: { rowsPerRequest: 200 },
        })
      const { old, now } = await serveBoth(kind, url, rows(10), rows(30))
      expect((await old.get('/v1/orders?include=items')).status).toBe(200)
      expect((await now.get('/v1/orders?include=items')).status).toBe(400)
      expect(gateVerdict(rows(10), rows(30)).verdict).toBe('breaking')
    })

    test.each<[string, ReturnType<typeof shop>]>([
      ['a cap', shop({}, 20, { rowsPerRequest: 400 })],
      ['a page', shop(limited(20, 40), 10, { rowsPerRequest: 400 })],
    ])('%s raised under a ceiling that was raised too breaks nothing', async (_, after) => {
      const { old, now } = await serveBoth(kind, url, shop(), after)
      for (const query of ['', '?include=items', '?include=items&limit=20', '?include=items&limit=1000'])
        for (const server of [old, now]) expect((await server.get(`/v1/orders${query}`)).status).toBe(200)
      expect(gateVerdict(shop(), after).verdict).toBe('additive')
    })

    test('a call that was refused before cannot break', async () => {
      const before = shop({}, 25)
      const after = shop({}, 26)
      const { old, now } = await serveBoth(kind, url, before, after)
      for (const server of [old, now]) {
        expect((await server.get('/v1/orders?include=items')).status).toBe(400)
        expect((await server.get('/v1/orders?include=items&limit=7')).status).toBe(200)
      }
      expect((await old.get('/v1/orders?include=items&limit=8')).status).toBe(200)
      expect((await now.get('/v1/orders?include=items&limit=8')).status).toBe(400)
      expect(gateVerdict(before, after).text).toContain('include=items with limit=8')
      // Two rows at most, before as after.
      expect(gateVerdict(shop({}, 67), shop({}, 100)).verdict).toBe('additive')
      expect(gateVerdict(shop({}, 66), shop({}, 100)).text).toContain('with limit=3')
    })
  })

  describe('when a PUT no longer keeps what it does not name', () => {
    const things = (fields: FieldDeclarations, over: Loose = {}) =>
      api('things', { resources: [resource('things', { fields: { name: z.string(), ...fields }, ...over })] })
    let optionalUrl: string
    let defaultUrl: string
    beforeAll(async () => {
      optionalUrl = await emptyDatabase(kind)
      defaultUrl = await emptyDatabase(kind)
    })
    const code = z.string().max(9)
    const replace = async (server: Serving, sent: object) => {
      const { id } = await server.make('/v1/things', { name: 'a', ...sent })
      const { status } = await server.call('PUT', `/v1/things/${id}`, { body: { name: 'b' } })
      return { status, row: (await server.get(`/v1/things/${id}`)).data }
    }

    test.each<[string, z.ZodType]>([
      ['immutable', immutable(code)],
      ['write-only', writeOnly(code)],
    ])('a required field that was %s and becomes plain: 200, then 422', async (_, schema) => {
      const [before, after] = [things({ code: schema }), things({ code })]
      const { old, now } = await serveBoth(kind, url, before, after)
      expect((await replace(old, { code: 'x' })).status).toBe(200)
      expect((await replace(now, { code: 'x' })).status).toBe(422)
      const { verdict, text } = gateVerdict(before, after)
      expect(text).toContain('things.code: a PUT without it kept it and is now refused')
      expect(verdict).toBe('breaking')
    })

    test.each<[string, (schema: z.ZodType) => z.ZodType]>([
      ['immutable', immutable],
      ['write-only', writeOnly],
    ])('an optional or defaulted field that was %s: kept, then reset', async (_, mark) => {
      for (const [at, schema, reset] of [
        [optionalUrl, code.optional(), null],
        [defaultUrl, code.default('d'), 'd'],
      ] as const) {
        const [before, after] = [things({ code: mark(schema) }), things({ code: schema })]
        const { old, now } = await serveBoth(kind, at, before, after)
        const kept = await replace(old, { code: 'x' })
        expect([kept.status, kept.row.code]).toEqual([200, mark === immutable ? 'x' : undefined])
        const lost = await replace(now, { code: 'x' })
        expect([lost.status, lost.row.code]).toEqual([200, reset])
        const { verdict, text } = gateVerdict(before, after)
        expect(text).toContain(`a PUT without it kept it and now resets it to ${JSON.stringify(reset)}`)
        expect(verdict).toBe('breaking')
      }
    })

    test('a read-only field that a hook sets: kept, then reset', async () => {
      const hooks = { beforeCreate: (row: Loose) => ({ ...row, code: 'hook' }) }
      const [before, after] = [
        things({ code: readOnly(code.optional()) }, { hooks }),
        things({ code: code.optional() }, { hooks }),
      ]
      const { old, now } = await serveBoth(kind, optionalUrl, before, after)
      expect((await replace(old, {})).row.code).toBe('hook')
      expect((await replace(now, {})).row.code).toBeNull()
      expect(gateVerdict(before, after).verdict).toBe('breaking')
    })

    test('where PUT is not offered nothing breaks', async () => {
      const methods = { methods: ['GET', 'POST', 'PATCH'] }
      const [before, after] = [things({ code: immutable(code) }, methods), things({ code }, methods)]
      const { old, now } = await serveBoth(kind, url, before, after)
      for (const server of [old, now]) {
        const { id } = await server.make('/v1/things', { name: 'a', code: 'x' })
        const patched = await server.call('PATCH', `/v1/things/${id}`, { body: { name: 'b' } })
        expect([patched.status, patched.data.code]).toEqual([200, 'x'])
      }
      expect(gateVerdict(before, after)).toEqual({
        verdict: 'additive',
        text: 'things.code: can now be changed',
      })
    })
  })

  describe('when a JSON field changes inside', () => {
    const one = (doc: z.ZodType) =>
      api('docs', { resources: [resource('docs', { fields: { doc, name: z.string().optional() } })] })
    const create = (server: Serving, doc: unknown) => server.call('POST', '/v1/docs', { body: { doc } })
    const keys = z.enum(['de', 'en'])

    test('every key of a record becomes required: a body that was accepted is refused', async () => {
      const [before, after] = [one(z.partialRecord(keys, z.int())), one(z.record(keys, z.int()))]
      const { old, now } = await serveBoth(kind, url, before, after)
      expect((await create(old, { de: 1 })).status).toBe(201)
      expect((await create(now, { de: 1 })).status).toBe(422)
      const { verdict, text } = gateVerdict(before, after)
      expect(text).toContain('docs.doc: en: became required')
      expect(verdict).toBe('breaking')
    })

    test('no key of a record is required any more: a key that was promised is missing', async () => {
      const [before, after] = [one(z.record(keys, z.int())), one(z.partialRecord(keys, z.int()))]
      const { old, now } = await serveBoth(kind, url, before, after)
      expect((await create(old, { de: 1 })).status).toBe(422)
      expect((await create(now, { de: 1 })).data.doc).toEqual({ de: 1 })
      const { verdict, text } = gateVerdict(before, after)
      expect(text).toContain('docs.doc: en: became optional')
      expect(verdict).toBe('breaking')
    })

    test.each<[string, z.ZodType, z.ZodType, unknown]>([
      [
        'a description in a union',
        z.union([z.object({ a: z.int() }), z.array(z.int())]),
        z.union([z.object({ a: z.int().describe('How many.') }), z.array(z.int())]),
        { a: 1 },
      ],
      [
        'a description in a nullable value',
        z.object({ a: z.object({ b: z.int() }).nullable() }),
        z.object({ a: z.object({ b: z.int().describe('How many.') }).nullable() }),
        { a: { b: 1 } },
      ],
    ])('%s changes nothing', async (_, from, to, doc) => {
      const { old, now } = await serveBoth(kind, url, one(from), one(to))
      for (const server of [old, now]) expect((await create(server, doc)).data.doc).toEqual(doc)
      expect(gateVerdict(one(from), one(to)).verdict).not.toBe('breaking')
    })

    test.each<[string, z.ZodType, z.ZodType, unknown, boolean]>([
      [
        'an optional key in a member of a discriminated union',
        z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('a'), x: z.int() }),
          z.object({ kind: z.literal('b'), y: z.int() }),
        ]),
        z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('a'), x: z.int(), more: z.int().optional() }),
          z.object({ kind: z.literal('b'), y: z.int() }),
        ]),
        { kind: 'a', x: 1 },
        true,
      ],
      [
        'an optional key in a nullable value',
        z.object({ a: z.object({ b: z.int() }).nullable() }),
        z.object({ a: z.object({ b: z.int(), c: z.int().optional() }).nullable() }),
        { a: { b: 1 } },
        true,
      ],
      [
        'a wider bound in a member of a union, sent only',
        writeOnly(z.union([z.object({ a: z.int().max(9) }), z.array(z.int())])),
        writeOnly(z.union([z.object({ a: z.int().max(99) }), z.array(z.int())])),
        { a: 9 },
        false,
      ],
      [
        'a wider bound in a nullable value, sent only',
        writeOnly(z.object({ a: z.string().max(3).nullable() })),
        writeOnly(z.object({ a: z.string().max(5).nullable() })),
        { a: 'abc' },
        false,
      ],
      [
        'a finer step, sent only',
        writeOnly(z.object({ a: z.number().multipleOf(0.3) })),
        writeOnly(z.object({ a: z.number().multipleOf(0.1) })),
        { a: 30000000.9 },
        false,
      ],
    ])('%s is an addition', async (_, from, to, doc, isShown) => {
      const { old, now } = await serveBoth(kind, url, one(from), one(to))
      for (const server of [old, now]) {
        const made = await create(server, doc)
        expect([made.status, made.data.doc]).toEqual([201, isShown ? doc : undefined])
      }
      expect(gateVerdict(one(from), one(to)).verdict).toBe('additive')
    })

    test('a tighter bound in a member of a union still breaks', async () => {
      const bounded = (most: number) => one(z.union([z.object({ a: z.int().max(most) }), z.array(z.int())]))
      const { old, now } = await serveBoth(kind, url, bounded(9), bounded(5))
      expect((await create(old, { a: 9 })).status).toBe(201)
      expect((await create(now, { a: 9 })).status).toBe(422)
      expect(gateVerdict(bounded(9), bounded(5)).text).toContain('docs.doc: a: maximum 9 became 5')
    })
  })
})
