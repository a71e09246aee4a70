import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import type { TokenDeclaration } from '../../src/declare/api.ts'
import { TokenVerifier } from '../../src/guard/token-verifier.ts'
import { testApi } from '../../src/testing.ts'
import { startIssuer, type TokenIssuer } from '../support/token-issuer.ts'
import { until } from '../support/until.ts'

let issuer: TokenIssuer
beforeEach(async () => {
  issuer = await startIssuer()
})
afterEach(() => issuer.stop())

const claims = { account: 'acme', scope: 'customers:read' }
const verifier = (more: Partial<TokenDeclaration> = {}) =>
  new TokenVerifier({ issuer: issuer.url, ...more }, { clock: { now: Date.now }, folder: '.' })
const outcome = (verified: Promise<unknown>) =>
  verified.then(
    () => 'accepted',
    (error: Error & { type?: string; cause?: { cause?: Error } }) =>
      `${error.type}: ${error.cause?.cause?.message ?? error.message}`,
  )

test('an issuer alone is enough: its discovery document tells where its keys are', async () => {
  const api = await testApi({ ...shop, tokens: { issuer: issuer.url } })
  try {
    expect(issuer.discoveries).toBe(0)
    const headers = { Authorization: `Bearer ${await issuer.sign({ ...claims, aud: 'anyone' })}` }
    expect((await api.fetch('/v2/customers?limit=1', { headers })).status).toBe(200)
    const forged = {
      Authorization: `Bearer ${await (await startOther()).sign({ ...claims, iss: issuer.url })}`,
    }
    expect((await api.fetch('/v2/customers?limit=1', { headers: forged })).status).toBe(401)
  } finally {
    await api.close()
  }
})

const startOther = async () => {
  const other = await startIssuer()
  await other.stop()
  return other
}

test('many tokens at once cost one look at the discovery document and one at the keys', async () => {
  const tokens = await Promise.all(['a', 'b', 'c', 'd'].map((sub) => issuer.sign({ ...claims, sub })))
  const verify = verifier()
  await Promise.all(tokens.map((token) => verify.verify(token)))
  await verify.verify(await issuer.sign({ ...claims, sub: 'later' }))
  expect([issuer.discoveries, issuer.fetches]).toEqual([1, 1])
})

test('an audience that is declared is demanded; without one, tokens for any audience and without one are accepted', async () => {
  const forOther = await issuer.sign({ ...claims, aud: 'other' })
  const forNobody = await issuer.sign({ ...claims, aud: [] })
  expect(await outcome(verifier({ audience: 'shop' }).verify(forOther))).toMatch(/credentials-invalid.*"aud"/)
  expect(await outcome(verifier({ audience: 'shop' }).verify(forNobody))).toMatch(
    /credentials-invalid.*"aud"/,
  )
  expect(await outcome(verifier().verify(forOther))).toBe('accepted')
  expect(await outcome(verifier().verify(forNobody))).toBe('accepted')
})

test('without an audience an ID token is refused', async () => {
  for (const id of [{ nonce: 'n' }, { at_hash: 'h' }, { c_hash: 'h' }, { token_use: 'id' }, { typ: 'ID' }]) {
    const token = await issuer.sign({ ...claims, ...id })
    expect(await outcome(verifier().verify(token))).toMatch(/credentials-invalid: .*access token/)
    expect(await outcome(verifier({ audience: 'shop' }).verify(token))).toBe('accepted')
  }
})

test('claims may be nested, or have dots in their name', async () => {
  const mapped = { account: 'o.id', consumer: 'https://acme.example/app', scopes: 'realm_access.roles' }
  const caller = await verifier({ claims: mapped }).verify(
    await issuer.sign({
      o: { id: 'globex' },
      'https://acme.example/app': 'portal',
      realm_access: { roles: ['orders:read'] },
    }),
  )
  expect([caller.account, caller.consumer.name, [...caller.scopes]]).toEqual([
    'globex',
    'portal',
    ['orders:read'],
  ])
})

test('new keys of the issuer are found, and tokens of withdrawn ones refused after the keys were read again', async () => {
  const verify = verifier()
  await verify.verify(await issuer.sign(claims))
  const old = await issuer.sign({ ...claims, sub: 'old' })
  await issuer.rotate({ withdrawOld: true })
  const fresh = await issuer.sign({ ...claims, sub: 'new' })
  await until(async () => (await outcome(verify.verify(fresh))) === 'accepted')
  expect(await outcome(verify.verify(old))).toMatch(/fits no key of its issuer/)
  expect(issuer.discoveries).toBe(1)
})

test('an issuer that hangs keeps a few requests waiting; further tokens are 503 at once, and API keys are answered', async () => {
  const held: ServerResponse[] = []
  issuer.discover((response) => void held.push(response))
  const limits = { ...shop.limits, requestsInFlight: 30 }
  const api = await testApi({ ...shop, tokens: { issuer: issuer.url }, limits })
  try {
    const call = async (credentials: string) =>
      (await api.fetch('/v2/customers?limit=1', { headers: { Authorization: `Bearer ${credentials}` } }))
        .status
    const key = await api.key('acme')
    const statuses: number[] = []
    const calls = Array.from({ length: 60 }, async (_, at) => {
      statuses.push(await call(await issuer.sign({ ...claims, sub: `s${at}` })))
    })
    await until(() => statuses.length >= 57 && held.length > 0)
    expect(await call(key)).toBe(200)
    expect(new Set(statuses)).toEqual(new Set([503]))
    for (const response of held) response.destroy()
    await Promise.all(calls)
  } finally {
    await api.close()
  }
})

