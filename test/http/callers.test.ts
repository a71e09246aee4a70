import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { readOnly } from '../../src/declare/field.ts'
import { resource } from '../../src/declare/resource.ts'
import { describeServing } from '../support/serving.ts'
import { startIssuer, type TokenIssuer } from '../support/token-issuer.ts'

let issuer: TokenIssuer
beforeAll(async () => {
  issuer = await startIssuer()
})
afterAll(() => issuer.stop())

/** Keeps what a hook was told about its caller. */
const visits = resource('visits', {
  fields: { name: z.string().max(50), seen: readOnly(z.string().max(2_000).optional()) },
  hooks: {
    beforeCreate(_, { caller }) {
      const { scopes, subject, claims } = caller
      const frozen = [scopes, claims, claims.org ?? scopes].every(Object.isFrozen)
      return { seen: JSON.stringify({ scopes, subject, claims, frozen }) }
    },
  },
})

describeServing(
  'what hooks know of the caller',
  (served) => {
    const visit = async (as: string) => {
      const { seen } = await served.make('/v1/visits', { name: 'x' }, { as })
      return JSON.parse(String(seen))
    }

    test('of a key: its scopes, subject and claims, frozen', async () => {
      const claims = { member_id: '42', level: 3, org: { city: 'Ghent' } }
      const as = await served.api.key('acme', { scopes: ['visits:write', '*'], subject: 'mia', claims })
      expect(await visit(as)).toEqual({
        scopes: ['visits:write', '*'],
        subject: 'mia',
        claims,
        frozen: true,
      })
      const plain = await served.api.key('acme')
      expect(await visit(plain)).toEqual({ scopes: ['*'], subject: null, claims: {}, frozen: true })
    })

    test('keys of one account that differ in claims only are told apart, whichever was used before', async () => {
      const keys = await Promise.all(
        ['mia', 'noa'].map(async (subject) => ({
          subject,
          as: await served.api.key('acme', { subject, claims: { member: subject } }),
        })),
      )
      for (const { subject, as } of [...keys, ...keys.toReversed()]) {
        expect(await visit(as)).toMatchObject({ subject, claims: { member: subject } })
      }
    })

    test('of a token: every claim, and sub as the subject', async () => {
      const claims = { account: 'acme', scope: 'visits:write', sub: 'mia', org: { city: 'Ghent' }, level: 3 }
      const token = await issuer.sign(claims)
      const answer = await served.api.fetch('/v1/visits', {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: '{"name":"x"}',
      })
      expect(answer.status).toBe(201)
      const { data } = (await answer.json()) as { data: { seen: string } }
      expect(JSON.parse(data.seen)).toMatchObject({
        scopes: ['visits:write'],
        subject: 'mia',
        claims: { ...claims, iss: issuer.url, aud: 'shop' },
        frozen: true,
      })
    })
  },
  {
    get declaration() {
      return api('visited', {
        resources: [visits],
        tokens: { jwks: issuer.jwksUrl, issuer: issuer.url, audience: 'shop' },
      })
    },
  },
)
