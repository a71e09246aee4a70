import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { api } from '../../src/declare/api.ts'
import { states } from '../../src/declare/field.ts'
import { belongsTo } from '../../src/declare/relation.ts'
import { type ResourceDeclaration, resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { describeServing } from '../support/serving.ts'

const declared = (...resources: ResourceDeclaration[]) =>
  api('hidden', { resources, versions: [version('v2'), version('v1', { published: '2026-01-01' })] })

const frozen = compileApi(declared(resource('parcels', { fields: { code: z.string() } })))
const contracts = new Map(frozen.versions.slice(1).map((one) => [one.name, contractOf(frozen, one)] as const))

const batches = resource('batches', { fields: { phase: states('begun', { begun: ['closed'] }) } })
const parcels = resource('parcels', {
  fields: { code: z.string() },
  relations: { batch: belongsTo('batches', { optional: true }) },
  onlyWhile: { batch: { phase: ['begun'] } },
})

describeServing(
  'a rule that stands on what only the newer version shows',
  (served) => {
    test('refuses in the older one without its names and values', async () => {
      const batch = await served.make('/v2/batches', {})
      const parcel = await served.make('/v2/parcels', { code: 'a', batch_id: batch.id })
      await served.call('PATCH', `/v2/batches/${batch.id}`, { body: { phase: 'closed' } })
      const path = `parcels/${parcel.id}`
      const newer = await served.call('PATCH', `/v2/${path}`, { body: { code: 'b' } })
      expect(newer.refusal).toEqual([409, 'state-conflict'])
      expect(newer.json).toMatchObject({ field: 'phase', value: 'closed', allowed: ['begun'] })
      const older = await served.call('PATCH', `/v1/${path}`, { body: { code: 'b' } })
      expect(older.refusal).toEqual([409, 'state-conflict'])
      expect(older.json).toMatchObject({ field: null, value: null, allowed: [] })
      expect(JSON.stringify(older.json)).not.toMatch(/batch|phase|closed|begun/)
    })

    test('is not in the OpenAPI document of the older version', async () => {
      const { json } = await served.get('/v1/openapi.json')
      expect(JSON.stringify(json)).not.toMatch(/batch|phase|closed|begun/)
    })
  },
  { declaration: declared(batches, parcels), contracts },
)
