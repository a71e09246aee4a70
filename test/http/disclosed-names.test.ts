import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { api, belongsTo, hasMany, needsScope, resource } from '../../src/index.ts'
import { describeServing } from '../support/serving.ts'

const wells = resource('wells', {
  shared: true,
  scopes: { read: 'public' },
  fields: {
    name: z.string(),
    secret_depth: needsScope('wells:depth', z.int().optional()),
  },
  relations: { permits: hasMany('permits'), samples: hasMany('samples') },
  filter: ['name', 'secret_depth'],
  sort: ['name', 'secret_depth'],
  include: ['permits', 'samples', 'samples.permit'],
})
const permits = resource('permits', {
  shared: true,
  fields: { code: z.string() },
  relations: { well: belongsTo('wells'), samples: hasMany('samples') },
})
const samples = resource('samples', {
  shared: true,
  scopes: { read: 'public' },
  fields: Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`metal_${at}`, z.int().optional()])),
  relations: { well: belongsTo('wells'), permit: belongsTo('permits') },
  filter: Array.from({ length: 60 }, (_, at) => `metal_${at}`) as never,
})

const declaration = api('wells', {
  scopes: { 'wells:depth': 'See how deep a well is.' },
  resources: [wells, permits, samples],
})

describeServing(
  'a refusal',
  (served) => {
    let plain: string
    beforeAll(async () => {
      plain = await served.api.key('acme', { scopes: ['wells:read', 'wells:write', 'samples:read'] })
    })

    const wrong = '/v1/wells?filter[secret_dept]=1&sort=secret_dept&include=permit,samples.permitt'

    test('lists and suggests every name to a caller that has the scopes', async () => {
      const { text, problem } = await served.get(wrong)
      expect(problem.errors?.map(({ allowed }) => allowed)).toEqual([
        ['id', 'name', 'secret_depth'],
        ['name', 'secret_depth'],
        ['permits', 'samples', 'samples.permit'],
        ['permits', 'samples', 'samples.permit'],
      ])
      expect(text.match(/did you mean/gi)).toHaveLength(2 * 4)
    })

    test('names no field that needs a scope the caller lacks, and no relation to rows it may not read', async () => {
      for (const as of [plain, null]) {
        const { text, problem } = await served.get(wrong, { as })
        expect(problem.errors?.map(({ allowed }) => allowed)).toEqual([
          ['id', 'name'],
          ['name'],
          ['samples'],
          ['samples'],
        ])
        expect(text).not.toMatch(/secret_depth|permits|permit"/)
        const alone = await served.get('/v1/wells?include=permit', { as })
        expect(alone.refusal).toEqual([400, 'include-unknown'])
        expect(alone.problem).toMatchObject({ path: 'permit', allowed: ['samples'] })
        expect(alone.problem).not.toHaveProperty('suggestion')
      }
    })

    test('of a body suggests no field that the caller may not know', async () => {
      const body = { name: 'x', secret_dept: 1 }
      const told = async (as: string) =>
        (await served.call('POST', '/v1/wells', { as, body })).problem.errors?.[0]?.detail
      expect(await told('acme')).toBe('is not a field of wells; did you mean "secret_depth"?')
      expect(await told(plain)).toBe('is not a field of wells')
    })

    test('lists a bounded number of names, and says where there is none', async () => {
      const { problem } = await served.get('/v1/samples?filter[zzz]=1')
      expect(problem.errors?.[0]?.allowed).toHaveLength(50)
      expect(problem.detail).toBe(
        `filter[zzz] is not offered; filter by ${Array.from({ length: 10 }, (_, at) => `metal_${at}`).join(', ')} or 50 more.`,
      )
      const none = await served.get('/v1/permits?filter[zzz]=1&include=zzz')
      expect(none.problem.detail).toBe(
        'filter[zzz] is not offered; permits offers no filter. include names "zzz", which is not a relation of permits. permits offers no include.',
      )
    })
  },
  { declaration },
)
