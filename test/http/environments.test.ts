import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import type { Contract } from '../../src/compile/contract-format.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { api, type TokenDeclaration } from '../../src/declare/api.ts'
import type { AddressSettings } from '../../src/declare/deployment.ts'
import { readOnly } from '../../src/declare/field.ts'
import { resource } from '../../src/declare/resource.ts'
import { walkedStores } from '../support/databases.ts'
import { type LoginProvider, startLoginProvider } from '../support/login-provider.ts'
import { type Serving, serve } from '../support/serving.ts'
import { describeStores } from '../support/stores.ts'
import { startIssuer, type TokenIssuer } from '../support/token-issuer.ts'

const audience = 'https://notes.example'
const scope = 'notes:read notes:write'
const people = { mia: { account: 'acme' }, noa: { account: 'acme' } }

/** Two providers whose people have the same names, and an issuer that signs whatever it is asked to. */
let staff: LoginProvider
let partners: LoginProvider
let signer: TokenIssuer
beforeAll(async () => {
  staff = await startLoginProvider({ audience, people, scope })
  partners = await startLoginProvider({ audience, people, scope })
  signer = await startIssuer()
})
afterAll(() => Promise.all([staff.stop(), partners.stop(), signer.stop()]))

/** A note belongs to the person who wrote it. */
const notes = resource('notes', {
  fields: { text: z.string().max(50), by: readOnly(z.string().max(255).optional()) },
  rules: { read: ({ row, caller }) => row.by.is(caller.subject) },
  hooks: { beforeCreate: (_, { caller }) => ({ by: caller.subject }) },
})
const notesWith = (tokens: TokenDeclaration | readonly TokenDeclaration[]) =>
  api('notes', { resources: [notes], tokens, cors: { origins: ['https://app.example'] } })

const login = async (provider: LoginProvider, person: string) =>
  (await provider.login(person, { scope })).access_token
const call = (served: Serving, method: string, token: string, more: object = {}) =>
  served.call(method, '/v1/notes', {
    as: null,
    ...more,
    headers: { authorization: `Bearer ${token}`, ...('headers' in more ? (more.headers as object) : {}) },
  })
const texts = async (served: Serving, token: string) =>
  (await call(served, 'GET', token)).rows.map(({ text }) => text)

