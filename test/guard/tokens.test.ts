import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import type { TokenDeclaration } from '../../src/declare/api.ts'
import { TokenVerifier } from '../../src/guard/token-verifier.ts'
import { type TestApi, testApi } from '../../src/testing.ts'
import { startIssuer, type TokenIssuer } from '../support/token-issuer.ts'

let issuer: TokenIssuer
let api: TestApi
let now = Date.now()
const clock = { now: () => now }
const folder = mkdtempSync(join(tmpdir(), 'nounkit-jwks-'))

beforeAll(async () => {
  issuer = await startIssuer()
  api = await testApi({ ...shop, tokens: declared() }, { clock })
})
afterAll(async () => {
  await api.close()
  await issuer.stop()
  rmSync(folder, { recursive: true })
})

const declared = (more: Partial<TokenDeclaration> = {}): TokenDeclaration => ({
  jwks: issuer.jwksUrl,
  issuer: issuer.url,
  audience: 'shop',
  ...more,
})
const claims = { account: 'acme', client_id: 'billing', scope: 'customers:read orders:read' }

const call = async (token: string, path = '/v2/customers?limit=1', init: RequestInit = {}) => {
  const answer = await api.fetch(path, {
    ...init,
    headers: { Authorization: `Bearer ${token}`, ...init.headers },
  })
  return { status: answer.status, body: await answer.json() }
}
const refusal = (token: string, more: Partial<TokenDeclaration> = {}) =>
  new TokenVerifier(declared(more), { clock, folder }).verify(token).then(
    () => 'accepted',
    (error: Error) => error.message,
  )

test('a valid token calls as its account, with its scopes', async () => {
  const token = await issuer.sign(claims)
  expect((await call(token)).status).toBe(200)
  expect(await call(token, '/v2/payments')).toMatchObject({ status: 403, body: { scope: 'payments:read' } })
  const caller = await new TokenVerifier(declared(), { clock, folder }).verify(token)
  expect(caller.account).toBe('acme')
  expect(caller.consumer).toEqual({ id: 'token:billing', name: 'billing', kind: 'external' })
})

test('the caller of a token has its subject and every claim, frozen', async () => {
  const more = { member_id: 42, address: { city: 'Ghent' }, teams: ['a'] }
  const verifier = new TokenVerifier(declared(), { clock, folder })
  const caller = await verifier.verify(await issuer.sign({ ...claims, ...more, sub: 'mia' }))
  expect(caller).toMatchObject({
    subject: 'mia',
    claims: { ...claims, ...more, sub: 'mia', iss: issuer.url },
  })
  expect(Object.isFrozen(caller.claims)).toBe(true)
  expect(Object.isFrozen(caller.claims.address)).toBe(true)
  expect((await verifier.verify(await issuer.sign(claims))).subject).toBe(null)
})

test('a token whose subject cannot be stored is refused, not taken for one without a subject', async () => {
  for (const sub of ['', 'a\0b', '\ud800', 'x'.repeat(256)])
    expect(await refusal(await issuer.sign({ ...claims, sub }))).toMatch(/"sub"/)
  expect(await refusal(await issuer.sign({ ...claims, sub: 'x'.repeat(255) }))).toBe('accepted')
})

test('claims are mapped as declared, and scopes may be a list', async () => {
  const mapped = declared({ claims: { account: 'tenant', consumer: 'azp', scopes: 'permissions' } })
  const token = await issuer.sign({ tenant: 'globex', azp: 'portal', permissions: ['a:read', 7, 'b:write'] })
  const caller = await new TokenVerifier(mapped, { clock, folder }).verify(token)
  expect(caller.account).toBe('globex')
  expect(caller.consumer.id).toBe('token:portal')
  expect([...caller.scopes]).toEqual(['a:read', 'b:write'])
})

test('API keys go on working beside tokens', async () => {
  expect((await call(await api.key('acme'))).status).toBe(200)
})

