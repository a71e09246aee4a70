import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { anyOf, api, resource } from '../../src/index.ts'
import { describeServing } from '../support/serving.ts'
import { startIssuer, type TokenIssuer } from '../support/token-issuer.ts'

let issuer: TokenIssuer
beforeAll(async () => {
  issuer = await startIssuer()
})
afterAll(() => issuer.stop())

const reports = resource('reports', {
  fields: { title: z.string() },
  rules: { read: ({ caller }) => anyOf(caller.has('reports:all'), caller.consumer.is('backoffice')) },
})
const others = resource('others', {
  fields: { title: z.string() },
  rules: { read: ({ caller }) => anyOf(caller.has('reports:all'), caller.consumer.isNot('backoffice')) },
})

describeServing(
  'a rule on the consumer',
  (served) => {
    const titles = async (path: string, claims: object) => {
      const token = await issuer.sign({ account: 'acme', scope: 'reports:read others:read', ...claims })
      const answer = await served.api.fetch(path, { headers: { Authorization: `Bearer ${token}` } })
      return ((await answer.json()) as { data: { title: string }[] }).data.map(({ title }) => title)
    }

    beforeAll(async () => {
      await served.make('/v1/reports', { title: 'r' })
      await served.make('/v1/others', { title: 'o' })
    })

    test('holds for the client that the token names', async () => {
      expect(await titles('/v1/reports', { client_id: 'backoffice', sub: 'mia' })).toEqual(['r'])
      expect(await titles('/v1/reports', { client_id: 'web', sub: 'backoffice' })).toEqual([])
      expect(await titles('/v1/others', { client_id: 'web', sub: 'mia' })).toEqual(['o'])
    })

    test('does not hold for a person of that name, whose token names no client', async () => {
      expect(await titles('/v1/reports', { sub: 'backoffice' })).toEqual([])
      expect(await titles('/v1/others', { sub: 'mia' })).toEqual([])
      expect(await titles('/v1/others', {})).toEqual([])
    })
  },
  {
    get declaration() {
      return api('consumers', {
        resources: [reports, others],
        scopes: { 'reports:all': 'See all reports.' },
        tokens: { jwks: issuer.jwksUrl, issuer: issuer.url, audience: 'shop' },
      })
    },
  },
)
