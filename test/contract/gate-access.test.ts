import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import shop from '../../examples/shop/api.ts'
import { type ApiDeclaration, api } from '../../src/declare/api.ts'
import { resource } from '../../src/declare/resource.ts'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { gateVerdict } from '../support/gate-verdict.ts'
import { listeningShop } from '../support/listening-shop.ts'
import { serveBoth } from '../support/old-and-new.ts'
import { startIssuer, type TokenIssuer } from '../support/token-issuer.ts'

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

  test.each<[string, Loose, string]>([
    ['issuer', { issuer: 'https://other.example' }, 'tokens.issuer'],
    ['audience', { audience: 'other' }, 'tokens.audience: shop became other'],
    ['algorithms', { algorithms: ['RS256'] }, 'tokens.algorithms: ES256, EdDSA, RS256 became RS256'],
    [
      'claim of the account',
      { claims: { account: 'tenant' } },
      'tokens.claims.account: account became tenant',
    ],
  ])('another %s refuses the tokens that were accepted', async (_, over, says) => {
    const { old, now } = await serveBoth(kind, url, withTokens(), withTokens(over))
    const token = await issuer.sign({ account: 'acme', scope: 'things:read' })
    const bearer = { as: null, headers: { authorization: `Bearer ${token}` } }
    expect((await old.get('/v1/things', bearer)).status).toBe(200)
    expect((await now.get('/v1/things', bearer)).status).toBe(401)
    const { verdict, text } = gateVerdict(withTokens(), withTokens(over))
    expect(text).toContain(says)
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

  test("another URL of the issuer's keys is no difference", () => {
    expect(gateVerdict(withTokens(), withTokens({ jwks: 'https://keys.example/jwks' })).verdict).toBe('none')
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

// The shell answers for origins, whatever the store is.
describe('an old and a new server with pages of other sites', () => {
  const withOrigins = (origins: 'none' | '*' | readonly string[]) => (declared: ApiDeclaration) =>
    origins === 'none' ? declared : { ...declared, cors: { origins } }
  const allowedBy = async (origins: Parameters<typeof withOrigins>[0]) => {
    const server = await listeningShop({ declare: withOrigins(origins) })
    const answers = [one, two].map((origin) =>
      fetch(`${server.server.url}/v2/products`, { headers: { origin } }),
    )
    const allowed = (await Promise.all(answers)).map(({ headers }) =>
      headers.has('access-control-allow-origin'),
    )
    await server.close()
    return allowed
  }
  const one = 'https://one.example'
  const two = 'https://two.example'
  type Origins = Parameters<typeof withOrigins>[0]
  test.each<[string, Origins, Origins, 'additive' | 'breaking']>([
    ['an origin removed', [one, two], [one], 'breaking'],
    ['all removed', [one], 'none', 'breaking'],
    ['a list in place of everyone', '*', [one], 'breaking'],
    ['an origin added', [one], [one, two], 'additive'],
    ['everyone in place of a list', [one], '*', 'additive'],
    ['a first one', 'none', [one], 'additive'],
  ])('CORS: %s', async (_, from, to, verdict) => {
    const [before, after] = [await allowedBy(from), await allowedBy(to)]
    const isLost = before.some((allowed, at) => allowed && !after[at])
    expect(isLost).toBe(verdict === 'breaking')
    expect(gateVerdict(withOrigins(from)(shop), withOrigins(to)(shop)).verdict).toBe(verdict)
  })
})
