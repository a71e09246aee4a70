import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { api, belongsTo, changeType, resource, version } from 'nounkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { openapiOf } from '../../src/contract/openapi/openapi.ts'
import { type TestApi, testApi } from '../../src/testing.ts'
import { onEveryStore } from '../support/every-store.ts'
import type { TestDatabase } from '../support/postgres-server.ts'
import type { Document } from './openapi-judge.ts'

type Json = { readonly [key: string]: unknown }

const numRuns = process.env.NOUNKIT_NIGHTLY === '1' ? 5000 : 150

const things = resource('things', {
  fields: {
    text: z.string().min(1).max(200).optional(),
    email: z.email().optional(),
    short_email: z.email().max(20).optional(),
    whole: z.int().optional(),
    real: z.number().optional(),
    flag: z.boolean().optional(),
    colour: z.enum(['red', 'null']).optional(),
    day: z.iso.date().optional(),
    at: z.iso.datetime().optional(),
    plain_whole: z.int().default(0),
    digits: z.int().optional(),
    price: z.int().optional(),
    seconds: z.iso.datetime().optional(),
    bit: z.boolean().optional(),
    notes: z.object({ text: z.string() }).optional(),
  },
  relations: { friend: belongsTo('things', { optional: true }) },
  filter: [
    'text',
    'email',
    'whole',
    'real',
    'flag',
    'colour',
    'day',
    'at',
    'plain_whole',
    'digits',
    'price',
    'seconds',
    'bit',
    'friend_id',
    'created_at',
  ],
})

const declaration = api('values', {
  resources: [things],
  versions: [
    version('v2', { published: '2026-06-01' }),
    version('v1', {
      published: '2025-01-15',
      changes: [
        changeType('things', 'digits', { was: z.string().optional(), codec: 'integer-as-string' }),
        changeType('things', 'bit', { was: z.int().optional(), codec: 'boolean-as-integer' }),
        changeType('things', 'price', { was: z.string().optional(), codec: 'cents-as-decimal-string' }),
        changeType('things', 'seconds', {
          was: z.int().optional(),
          codec: 'datetime-as-unix-seconds',
          why: 'Seconds were enough.',
        }),
      ],
    }),
  ],
})

const model = compileApi(declaration)
const documentOf = (name: string): Document => {
  const found = model.versions.find((one) => one.name === name)
  if (!found) throw new Error(`no ${name}`)
  return openapiOf(found, model) as Document
}

/** The pattern, the lengths and the bounds decide; what a format means differs from one validator to another. */
const ajv = new Ajv2020({ strict: false, validateFormats: false })
const accepts = (schema: unknown) => ajv.compile(schema as Json)
const fieldOf = (document: Document, schema: string, field: string): Json => {
  const properties = document.components.schemas?.[schema]?.properties as { readonly [name: string]: Json }
  return properties[field] ?? {}
}

