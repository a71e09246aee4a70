import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { anyOf } from '../../src/declare/condition.ts'
import { readOnly } from '../../src/declare/field.ts'
import { resource } from '../../src/declare/resource.ts'
import { type LoginProvider, startLoginProvider } from '../support/login-provider.ts'
import { describeServing } from '../support/serving.ts'
import { until } from '../support/until.ts'

const audience = 'https://library.example'
const people = {
  mia: { account: 'acme', card: { member: 'member-1' } },
  noa: { account: 'acme', card: { member: 'member-2' } },
  olu: { account: 'globex', card: { member: 'member-1' } },
  clerk: { account: 'acme', card: { member: 'member-9' } },
  stray: { card: { member: 'member-4' } },
}

let provider: LoginProvider
beforeAll(async () => {
  provider = await startLoginProvider({ audience, people, scope: 'loans:read loans:write loans:all' })
})
afterAll(() => provider.stop())

/** A loan belongs to the member who is logged in. */
const loans = resource('loans', {
  fields: {
    title: z.string().max(50),
    member_id: readOnly(z.string().max(50).optional()),
    by: readOnly(z.string().max(50).optional()),
  },
  filter: ['member_id'],
  rules: {
    read: ({ row, caller }) => anyOf(row.member_id.is(caller.claim('card.member')), caller.has('loans:all')),
  },
  hooks: {
    beforeCreate: (_, { caller }) => ({
      member_id: (caller.claims.card as { member: string }).member,
      by: caller.subject,
    }),
  },
})

describeServing(
  'end users who log in at an OpenID provider',
  (served) => {
    const call = (method: string, token: string, body?: object, headers: { [name: string]: string } = {}) =>
      served.call(method, '/v1/loans', {
        as: null,
        body,
        headers: { authorization: `Bearer ${token}`, ...headers },
      })
    const login = async (person: string, scope = 'loans:read loans:write') =>
      (await provider.login(person, { scope })).access_token

    test('the issuer alone tells where its keys are; the token tells account, scopes, subject and claims', async () => {
      const token = await login('mia')
      expect(decodeProtectedHeader(token)).toMatchObject({ typ: 'at+jwt', alg: 'RS256' })
      expect(decodeJwt(token)).toMatchObject({
        iss: provider.issuer,
        aud: audience,
        sub: 'mia',
        client_id: 'portal',
      })
      const made = await call('POST', token, { title: 'Dune' })
      expect(made.status).toBe(201)
      expect(made.data).toMatchObject({ member_id: 'member-1', by: 'mia' })
      const noa = await login('noa')
      expect((await call('POST', noa, { title: 'Emma' })).data).toMatchObject({
        member_id: 'member-2',
        by: 'noa',
      })
      const titles = async (token: string) => (await call('GET', token)).rows.map(({ title }) => title)
      expect([await titles(token), await titles(noa)]).toEqual([['Dune'], ['Emma']])
      expect((await titles(await login('clerk', 'loans:read loans:all'))).sort()).toEqual(['Dune', 'Emma'])
      const elsewhere = await call('GET', await login('olu'))
      expect([elsewhere.status, elsewhere.rows]).toEqual([200, []])
    })

    test('scopes are those that the person granted to the app', async () => {
      const token = await login('mia', 'loans:read')
      expect((await call('GET', token)).status).toBe(200)
      const refused = await call('POST', token, { title: 'Dune' })
      expect([refused.refusal, refused.problem.scope]).toEqual([[403, 'scope-missing'], 'loans:write'])
    })

    test('two people of one account may use the same Idempotency-Key', async () => {
      const key = { 'idempotency-key': 'same' }
      const [mia, noa] = [await login('mia'), await login('noa')]
      const hers = await call('POST', mia, { title: 'Dune' }, key)
      const theirs = await call('POST', noa, { title: 'Dune' }, key)
      expect([hers.status, theirs.status, hers.data.id === theirs.data.id]).toEqual([201, 201, false])
      const again = await call('POST', await login('mia'), { title: 'Dune' }, key)
      expect([again.data.id, again.headers.get('idempotent-replayed')]).toEqual([hers.data.id, 'true'])
    })

    test('a token for another API, an ID token, an opaque token and one without an account are 401', async () => {
      const elsewhere = await provider.login('mia', {
        scope: 'loans:read',
        resource: 'https://other.example',
      })
      expect((await call('GET', elsewhere.access_token)).problem.detail).toMatch(/"aud"/)
      expect((await call('GET', elsewhere.id_token)).problem.detail).toMatch(/"aud"/)
      const opaque = await provider.login('mia', { resource: '' })
      expect((await call('GET', opaque.access_token)).status).toBe(401)
      expect((await call('GET', await login('stray'))).problem.detail).toMatch(/no claim "account"/)
    })

    test('a code is worth nothing without the verifier of the app that began', async () => {
      await expect(provider.login('mia', { verifier: 'x'.repeat(43) })).rejects.toThrow(/invalid_grant/)
    })

    test('a new signing key of the provider is found; tokens of the old one go on until it is withdrawn', async () => {
      const old = await login('mia')
      expect((await call('GET', old)).status).toBe(200)
      provider.rotate()
      const fresh = await login('mia')
      expect(decodeProtectedHeader(fresh).kid).not.toBe(decodeProtectedHeader(old).kid)
      // An unknown key is looked for at most every two seconds.
      await until(async () => (await call('GET', fresh)).status === 200)
      expect((await call('GET', old)).status).toBe(200)
      const last = await login('noa')
      provider.rotate({ withdrawOld: true })
      const newest = await login('mia')
      await until(async () => (await call('GET', newest)).status === 200)
      // This token was not seen before, so that no memory of it helps.
      expect((await call('GET', last)).problem.detail).toMatch(/fits no key of its issuer/)
    })
  },
  {
    get declaration() {
      return api('library', {
        resources: [loans],
        scopes: { 'loans:all': 'See every loan.' },
        tokens: { issuer: provider.issuer, audience },
      })
    },
  },
)
