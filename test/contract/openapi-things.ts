import { Ajv2020 } from 'ajv/dist/2020.js'
import { api, belongsTo, changeType, decimal, resource, version } from 'nounkit'
import { afterAll, beforeAll } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { openapiOf } from '../../src/contract/openapi/openapi.ts'
import { type TestApi, testApi } from '../../src/testing.ts'
import { emptyDatabase, type StoreKind } from '../support/databases.ts'
import type { Document } from './openapi-judge.ts'

export type Json = { readonly [key: string]: unknown }

/** A resource with a field of every kind, in two versions. */
const things = resource('things', {
  fields: {
    text: z.string().min(1).max(200).optional(),
    email: z.email().optional(),
    short_email: z.email().max(20).optional(),
    whole: z.int().optional(),
    real: z.number().optional(),
    cost: decimal({ scale: 2, precision: 5 }).optional(),
    plain_cost: decimal({ scale: 0 }).default('0'),
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
    'cost',
    'plain_cost',
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
export const documentOf = (name: string): Document => {
  const found = model.versions.find((one) => one.name === name)
  if (!found) throw new Error(`no ${name}`)
  return openapiOf(found, model) as Document
}

/** The pattern, the lengths and the bounds decide; what a format means differs from one validator to another. */
const ajv = new Ajv2020({ strict: false, validateFormats: false })
export const accepts = (schema: unknown) => ajv.compile(schema as Json)
export const fieldOf = (document: Document, schema: string, field: string): Json => {
  const properties = document.components.schemas?.[schema]?.properties as { readonly [name: string]: Json }
  return properties[field] ?? {}
}

type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: { readonly [name: string]: string },
) => Promise<Response>

/** Serves the things while the tests of the describe block around it run. */
export const serveThings = (kind: StoreKind): Call => {
  let served: TestApi
  let key: string
  beforeAll(async () => {
    served = await testApi(declaration, { databaseUrl: await emptyDatabase(kind) })
    key = await served.key('acme')
  })
  afterAll(() => served.close())
  return (method, path, body, headers = {}) =>
    served.fetch(path, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
}