describe.each(onEveryStore)('on %s the server takes what the document says, and no more:', (_, create) => {
  let database: TestDatabase
  let served: TestApi
  let key: string
  let thing: string
  beforeAll(async () => {
    database = await create()
    served = await testApi(declaration, { databaseUrl: database.url })
    key = await served.key('acme')
    thing = ((await (await call('POST', '/v2/things', {})).json()) as { data: { id: string } }).data.id
  })
  afterAll(async () => {
    await served.close()
    await database.drop()
  })

  const call = (method: string, path: string, body?: unknown, headers: { [name: string]: string } = {}) =>
    served.fetch(path, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })

  /** 200 or 422, for one value of one field. */
  const patched = async (version: string, field: string, value: unknown): Promise<boolean> => {
    const { status } = await call('PATCH', `/${version}/things/${thing}`, { [field]: value })
    expect([200, 422]).toContain(status)
    return status === 200
  }

  it('an Idempotency-Key, bare or quoted', async () => {
    const parameter = documentOf('v2').components.parameters?.['Idempotency-Key']
    const isKey = accepts(parameter?.schema)
    const visible = fc.string({ unit: fc.constantFrom('a', 'Z', '~', '!', ',', '#') })
    const tricky = fc.string({ unit: fc.constantFrom('a', '"', '\\', ' ', '\t', 'é', '\u007f', '~') })
    const long = fc.integer({ min: 253, max: 258 }).map((size) => 'k'.repeat(size))
    const inside = fc.oneof(
      visible,
      tricky,
      long,
      fc.string({ unit: fc.constantFrom('a', '\\"', '\\\\', '"') }),
    )
    const value = fc.oneof(
      inside,
      inside.map((text) => `"${text}"`),
    )
    await fc.assert(
      fc.asyncProperty(value, async (text) => {
        // What surrounds a header's value is no part of it.
        const sent = text.replace(/^[ \t]+|[ \t]+$/g, '')
        const { status } = await call('POST', '/v2/things', { unknown: 1 }, { 'Idempotency-Key': sent })
        expect([sent, status]).toEqual([sent, isKey(sent) ? 422 : 400])
      }),
      { numRuns },
    )
  })

  it('an e-mail address', async () => {
    const part = fc.string({
      unit: fc.constantFrom('a', 'B', '9', '-', '_', '+', "'", '`', '.', ' ', 'é', '@'),
    })
    const label = fc.oneof(part, fc.constantFrom('example', 'com', 'x-1', 'a'.repeat(63), 'a'.repeat(64)))
    const host = fc.array(label, { maxLength: 5 }).map((labels) => labels.join('.'))
    const local = fc.oneof(
      part,
      fc.integer({ min: 240, max: 260 }).map((size) => 'l'.repeat(size)),
    )
    const address = fc.oneof(
      fc.tuple(local, host).map(([before, after]) => `${before}@${after}`),
      fc.emailAddress(),
      fc.string(),
    )
    for (const field of ['email', 'short_email']) {
      const isAddress = accepts(fieldOf(documentOf('v2'), 'ThingPatch', field))
      await fc.assert(
        fc.asyncProperty(address, async (text) => {
          expect([text, await patched('v2', field, text)]).toEqual([text, isAddress(text)])
        }),
        { numRuns },
      )
    }
  })

  it('any string but one with a NUL character, also within JSON', async () => {
    const document = documentOf('v2')
    const isText = accepts(fieldOf(document, 'ThingPatch', 'text'))
    const isNotes = accepts(fieldOf(document, 'ThingPatch', 'notes'))
    const text = fc.string({ unit: fc.constantFrom('a', '\0', '\n', '😀', '\u0001'), maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        expect([value, await patched('v2', 'text', value)]).toEqual([value, isText(value)])
        expect([value, await patched('v2', 'notes', { text: value })]).toEqual([
          value,
          isNotes({ text: value }),
        ])
      }),
      { numRuns },
    )
  })

  it('numbers that are exact', async () => {
    const numbers = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.maxSafeInteger(),
      fc.constantFrom(2 ** 53, -(2 ** 53), Number.MAX_SAFE_INTEGER, 1e300, -1e300),
    )
    for (const field of ['whole', 'real']) {
      const isNumber = accepts(fieldOf(documentOf('v2'), 'ThingPatch', field))
      await fc.assert(
        fc.asyncProperty(numbers, async (value) => {
          expect([value, await patched('v2', field, value)]).toEqual([value, isNumber(value)])
        }),
        { numRuns },
      )
    }
  })

  it('values whose type has changed since, in the form of the older version', async () => {
    const digits = fc.string({ unit: fc.constantFrom('-', '0', '1', '9', '.'), maxLength: 20 })
    const big = fc.bigInt({ min: -(2n ** 54n), max: 2n ** 54n })
    const values: { readonly [field: string]: fc.Arbitrary<unknown> } = {
      digits: fc.oneof(digits, big.map(String)),
      price: fc.oneof(
        digits,
        big.map((cents) => `${cents / 100n}.${String(cents % 100n).replace('-', '')}`),
        fc.constantFrom('90071992547409.91', '90071992547409.92', '90071992547409.9', '90071992547410'),
      ),
      bit: fc.oneof(fc.integer({ min: -2, max: 3 }), fc.constant(0.5)),
      seconds: fc.oneof(
        fc.maxSafeInteger(),
        fc.integer(),
        fc.constantFrom(-62_135_596_800, -62_135_596_801, 253_402_300_799, 253_402_300_800),
      ),
    }
    for (const [field, value] of Object.entries(values)) {
      const isValue = accepts(fieldOf(documentOf('v1'), 'ThingPatch', field))
      await fc.assert(
        fc.asyncProperty(value, async (one) => {
          expect([field, one, await patched('v1', field, one)]).toEqual([field, one, isValue(one)])
        }),
        { numRuns },
      )
    }
  })

  it.each(['v1', 'v2'])('filters of %s: what a schema accepts is 200, and nothing empty is', async (name) => {
    const parameters = Object.values(documentOf(name).components.parameters ?? {}).filter((one) =>
      String(one.name).startsWith('filter['),
    )
    expect(parameters.length).toBeGreaterThan(50)
    for (const { name: parameter, schema } of parameters) {
      const { items = schema, type } = schema as { readonly items?: Json; readonly type: string }
      const isList = type === 'array'
      const values = isList
        ? fc.array(filterValue(items as Json), { minLength: 1, maxLength: 3 }).map((list) => list.join(','))
        : filterValue(items as Json)
      const get = async (text: string): Promise<number> => {
        const query = `${encodeURIComponent(String(parameter))}=${encodeURIComponent(text)}`
        return (await call('GET', `/${name}/things?${query}`)).status
      }
      expect([parameter, await get('')]).toEqual([parameter, 400])
      await fc.assert(
        fc.asyncProperty(values, async (text) => {
          expect([parameter, text, await get(text)]).toEqual([parameter, text, 200])
        }),
        { numRuns: Math.ceil(numRuns / 15) },
      )
    }
  })

  it('filters that compare with null, and nothing that is neither null nor of the type', async () => {
    const parameters = documentOf('v2').components.parameters ?? {}
    for (const field of ['whole', 'real', 'flag', 'colour', 'day', 'at', 'friend_id', 'digits']) {
      const isValue = accepts(parameters[`things.filter.${field}`]?.schema)
      const near = fc.string({ unit: fc.constantFrom('0', '1', '-', 'n', ':', 'Z', 'T', '"'), maxLength: 25 })
      const text = fc.oneof(
        near,
        fc.constantFrom('null', '"null"', 'red', 'true', '2026-02-29', '2024-02-29'),
      )
      await fc.assert(
        fc.asyncProperty(
          text.filter((one) => one !== ''),
          async (value) => {
            const query = `filter[${field}]=${encodeURIComponent(value)}`
            const { status } = await call('GET', `/v2/things?${query}`)
            expect([field, value, status]).toEqual([field, value, isValue(value) ? 200 : 400])
          },
        ),
        { numRuns: Math.ceil(numRuns / 3) },
      )
    }
  })
})

/** Any value that the schema of a filter accepts, as text. */
const filterValue = (schema: Json): fc.Arbitrary<string> => {
  const { type, format, pattern, enum: values } = schema
  if (Array.isArray(values)) return fc.constantFrom(...values.map(String))
  // A string of its own pattern; "null" compares with nothing, which no pattern can say without looking ahead.
  if (typeof pattern === 'string')
    return fc.stringMatching(new RegExp(pattern)).filter((text) => text !== '' && text !== 'null')
  if (format === 'date-time')
    return fc
      .date({
        min: new Date('0001-01-02T00:00:00Z'),
        max: new Date('9999-12-30T00:00:00Z'),
        noInvalidDate: true,
      })
      .map((date) => date.toISOString())
  if (format === 'date') return fc.constantFrom('2026-06-01', '0001-01-01', '9999-12-31', '2024-02-29')
  if (format === 'uuid') return fc.uuid()
  if (type === 'boolean') return fc.boolean().map(String)
  if (type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true }).map(String)
  const { minimum, maximum } = schema as { readonly minimum: number; readonly maximum: number }
  return fc.integer({ min: minimum, max: maximum }).map(String)
}