describe('refused with 401', () => {
  const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  test('an unsigned token', async () => {
    const token = `${base64({ alg: 'none' })}.${base64({ ...claims, iss: issuer.url, aud: 'shop', exp: 9e9 })}.`
    expect((await call(token)).status).toBe(401)
  })

  test('a token signed with the public key as a shared secret', async () => {
    const secret = new TextEncoder().encode(JSON.stringify(issuer.keys().keys[0]))
    const token = await new SignJWT({ ...claims, iss: issuer.url, aud: 'shop' })
      .setProtectedHeader({ alg: 'HS256', kid: issuer.keys().keys[0]?.kid ?? '' })
      .setExpirationTime('1h')
      .sign(secret)
    expect(await refusal(token)).toMatch(/algorithm/)
  })

  test('times that are no seconds of a year up to 9999, such as 1e400', async () => {
    const seconds = Math.floor(now / 1000)
    const token = (times: string) =>
      issuer.signText(`{"account":"acme","scope":"*","iss":"${issuer.url}","aud":"shop",${times}}`)
    expect((await call(await token(`"exp":${seconds + 60}`))).status).toBe(200)
    expect(await refusal(await token(`"exp":253402300799,"iat":0,"nbf":${seconds}.5`))).toBe('accepted')
    for (const [times, claim] of [
      ['"exp":1e400', 'exp'],
      ['"exp":253402300800', 'exp'],
      [`"exp":${seconds + 60},"nbf":-1e400`, 'nbf'],
      [`"exp":${seconds + 60},"iat":1e400`, 'iat'],
      [`"exp":${seconds + 60},"iat":"today"`, 'iat'],
    ] as const) {
      const { status, body } = await call(await token(times))
      expect([times, status]).toEqual([times, 401])
      expect(body).toMatchObject({ detail: expect.stringContaining(`The claim "${claim}" of the token is `) })
    }
  })

  test('another issuer, another audience, no account, no expiry, expired, not yet valid', async () => {
    expect(await refusal(await issuer.sign({ ...claims, iss: 'https://evil.example' }))).toMatch(/"iss"/)
    expect(await refusal(await issuer.sign({ ...claims, aud: 'other' }))).toMatch(/"aud"/)
    expect(await refusal(await issuer.sign({ scope: '*' }))).toMatch(/"account"/)
    expect(await refusal(await issuer.sign({ account: 'ac\u0000me' }))).toMatch(/"account"/)
    expect(await refusal(await issuer.sign({ account: '\ud800' }))).toMatch(/"account"/)
    expect(await refusal(await issuer.sign(claims, { expires: Math.floor(now / 1000) - 60 }))).toMatch(
      /expired/,
    )
    expect(await refusal(await issuer.sign({ ...claims, nbf: Math.floor(now / 1000) + 60 }))).toMatch(/"nbf"/)
  })

  test('a payload that was changed after signing', async () => {
    const [header, , signature] = (await issuer.sign(claims)).split('.')
    const forged = base64({ ...claims, account: 'globex', iss: issuer.url, aud: 'shop', exp: 9e9 })
    expect(await refusal(`${header}.${forged}.${signature}`)).toMatch(/signature/)
  })

  test('an algorithm that is sound but not allowed here', async () => {
    expect(await refusal(await issuer.sign(claims), { algorithms: ['EdDSA'] })).toMatch(/algorithm/)
  })

  test('bytes that are no token', async () => {
    for (const nonsense of ['a.b.c', '..', 'x', `${'a'.repeat(8_000)}.b.c`])
      expect((await call(nonsense)).status).toBe(401)
  })
})

test('clocks may differ by the declared skew', async () => {
  const token = await issuer.sign(claims, { expires: Math.floor(now / 1000) - 20 })
  expect(await refusal(token)).toBe('accepted')
  expect(await refusal(token, { clockSkewSeconds: 5 })).toMatch(/expired/)
})

test('a verified token is remembered, but not past its expiry', async () => {
  const verifier = new TokenVerifier(declared({ clockSkewSeconds: 0 }), { clock, folder })
  const token = await issuer.sign(claims, { expires: Math.floor(now / 1000) + 30 })
  expect(verifier.remembered(token)).toBe(null)
  await verifier.verify(token)
  expect(verifier.remembered(token)?.account).toBe('acme')
  now += 31_000
  expect(verifier.remembered(token)).toBe(null)
  await expect(verifier.verify(token)).rejects.toThrow(/expired/)
  now -= 31_000
})

test('when the issuer rotates its keys, tokens of the new key are accepted and those of the old go on', async () => {
  const old = await issuer.sign(claims)
  expect((await call(old)).status).toBe(200)
  await issuer.rotate({ algorithm: 'EdDSA' })
  const fresh = await issuer.sign(claims)
  await expect.poll(() => call(fresh), { timeout: 60_000, interval: 200 }).toMatchObject({ status: 200 })
  expect((await call(old)).status).toBe(200)
})

test('a token without a key id is tried with each key that could fit', async () => {
  await issuer.rotate()
  expect(await refusal(await issuer.sign(claims, { keyId: null }))).toBe('accepted')
})

test('a flood of forged key ids is no flood of fetches', async () => {
  const verifier = new TokenVerifier(declared(), { clock, folder })
  await verifier.verify(await issuer.sign(claims))
  const before = issuer.fetches
  const forged = await Promise.all(
    Array.from({ length: 50 }, (_, i) => issuer.sign({ ...claims, jti: `${i}` }, { keyId: `forged-${i}` })),
  )
  await Promise.allSettled(forged.map((token) => verifier.verify(token)))
  expect(issuer.fetches - before).toBeLessThan(3)
})

test('while the issuer does not answer, known keys still work, and without any it is 503, not 401', async () => {
  const verifier = new TokenVerifier(declared(), { clock, folder })
  await verifier.verify(await issuer.sign(claims))
  issuer.away()
  try {
    const later = await issuer.sign({ ...claims, jti: 'later' })
    expect((await verifier.verify(later)).account).toBe('acme')
    const stranger = new TokenVerifier(declared(), { clock, folder })
    await expect(stranger.verify(later)).rejects.toMatchObject({ status: 503, type: 'issuer-unavailable' })
  } finally {
    issuer.back()
  }
})

test('keys may lie in a file beside the declaration, and are read again when it changes', async () => {
  const file = join(folder, 'keys.json')
  writeFileSync(file, JSON.stringify(issuer.keys()))
  const verifier = new TokenVerifier(declared({ jwks: 'keys.json' }), { clock, folder })
  expect((await verifier.verify(await issuer.sign(claims))).account).toBe('acme')
  await issuer.rotate()
  writeFileSync(file, JSON.stringify(issuer.keys()))
  utimesSync(file, 2_000_000_000, 2_000_000_000)
  const fresh = await issuer.sign(claims)
  const account = () => verifier.verify(fresh).then((caller) => caller.account)
  await expect.poll(account, { timeout: 60_000, interval: 200 }).toBe('acme')
})

test('a file of keys that is missing is refused at the start', () => {
  const open = () => new TokenVerifier(declared({ jwks: 'missing.json' }), { clock, folder })
  expect(open).toThrow(/missing\.json/)
})
