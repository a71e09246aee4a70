import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { api } from '../../src/declare/api.ts'
import { immutable, readOnly, writeOnly } from '../../src/declare/field.ts'
import { type ResourceDeclaration, resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { describeServing } from '../support/serving.ts'
import { unique } from '../support/shop-rows.ts'

const declared = (things: ResourceDeclaration) =>
  api('kept', {
    resources: [things],
    versions: [version('v2'), version('v1', { published: '2026-01-01' })],
  })

const frozen = compileApi(
  declared(
    resource('things', {
      fields: {
        code: immutable(z.string()),
        score: readOnly(z.int().optional()),
        rank: readOnly(z.int().optional()),
        secret: writeOnly(z.string()),
      },
      idempotencyKey: { mode: 'required', body: 'reread' },
    }),
  ),
)
const later = declared(
  resource('things', {
    fields: { code: z.string(), score: z.int().default(3), rank: z.int().optional(), secret: z.string() },
    idempotencyKey: 'optional',
    cacheControl: 'private, max-age=5',
  }),
)
const contracts = new Map(frozen.versions.slice(1).map((one) => [one.name, contractOf(frozen, one)] as const))

describeServing(
  'rules that only the newer version gave up',
  (served) => {
    const keyed = () => ({ headers: { 'idempotency-key': unique() } })
    const row = { code: 'a', secret: 's' }

    test('what cannot change in v1 still cannot, and v2 may change it', async () => {
      const { id } = await served.make('/v1/things', row, keyed())
      const refused = await served.call('PATCH', `/v1/things/${id}`, { body: { code: 'b' } })
      expect([refused.refusal, refused.faults]).toEqual([[422, 'validation-failed'], ['#/code']])
      expect((await served.call('PATCH', `/v2/things/${id}`, { body: { code: 'b' } })).status).toBe(200)
      expect((await served.get(`/v1/things/${id}`)).data.code).toBe('b')
    })

    test("what is read-only in v1 still is; a create there stores the newer version's default", async () => {
      const made = await served.make('/v1/things', row, keyed())
      expect(made).toMatchObject({ score: 3, rank: null })
      const sent = await served.call('POST', '/v1/things', { body: { ...row, rank: 7 }, ...keyed() })
      expect([sent.refusal, sent.faults]).toEqual([[422, 'validation-failed'], ['#/rank']])
      const patched = await served.call('PATCH', `/v1/things/${made.id}`, { body: { score: 4 } })
      expect(patched.faults).toEqual(['#/score'])
      await served.call('PATCH', `/v2/things/${made.id}`, { body: { score: 4, rank: 5 } })
      const { data } = await served.get(`/v1/things/${made.id}`)
      expect((await served.call('PUT', `/v1/things/${made.id}`, { body: data })).status).toBe(200)
      expect((await served.get(`/v2/things/${made.id}`)).data).toMatchObject({ score: 4, rank: 5 })
    })

    test('what v1 never shows, it still does not show, nor lose', async () => {
      const made = await served.make('/v1/things', row, keyed())
      expect(made).not.toHaveProperty('secret')
      const { data } = await served.get(`/v1/things/${made.id}`)
      expect(data).not.toHaveProperty('secret')
      expect((await served.call('PUT', `/v1/things/${made.id}`, { body: data })).status).toBe(200)
      expect((await served.get(`/v2/things/${made.id}`)).data.secret).toBe('s')
    })

    test('a create of v1 still needs a key, and its replay reads the row again', async () => {
      const bare = await served.call('POST', '/v1/things', { body: row })
      expect(bare.refusal).toEqual([400, 'idempotency-key-missing'])
      await served.make('/v2/things', row)
      const replayed = async (version: string) => {
        const options = { body: row, ...keyed() }
        const { id } = (await served.call('POST', `/${version}/things`, options)).data
        await served.call('PATCH', `/v2/things/${id}`, { body: { code: 'later' } })
        return (await served.call('POST', `/${version}/things`, options)).data.code
      }
      expect([await replayed('v1'), await replayed('v2')]).toEqual(['later', 'a'])
    })

    test('responses have the Cache-Control of their own version', async () => {
      const { id } = await served.make('/v2/things', row)
      expect((await served.get(`/v1/things/${id}`)).headers.get('cache-control')).toBe('private, no-cache')
      expect((await served.get(`/v2/things/${id}`)).headers.get('cache-control')).toBe('private, max-age=5')
    })
  },
  { declaration: later, contracts },
)
