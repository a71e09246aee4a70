import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { openapiOf } from '../../src/contract/openapi/openapi.ts'
import { shopContracts } from './openapi-shop.ts'

const model = compileApi(shop, { contracts: await shopContracts() })

type Json = { readonly [key: string]: unknown }
type Document = {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Json } }
  readonly components: { readonly schemas: { readonly [name: string]: Json } }
}

describe.each(model.versions.map((version) => [version.name, version] as const))(
  'the document of %s',
  (name, version) => {
    const document = openapiOf(version, model) as Document & Json
    const operations = Object.values(document.paths).flatMap((item) =>
      Object.entries(item)
        .filter(([method]) => method !== 'parameters')
        .map(([, told]) => told),
    )

    it('has nothing that the strictest rules of Redocly would change', async () => {
      // Under which licence an API is offered is for its owner to say.
      const config = await createConfig({ extends: ['recommended-strict'], rules: { 'info-license': 'off' } })
      const source = JSON.stringify(document)
      const problems = await lintFromString({ source, absoluteRef: `${name}.json`, config })
      expect(
        problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
      ).toEqual([])
    })

    it('is valid against the schema that the OpenAPI Initiative publishes', async () => {
      const result = await new Validator().validate(structuredClone(document))
      expect(result).toEqual({ valid: true })
    })

    it('gives every operation an id of its own', () => {
      const ids = operations.map((told) => told.operationId)
      expect(new Set(ids).size).toBe(ids.length)
    })

    it('has examples that its own schemas accept', () => {
      const ajv = new Ajv2020({ strict: false, allErrors: true })
      addFormats.default(ajv)
      ajv.addSchema(document, 'doc')
      const withExamples = Object.entries(document.components.schemas).filter(([, schema]) => schema.examples)
      expect(withExamples.length).toBeGreaterThan(20)
      for (const [schema, { examples }] of withExamples) {
        const validate = ajv.compile({ $ref: `doc#/components/schemas/${schema}` })
        for (const example of examples as unknown[]) {
          expect(validate(example) ? [] : [schema, ajv.errorsText(validate.errors)]).toEqual([])
        }
      }
    })

    it('has no links in the descriptions of responses, which renderers put into buttons', () => {
      const texts = JSON.stringify(operations.map((told) => told.responses))
      expect(texts).not.toMatch(/\]\(/)
    })

    it('shows samples in curl and TypeScript for every operation', () => {
      for (const told of operations)
        expect((told['x-codeSamples'] as Json[]).map((one) => one.lang)).toEqual(['Shell', 'TypeScript'])
    })
  },
)

const [v2, v1] = model.versions.map((version) => openapiOf(version, model) as Document & Json)

it('marks every operation of a deprecated version, with its sunset, and none of the others', () => {
  const all = (document?: Document) =>
    Object.values(document?.paths ?? {}).flatMap((item) =>
      Object.values(item).filter((one) => !Array.isArray(one)),
    )
  expect(all(v1).every((told) => told.deprecated === true && told['x-sunset'] === '2026-12-31')).toBe(true)
  expect(all(v2).some((told) => 'deprecated' in told || 'x-sunset' in told)).toBe(false)
})

it('uses only the names and values of its own version', () => {
  expect(Object.keys(v1?.paths ?? {})).toContain('/clients/{id}/orders')
  expect(JSON.stringify(v1)).not.toMatch(/customer|placed|refunded|referrer|phone/i)
  expect(JSON.stringify(v2)).not.toMatch(/full_name|client_id|"fax"/)
})

it('keeps create, replace, patch and read apart', () => {
  const { OrderCreate, OrderReplace, OrderPatch, Order } = v2?.components.schemas ?? {}
  const names = (schema?: Json) => Object.keys((schema?.properties ?? {}) as Json)
  expect(OrderCreate?.required).toEqual(['customer_id', 'currency'])
  expect(names(OrderCreate)).toEqual(['customer_id', 'currency', 'note', 'status'])
  expect(names(OrderReplace)).toEqual(names(Order))
  expect(OrderPatch).not.toHaveProperty('required')
  expect(Order?.required).toEqual(names(Order))
  expect(Order?.properties).toMatchObject({
    status: { 'x-states': { initial: 'draft', moves: { draft: ['placed', 'cancelled'] } } },
    total: { readOnly: true },
  })
})

it('says that a state can be null in every request body, and never in a response', () => {
  const statusOf = (name: string): Json => {
    const properties = v2?.components.schemas[name]?.properties as { readonly status: Json }
    return properties.status
  }
  for (const name of ['OrderCreate', 'OrderReplace', 'OrderPatch', 'OrderReplaceUnderCustomer']) {
    expect(statusOf(name).type).toEqual(['string', 'null'])
    expect(statusOf(name).enum).toContain(null)
  }
  expect(statusOf('Order').type).toBe('string')
})

it('says what no string may have', () => {
  expect(v2?.info).toMatchObject({ description: expect.stringContaining('NUL') })
})

it('has the limits, the scopes and the headers of calls', () => {
  expect(v2?.['x-limits']).toMatchObject({ bodyBytes: 1_048_576, ratePerSecond: 100, pageMax: 100 })
  expect(v2?.paths['/products']?.post).toMatchObject({
    security: [{ key: [] }],
    'x-required-scopes': ['products:write'],
  })
  expect(v2?.paths['/products/{id}']?.put?.parameters).toContainEqual({
    $ref: '#/components/parameters/If-Match-Required',
  })
  expect(v2?.paths['/payments']?.post?.parameters).toEqual([
    { $ref: '#/components/parameters/Idempotency-Key-Required' },
  ])
  expect(v2?.paths['/adjustments']?.post).not.toHaveProperty('parameters')
})

it('a tag has the operations of one place: sub-collections of a resource that has a collection are a group of their own', () => {
  const { paths, tags, ...document } = openapiOf(model.head, model) as Document & {
    readonly tags: readonly { readonly name: string }[]
    readonly 'x-tagGroups': readonly { readonly name: string; readonly tags: readonly string[] }[]
  }
  const pathsOf = (tag: string): readonly string[] =>
    Object.entries(paths)
      .filter(([, item]) => Object.values(item).some((told) => [told.tags].flat().includes(tag)))
      .map(([path]) => path)
  expect(pathsOf('orders')).toEqual(['/orders', '/orders/{id}'])
  expect(pathsOf('orders of customers')).toEqual([
    '/customers/{id}/orders',
    '/customers/{id}/orders/{sub_id}',
  ])
  // These have no collection, so their only place has their name.
  expect(pathsOf('webhook-secrets')).toEqual([
    '/webhook-endpoints/{id}/secrets',
    '/webhook-endpoints/{id}/secrets/{sub_id}',
  ])
  const [resources, further] = document['x-tagGroups']
  expect([...(resources?.tags ?? []), ...(further?.tags ?? [])]).toEqual(tags.map(({ name }) => name))
  expect(further?.tags).toEqual([
    'orders of customers',
    'items of orders',
    'adjustments of order-items',
    'payments of orders',
  ])
})
