import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type ApiDeclaration, api } from '../../src/declare/api.ts'
import { resource } from '../../src/declare/resource.ts'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { gateVerdict } from '../support/gate-verdict.ts'
import { serveBoth } from '../support/old-and-new.ts'
import { startIssuer, type TokenIssuer } from '../support/token-issuer.ts'

const one = 'https://one.example'
const two = 'https://two.example'
type Loose = { readonly [option: string]: unknown }

describe.each(storeKinds)('an old and a new server on %s that let others in', (kind) => {
  let url: string
  let issuer: TokenIssuer
  beforeAll(async () => {
    url = await emptyDatabase(kind)
    issuer = await startIssuer()
  })
  afterAll(() => issuer.stop())
  const things = resource('things', { fields: { name: z.string() } })
  const withTokens = (over: Loose = {}) =>
    api('things', {
      resources: [things],
      tokens: { jwks: issuer.jwksUrl, issuer: issuer.url, audience: 'shop', ...over } as never,
    })

  test('another claim of the account refuses the tokens that were accepted', async () => {
    const over = { claims: { account: 'tenant' } }
    const { old, now } = await serveBoth(kind, url, withTokens(), withTokens(over))
    const token = await issuer.sign({ account: 'acme', scope: 'things:read' })
    const bearer = { as: null, headers: { authorization: `Bearer ${token}` } }
    expect((await old.get('/v1/things', bearer)).status).toBe(200)
    expect((await now.get('/v1/things', bearer)).status).toBe(401)
    const { verdict, text } = gateVerdict(withTokens(), withTokens(over))
    expect(text).toContain('tokens.claims.account: account became tenant')
    expect(verdict).toBe('breaking')
  })

  test('another claim of the scopes leaves the tokens without them', async () => {
    const over = { claims: { scopes: 'permissions' } }
    const { old, now } = await serveBoth(kind, url, withTokens(), withTokens(over))
    const token = await issuer.sign({ account: 'acme', scope: 'things:read' })
    const bearer = { as: null, headers: { authorization: `Bearer ${token}` } }
    expect((await old.get('/v1/things', bearer)).status).toBe(200)
    expect((await now.get('/v1/things', bearer)).status).toBe(403)
    expect(gateVerdict(withTokens(), withTokens(over)).verdict).toBe('breaking')
  })

  // Settings of a deployment: a provider that is changed and an origin that is dropped must not wait for a new version.
  test.each<[string, Loose]>([
    ['issuer', { issuer: 'https://other.example', jwks: undefined }],
    ['audience', { audience: 'other' }],
    ['URL of the keys', { jwks: 'https://keys.example/jwks' }],
    ['list of algorithms', { algorithms: ['RS256'] }],
    ['skew of clocks', { clockSkewSeconds: 5 }],
  ])('another %s is no difference', (_, over) => {
    expect(gateVerdict(withTokens(), withTokens(over)).verdict).toBe('none')
  })

  test('an issuer more or less breaks nobody; another prefix makes other subjects of the same people', () => {
    const partners = { issuer: 'https://partners.example', prefix: 'partners:' }
    const both = { ...withTokens(), tokens: [{ issuer: issuer.url }, partners] }
    expect(gateVerdict(withTokens(), both)).toEqual({
      verdict: 'additive',
      text: 'tokens "partners:": an issuer was added',
    })
    expect(gateVerdict(both, withTokens()).verdict).toBe('additive')
    expect(gateVerdict(both, { ...both, tokens: [partners, { issuer: issuer.url }] }).verdict).toBe('none')
    expect(gateVerdict(withTokens(), withTokens({ prefix: 'staff:' }))).toEqual({
      verdict: 'breaking',
      text: 'tokens: prefix none became "staff:"',
    })
    const mapped = { ...partners, claims: { scopes: 'permissions' } }
    expect(gateVerdict(both, { ...both, tokens: [{ issuer: issuer.url }, mapped] })).toEqual({
      verdict: 'breaking',
      text: 'tokens "partners:".claims.scopes: scope became permissions',
    })
  })

  test.each<[string, Loose, Loose]>([
    ['an origin removed', { origins: [one, two] }, { origins: [one] }],
    ['a list in place of everyone', { origins: '*' }, { origins: [one] }],
    ['an origin added', { origins: [one] }, { origins: [one, two] }],
  ])('CORS: %s is no difference', (_, from, to) => {
    const withCors = (cors: Loose): ApiDeclaration => ({ ...withTokens(), cors: cors as never })
    expect(gateVerdict(withCors(from), withCors(to)).verdict).toBe('none')
    expect(gateVerdict(withCors(from), withTokens()).verdict).toBe('none')
  })

  const cached = (cacheControl: string) =>
    api('things', { resources: [resource('things', { fields: { name: z.string() }, cacheControl })] })
  test.each<[string, string, 'additive' | 'breaking']>([
    ['private, no-cache', 'public, max-age=60', 'breaking'],
    ['private, no-cache', 'private, max-age=5', 'breaking'],
    ['private, max-age=60', 'max-age=60', 'breaking'],
    ['public, max-age=60', 'public, max-age=60, s-maxage=600', 'breaking'],
    ['private, max-age=5', 'private, max-age=5, stale-if-error=60', 'breaking'],
    ['public, max-age=60', 'private, max-age=60', 'additive'],
    ['private, max-age=60', 'private, max-age=5', 'additive'],
    ['private, max-age=60', 'private, no-cache', 'additive'],
    ['public, max-age=60', 'no-store', 'additive'],
    ['private, no-cache', 'private, no-cache, no-transform', 'additive'],
  ])('Cache-Control: %s becomes %s', async (from, to, verdict) => {
    const { old, now } = await serveBoth(kind, url, cached(from), cached(to))
    expect((await old.get('/v1/things')).headers.get('cache-control')).toBe(from)
    expect((await now.get('/v1/things')).headers.get('cache-control')).toBe(to)
    expect(gateVerdict(cached(from), cached(to)).verdict).toBe(verdict)
  })
})