test('while many wait for a new key of the issuer, tokens of its known keys are accepted', async () => {
  const held: ServerResponse[] = []
  const jwks = `${issuer.url}/.well-known/openid-configuration`
  issuer.discover((response) => void response.end(JSON.stringify(issuer.keys())))
  const clock = { now: Date.now }
  const tokens = { issuer: issuer.url, jwks }
  const verify = new TokenVerifier(tokens, { clock, folder: '.', mostWaiting: 1 })
  expect(await outcome(verify.verify(await issuer.sign(claims)))).toBe('accepted')
  issuer.discover((response) => void held.push(response))
  const unknown = await issuer.sign(claims, { keyId: 'unknown' })
  // The keys are read again at most every two seconds.
  let waiting: Promise<string> = Promise.resolve('')
  await until(() => {
    waiting = outcome(verify.verify(unknown))
    return held.length > 0
  })
  expect(await outcome(verify.verify(await issuer.sign({ ...claims, sub: 'other' })))).toBe('accepted')
  for (const response of held) response.destroy()
  await waiting
})

test('an issuer that is away at the start is 503 for tokens, nothing for keys, and found when it is back', async () => {
  issuer.away()
  const api = await testApi({ ...shop, tokens: { issuer: issuer.url } })
  try {
    const call = async (credentials: string) =>
      (await api.fetch('/v2/customers?limit=1', { headers: { Authorization: `Bearer ${credentials}` } }))
        .status
    const token = await issuer.sign(claims)
    expect(await call(token)).toBe(503)
    const asked = issuer.discoveries
    expect(new Set(await Promise.all(Array.from({ length: 20 }, () => call(token))))).toEqual(new Set([503]))
    expect(issuer.discoveries - asked).toBeLessThan(20)
    expect(await call(await api.key('acme'))).toBe(200)
    issuer.back()
    await until(async () => (await call(token)) === 200)
  } finally {
    await api.close()
  }
})

describe('a discovery document is refused, and tokens with it, when', () => {
  const json = (value: unknown) => (response: ServerResponse) =>
    void response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
  const refused: [string, (response: ServerResponse) => void, RegExp][] = [
    [
      'it is of another issuer',
      (r) => json({ issuer: 'https://evil.example', jwks_uri: `${issuer.url}/jwks` })(r),
      /is of the issuer "https:\/\/evil\.example"/,
    ],
    ['it names no issuer', (r) => json({ jwks_uri: `${issuer.url}/jwks` })(r), /is of the issuer undefined/],
    [
      'its issuer differs by a slash',
      (r) => json({ issuer: `${issuer.url}/`, jwks_uri: `${issuer.url}/jwks` })(r),
      /is of the issuer/,
    ],
    ['it names no keys', (r) => json({ issuer: issuer.url })(r), /names no address of keys/],
    [
      'its keys are in the clear',
      (r) => json({ issuer: issuer.url, jwks_uri: 'http://evil.example/jwks' })(r),
      /names no address of keys/,
    ],
    [
      'its keys are in a file',
      (r) => json({ issuer: issuer.url, jwks_uri: 'file:///etc/passwd' })(r),
      /names no address of keys/,
    ],
    [
      'its keys have no address',
      (r) => json({ issuer: issuer.url, jwks_uri: { url: 'https://x' } })(r),
      /names no address of keys/,
    ],
    [
      'it redirects',
      (r) => void r.writeHead(302, { Location: `${issuer.url}/elsewhere` }).end(),
      /answered with status 302/,
    ],
    ['it is not there', (r) => void r.writeHead(404).end('{}'), /answered with status 404/],
    ['it is a page', (r) => void r.writeHead(200).end('<html>Log in'), /is not JSON/],
    ['it is empty', (r) => void r.writeHead(200).end(), /is not JSON/],
    ['it is a list', json([]), /is not a JSON object/],
    ['it is null', json(null), /is not a JSON object/],
    [
      'it is huge',
      (r) => void r.writeHead(200).end(`"${'x'.repeat(600_000)}"`),
      /has more than 524288 bytes/,
    ],
    ['the connection is cut', (r) => void r.destroy(), /fetch failed/],
  ]
  test.each(refused)('%s', async (_, answer, why) => {
    issuer.discover(answer)
    const said = await outcome(verifier().verify(await issuer.sign(claims)))
    expect(said).toMatch(/^issuer-unavailable: /)
    expect(said).toMatch(why)
  })
})

test('keys that moved are found at the address that the discovery document has now', async () => {
  const gone = await startOther()
  issuer.discover(
    (response) =>
      void response.writeHead(200).end(JSON.stringify({ issuer: issuer.url, jwks_uri: gone.jwksUrl })),
  )
  const verify = verifier()
  const token = await issuer.sign(claims)
  expect(await outcome(verify.verify(token))).toMatch(/^issuer-unavailable/)
  issuer.discover(null)
  expect(await outcome(verify.verify(token))).toBe('accepted')
})