describeStores(
  'one declaration in several environments',
  (store) => {
    const open = async (declared: ReturnType<typeof notesWith>, addresses: AddressSettings = {}) =>
      serve(store.kind, await store.url(), { declaration: declared, addresses })

    test('tokens of several issuers are accepted, and people of the same name are different subjects', async () => {
      const served = await open(
        notesWith([
          { issuer: staff.issuer, audience },
          { issuer: partners.issuer, audience, prefix: 'partners:' },
        ]),
      )
      const [ours, theirs] = [await login(staff, 'mia'), await login(partners, 'mia')]
      const key = { 'idempotency-key': 'same' }
      const first = await call(served, 'POST', ours, { body: { text: 'Ours' }, headers: key })
      const second = await call(served, 'POST', theirs, { body: { text: 'Theirs' }, headers: key })
      expect([first.data.by, second.data.by]).toEqual(['mia', 'partners:mia'])
      expect([await texts(served, ours), await texts(served, theirs)]).toEqual([['Ours'], ['Theirs']])
      const again = await call(served, 'POST', ours, { body: { text: 'Ours' }, headers: key })
      expect([again.data.id, again.headers.get('idempotent-replayed')]).toEqual([first.data.id, 'true'])
      const document = (await served.get('/v1/openapi.json')).text
      expect(document).toContain(`An access token of ${staff.issuer} or ${partners.issuer}.`)
    })

    test('a token is judged by the keys, the audience and the claims of the issuer that it names', async () => {
      const served = await open(
        notesWith([
          { issuer: staff.issuer, audience },
          {
            issuer: signer.url,
            audience: 'partners',
            prefix: 'partners:',
            claims: { account: 'tenant', scopes: 'permissions' },
          },
        ]),
      )
      const sign = (claims: object) =>
        signer.sign({ aud: 'partners', tenant: 'acme', permissions: scope, ...claims })
      const outcome = async (token: string) => {
        const answer = await call(served, 'GET', token)
        return answer.status === 200 ? 200 : answer.problem.detail
      }
      expect(await outcome(await sign({ sub: 'mia' }))).toBe(200)
      expect(await outcome(await sign({ sub: 'mia', aud: audience }))).toMatch(/"aud"/)
      expect(await outcome(await sign({ sub: 'mia', tenant: undefined, account: 'acme' }))).toMatch(
        /"tenant"/,
      )
      // Keys of one issuer prove nothing for another.
      const passedOff = await signer.sign({
        iss: staff.issuer,
        aud: audience,
        account: 'acme',
        scope,
        sub: 'mia',
      })
      expect(await outcome(passedOff)).toMatch(/fits no key of its issuer/)
      expect(await outcome(await sign({ sub: 'mia', iss: 'https://stranger.example' }))).toMatch(/"iss"/)
      expect(await outcome(await sign({ sub: 'mia', iss: '' }))).toMatch(/"iss"/)
      expect(await outcome(await sign({ sub: 'x'.repeat(247) }))).toMatch(/"sub".*1 to 246/)
    })

    test('an issuer without a prefix cannot name subjects and consumers of one that has it', async () => {
      const served = await open(
        notesWith([
          { issuer: signer.url, audience: 'shop' },
          { issuer: partners.issuer, audience, prefix: 'partners:' },
        ]),
      )
      const claims = { account: 'acme', scope }
      const posing = await call(served, 'GET', await signer.sign({ ...claims, sub: 'partners:mia' }))
      expect([posing.status, posing.problem.detail]).toEqual([
        401,
        'The claim "sub" of the token begins with "partners:", which marks names of another issuer.',
      ])
      const client = await signer.sign({ ...claims, sub: 'mia', client_id: 'partners:portal' })
      expect((await call(served, 'GET', client)).problem.detail).toMatch(/"client_id".*"partners:"/)
      expect((await call(served, 'GET', await signer.sign({ ...claims, sub: 'partners' }))).status).toBe(200)
    })

    test('while one issuer is away, tokens of the others and API keys work', async () => {
      const away = await startIssuer()
      const token = await away.sign({ account: 'acme', scope, sub: 'mia' })
      await away.stop()
      const served = await open(
        notesWith([
          { issuer: staff.issuer, audience },
          { issuer: away.url, audience: 'shop', prefix: 'away:' },
        ]),
      )
      expect((await call(served, 'GET', token)).refusal).toEqual([503, 'issuer-unavailable'])
      expect((await call(served, 'GET', await login(staff, 'mia'))).status).toBe(200)
      expect((await served.get('/v1/notes')).status).toBe(200)
    })

    test('settings say the addresses that a declaration leaves out, and replace those that it has', async () => {
      const declared = notesWith({ issuer: signer.url, jwks: signer.jwksUrl, audience: 'shop' })
      const served = await open(declared, { tokenIssuer: staff.issuer, tokenAudience: audience })
      expect((await call(served, 'GET', await login(staff, 'mia'))).status).toBe(200)
      const old = { account: 'acme', scope, sub: 'mia' }
      expect((await call(served, 'GET', await signer.sign(old))).problem.detail).toMatch(/"iss"/)
      // The declared keys were those of the declared issuer.
      const posing = await signer.sign({ ...old, iss: staff.issuer, aud: audience })
      expect((await call(served, 'GET', posing)).problem.detail).toMatch(/fits no key of its issuer/)
      const unsaid = await open(notesWith({}), { tokenIssuer: partners.issuer })
      expect((await call(unsaid, 'GET', await login(partners, 'noa'))).status).toBe(200)
      expect((await unsaid.get('/v1/openapi.json')).text).toContain(`An access token of ${partners.issuer}.`)
    })

    test('settings name an issuer for each that is declared, or "off" for one that is not used here', async () => {
      const declared = notesWith([{}, { prefix: 'partners:' }])
      const both = await open(declared, {
        tokenIssuer: `${staff.issuer}, ${partners.issuer}`,
        tokenAudience: audience,
      })
      const [ours, theirs] = [await login(staff, 'mia'), await login(partners, 'mia')]
      expect((await call(both, 'POST', theirs, { body: { text: 'x' } })).data.by).toBe('partners:mia')
      expect((await call(both, 'POST', ours, { body: { text: 'x' } })).data.by).toBe('mia')
      const one = await open(declared, { tokenIssuer: `off,${partners.issuer}` })
      expect((await call(one, 'GET', theirs)).status).toBe(200)
      expect((await call(one, 'GET', ours)).status).toBe(401)
      const none = await open(declared)
      expect((await call(none, 'GET', ours)).problem.detail).toMatch(/"iss"/)
      expect((await none.get('/v1/notes')).status).toBe(200)
    })

    test('a published API is served with another issuer and without an origin that was dropped', async () => {
      const published = compileApi(notesWith({ issuer: signer.url, audience: 'shop' }))
      const contracts = new Map<string, Contract>([['v1', contractOf(published, published.head)]])
      expect(JSON.stringify([...contracts.values()])).not.toMatch(/127\.0\.0\.1|app\.example|"shop"/)
      const served = await serve(store.kind, await store.url(), {
        declaration: notesWith({ issuer: staff.issuer, audience }),
        contracts,
        addresses: { corsOrigins: 'https://new.example' },
      })
      const gate = checkContracts(served.api.service.model, contracts)
      expect([gate.refusals, gate.grown]).toEqual([[], []])
      expect((await call(served, 'GET', await login(staff, 'mia'))).status).toBe(200)
      const allowed = async (origin: string) =>
        (await served.get('/v1/notes', { headers: { origin } })).headers.get('access-control-allow-origin')
      expect([await allowed('https://app.example'), await allowed('https://new.example')]).toEqual([
        null,
        'https://new.example',
      ])
    })

    test('origins are added, opened to all and closed by the setting alone', async () => {
      const bare = api('notes', { resources: [notes] })
      const url = await store.url()
      const allowed = async (corsOrigins: string, declaration = bare) => {
        const served = await serve(store.kind, url, { declaration, addresses: { corsOrigins } })
        const answer = await served.get('/v1/notes', { headers: { origin: 'https://app.example' } })
        return answer.headers.get('access-control-allow-origin')
      }
      expect(await allowed('https://b.example , https://app.example')).toBe('https://app.example')
      expect(await allowed('*')).toBe('*')
      expect(await allowed('')).toBe(null)
      expect(await allowed('off', { ...bare, cors: { origins: '*' } })).toBe(null)
    })
  },
  walkedStores,
)
