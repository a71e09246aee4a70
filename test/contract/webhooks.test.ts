import { createConfig, lintFromString } from '@redocly/openapi-core'
import { api, resource } from 'nounkit'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import type { Contract } from '../../src/compile/contract-format.ts'
import { Mistakes } from '../../src/compile/mistakes.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { openapiOf } from '../../src/contract/openapi/openapi.ts'
import { emptyDatabase } from '../support/databases.ts'
import { hooksApi } from '../support/hooks-api.ts'
import { serve } from '../support/serving.ts'

const model = compileApi(hooksApi)
const versions = model.versions.map((version) => [version.name, version] as const)
const webhookPaths = (contract: { readonly paths: object }): readonly string[] =>
  Object.keys(contract.paths).filter((path) => path.startsWith('/webhook-'))

test.each(versions)(
  'the contract of %s has the webhook resources, and none of what is hidden',
  (_, version) => {
    const contract = contractOf(model, version)
    expect(webhookPaths(contract)).toHaveLength(6)
    expect(contract.resources['webhook-deliveries']?.default_sort).toEqual(['-id'])
    expect(Object.keys(contract.resources['webhook-endpoints']?.fields ?? {})).toEqual([
      'id',
      'url',
      'event_types',
      'description',
      'active',
      'version',
      'disabled_reason',
      'owner',
      'secret',
      'created_at',
      'updated_at',
    ])
    expect(JSON.stringify(contract)).not.toMatch(/sealed|told_to|lease|failing_since|api_version/)
  },
)

test.each(versions)('the document of %s passes the strictest rules of Redocly', async (name, version) => {
  const config = await createConfig({ extends: ['recommended-strict'], rules: { 'info-license': 'off' } })
  const source = JSON.stringify(openapiOf(version, model))
  const problems = await lintFromString({ source, absoluteRef: `${name}.json`, config })
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
})

test('a version that was published without events has no webhooks', async () => {
  const { events: _, ...without } = hooksApi
  const before = compileApi(without)
  const contracts = new Map(before.versions.map((version) => [version.name, contractOf(before, version)]))
  contracts.delete('v2')
  const served = await serve('sqlite', await emptyDatabase('sqlite'), { declaration: hooksApi, contracts })
  expect((await served.get('/v1/webhook-endpoints')).status).toBe(404)
  expect((await served.get('/v2/webhook-endpoints')).status).toBe(200)
})

test('a resource of an API with events cannot have the name of a webhook resource', () => {
  for (const name of ['webhook-endpoints', 'webhook-deliveries', 'webhook-secrets']) {
    const resources = [resource(name, { fields: { text: z.string() } })]
    const compiled = () => compileApi(api('taken', { events: { keepDays: 30 }, resources }))
    expect(compiled).toThrow(Mistakes)
    expect(compiled).toThrow("is a collection of the engine's own")
    expect(compileApi(api('taken', { resources })).resources.size).toBe(1)
  }
})

test('a version that was published before endpoints had owners keeps its contract, and they have owners all the same', async () => {
  const published = new Map(
    model.versions.map((version) => [version.name, withoutOwner(contractOf(model, version))]),
  )
  const answer = checkContracts(compileApi(hooksApi, { contracts: published }), published)
  expect([answer.broken, answer.refusals]).toEqual([new Set(), []])
  const served = await serve('sqlite', await emptyDatabase('sqlite'), {
    declaration: hooksApi,
    contracts: published,
  })
  const [ada, bo] = [
    await served.api.key('acme', { subject: 'ada' }),
    await served.api.key('acme', { subject: 'bo' }),
  ]
  const body = { url: 'https://receiver.example/', event_types: ['*'] }
  const made = await served.make('/v1/webhook-endpoints', body, { as: ada })
  expect(made).not.toHaveProperty('owner')
  expect((await served.get(`/v1/webhook-endpoints/${made.id}`, { as: bo })).status).toBe(404)
  expect((await served.get('/v1/webhook-endpoints', { as: bo })).rows).toEqual([])
})

/** As a release froze it that knew neither owners nor the ends of keys. */
function withoutOwner(contract: Contract): Contract {
  const endpoints = contract.resources['webhook-endpoints']
  if (!endpoints) throw new Error('no endpoints')
  const { owner, ...fields } = endpoints.fields
  expect(owner).toBeDefined()
  const text = JSON.stringify({
    ...contract,
    resources: { ...contract.resources, 'webhook-endpoints': { ...endpoints, fields } },
  })
  return JSON.parse(text.replaceAll(',"key-ended"', '').replaceAll('"not-permitted",', '')) as Contract
}
