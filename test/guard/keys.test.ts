import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { hashApiKey, makeApiKey } from '../../src/guard/api-key.ts'
import { KeyRing } from '../../src/guard/key-ring.ts'
import { type TestApi, testApi } from '../../src/testing.ts'
import { emptyDatabase, storeKinds } from '../support/databases.ts'

const day = 86_400_000

describe.each(storeKinds)('API keys on %s', (kind) => {
  let now = Date.parse('2026-07-01T12:00:00Z')
  const clock = { now: () => now }
  let databaseUrl: string
  let api: TestApi
  /** A second process on the same store. */
  let other: TestApi
  let keys: KeyRing

  beforeAll(async () => {
    databaseUrl = await emptyDatabase(kind)
    api = await testApi(shop, { databaseUrl, clock })
    other = await testApi(shop, { databaseUrl, clock })
    keys = new KeyRing(api.service.store, clock)
  })
  afterAll(async () => {
    await api.close()
    await other.close()
  })

  const call = async (key: string, where = api) => {
    const answer = await where.fetch('/v2/customers?limit=1', { headers: { Authorization: `Bearer ${key}` } })
    return { status: answer.status, body: await answer.json(), headers: answer.headers }
  }

  const callerOf = (secret: string) =>
    api.service.engine.authenticator.authenticate({
      headers: { authorization: `Bearer ${secret}` },
      address: '127.0.0.1',
    })

  test('only the hash of a key is in the store', async () => {
    const { secret } = await keys.create({ account: 'acme', name: 'hashed' })
    const rows = await api.service.store.all('SELECT * FROM "nounkit_api_keys" WHERE "name" = \'hashed\'', [])
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(JSON.stringify(rows)).toContain(hashApiKey(secret))
  })

  test('a typo, an unknown key and a missing key have different problems, each 401 with a challenge', async () => {
    const { secret } = await keys.create({ account: 'acme', name: 'typed' })
    const typo = await call(`${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`)
    const unknown = await call(makeApiKey().secret)
    const missing = await api.fetch('/v2/customers')
    expect(typo).toMatchObject({ status: 401, body: { detail: expect.stringMatching(/checksum/) } })
    expect(unknown).toMatchObject({ status: 401, body: { detail: expect.stringMatching(/not known/) } })
    expect(unknown.headers.get('www-authenticate')).toBe('Bearer realm="api", error="invalid_token"')
    expect(missing.status).toBe(401)
    expect(missing.headers.get('www-authenticate')).toBe('Bearer realm="api"')
    expect(await missing.json()).toMatchObject({ type: '/problems/credentials-missing' })
  })

  test('credentials of another kind are 401', async () => {
    for (const header of [
      'Basic YTpi',
      'Bearer',
      'Bearer  ',
      'nk_x',
      'Bearer a b',
      'Bearer a.b.c',
      `bearer "${'x'.repeat(5_000)}`,
    ]) {
      const answer = await api.fetch('/v2/customers', { headers: { Authorization: header } })
      expect([header, answer.status]).toEqual([header, 401])
    }
  })

  test('the scheme is not case-sensitive', async () => {
    const { secret } = await keys.create({ account: 'acme', name: 'scheme' })
    const answer = await api.fetch('/v2/customers', { headers: { Authorization: `bearer ${secret}` } })
    expect(answer.status).toBe(200)
  })

  test('a key that is revoked while a body is on its way does nothing more, one that is not does', async () => {
    const { secret } = await keys.create({ account: 'acme', name: 'slow' })
    const { secret: lasting } = await keys.create({ account: 'acme', name: 'lasting' })
    const customer = (name: string) => JSON.stringify({ name, email: `${name}@keys.example` })
    const begin = (key: string, method: string, path: string, body: string) => {
      const arriving = new TransformStream<Uint8Array, Uint8Array>()
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
      const init = { method, headers, body: arriving.readable, duplex: 'half' }
      const answer = api.fetch(path, init as RequestInit)
      const finish = async () => {
        const writer = arriving.writable.getWriter()
        await writer.write(new TextEncoder().encode(body))
        await writer.close()
        return (await answer).status
      }
      return { finish }
    }
    const known = await begin(secret, 'POST', '/v2/customers', customer('known')).finish()
    expect(known).toBe(201)
    const [id] =
      (await api.service.store.first(`SELECT "id" FROM "customers" WHERE "name" = 'known'`, [])) ?? []
    const slow = [
      begin(secret, 'POST', '/v2/customers', customer('created')),
      begin(secret, 'PATCH', `/v2/customers/${id}`, '{"name":"patched"}'),
      // Credentials are judged before a body.
      begin(secret, 'POST', '/v2/customers', '{'),
      begin(lasting, 'POST', '/v2/customers', customer('lasting')),
    ]
    await keys.revoke('acme', 'slow')
    await expect.poll(async () => (await call(secret)).status, { timeout: 60_000 }).toBe(401)
    expect(await Promise.all(slow.map(({ finish }) => finish()))).toEqual([401, 401, 401, 201])
    const made = await api.service.store.all(
      `SELECT "name" FROM "customers" WHERE "email" LIKE '%@keys.example' ORDER BY "name"`,
      [],
    )
    expect(made.flat()).toEqual(['known', 'lasting'])
  })

  test('a revoked key ends in every process within seconds, and says why', async () => {
    const { secret } = await keys.create({ account: 'acme', name: 'leaked' })
    expect((await call(secret)).status).toBe(200)
    expect((await call(secret, other)).status).toBe(200)
    expect(await keys.revoke('acme', 'leaked')).toBe(1)
    for (const process of [api, other]) {
      await expect
        .poll(() => call(secret, process), { timeout: 60_000 })
        .toMatchObject({
          status: 401,
          body: { detail: 'This API key was revoked.' },
        })
    }
    expect(await keys.revoke('acme', 'leaked')).toBe(0)
  })

  test('a key works until the millisecond it expires', async () => {
    const { secret } = await keys.create({ account: 'acme', name: 'short', expiresAt: now + 90 * day })
    now += 90 * day - 1
    expect((await call(secret)).status).toBe(200)
    now += 1
    expect(await call(secret)).toMatchObject({ status: 401, body: { detail: 'This API key has expired.' } })
  })

  test('rotating gives a new secret for the same consumer; the old one works for the overlap', async () => {
    const made = await keys.create({
      account: 'acme',
      name: 'rotated',
      scopes: ['customers:read'],
      contact: 'ops@acme.example',
    })
    const next = await keys.rotate('acme', 'rotated', { overlapMs: day })
    expect(next.secret).not.toBe(made.secret)
    expect(next.key).toMatchObject({
      id: made.key.id,
      scopes: ['customers:read'],
      contact: 'ops@acme.example',
      expiresAt: null,
    })
    expect((await call(made.secret)).status).toBe(200)
    expect((await call(next.secret)).status).toBe(200)
    now += day
    expect((await call(made.secret)).status).toBe(401)
    expect((await call(next.secret)).status).toBe(200)
    const third = await keys.rotate('acme', 'rotated', { overlapMs: day })
    expect((await call(third.secret)).status).toBe(200)
    expect(await keys.revoke('acme', 'rotated')).toBe(2)
  })

  test('a key made for 90 days is rotated for 90 days', async () => {
    await keys.create({ account: 'acme', name: 'renewed', expiresAt: now + 90 * day })
    now += 10 * day
    const { key } = await keys.rotate('acme', 'renewed', { overlapMs: day })
    expect(key.expiresAt).toBe(now + 90 * day)
  })

  test('the caller of a key has its subject and its claims, frozen, and rotation keeps both', async () => {
    const claims = { member_id: '42', level: 3, teams: ['a', 'b'], org: { city: 'Ghent' } }
    const made = await keys.create({ account: 'acme', name: 'claimed', subject: 'mia', claims })
    const next = await keys.rotate('acme', 'claimed', { overlapMs: day })
    for (const secret of [made.secret, next.secret]) {
      const caller = await callerOf(secret)
      expect(caller).toMatchObject({ subject: 'mia', claims })
      expect(Object.isFrozen(caller?.claims)).toBe(true)
      expect(Object.isFrozen(caller?.claims.org)).toBe(true)
      expect(Object.isFrozen(caller?.claims.teams)).toBe(true)
    }
    const plain = await keys.create({ account: 'acme', name: 'unclaimed' })
    const caller = await callerOf(plain.secret)
    expect(caller).toMatchObject({ subject: null, claims: {} })
    expect(Object.isFrozen(caller?.claims)).toBe(true)
  })

  test('a store whose keys have no claims yet gets the columns, and an older release goes on with them', async () => {
    const { store } = api.service
    const old = await keys.create({ account: 'acme', name: 'from before' })
    for (const column of ['claims', 'subject'])
      await store.session((session) =>
        session.script(`ALTER TABLE "nounkit_api_keys" DROP COLUMN "${column}"`),
      )
    const upgraded = await testApi(shop, { databaseUrl, clock })
    try {
      expect((await call(old.secret, upgraded)).status).toBe(200)
      const hash = hashApiKey('made by an older release')
      await store.session((session) =>
        session.script(
          `INSERT INTO "nounkit_api_keys" ("id", "account_id", "name", "hash", "created_at") VALUES ('key_old', 'acme', 'by an older release', '${hash}', 1)`,
        ),
      )
      const listed = (await keys.list('acme')).find((key) => key.id === 'key_old')
      expect(listed).toMatchObject({ subject: null, claims: {} })
    } finally {
      await upgraded.close()
    }
  })

  test('a name is taken while its key is active, by account', async () => {
    await keys.create({ account: 'acme', name: 'taken' })
    await expect(keys.create({ account: 'acme', name: 'taken' })).rejects.toThrow(
      /already has a key named "taken"/,
    )
    await keys.create({ account: 'globex', name: 'taken' })
    await keys.revoke('acme', 'taken')
    await keys.create({ account: 'acme', name: 'taken' })
    await expect(keys.rotate('acme', 'no such', { overlapMs: 0 })).rejects.toThrow(/no key named "no such"/)
  })

  test('replacing ends the keys of that name and makes one', async () => {
    const before = await keys.create({ account: 'acme', name: 'demo' })
    const after = await keys.replace({ account: 'acme', name: 'demo' })
    expect((await call(before.secret)).status).toBe(401)
    expect((await call(after.secret)).status).toBe(200)
  })

  test('a list shows keys of one account or all, with what is left of those that ended', async () => {
    const listed = await keys.list('acme')
    expect(listed.every((key) => key.account === 'acme')).toBe(true)
    expect(listed.find((key) => key.name === 'leaked')?.revokedAt).toBeTypeOf('number')
    expect((await keys.list(null)).some((key) => key.account === 'globex')).toBe(true)
  })

  test('a key asked for again and again costs no statement', async () => {
    const { secret } = await keys.create({ account: 'acme', name: 'busy' })
    const { authenticator } = api.service.engine
    const request = { headers: { authorization: `Bearer ${secret}` }, address: '127.0.0.1' }
    await authenticator.authenticate(request)
    const before = api.service.store.counters.statements
    for (let i = 0; i < 50; i++) await authenticator.authenticate(request)
    // One, if a second passed in between and the key was checked again.
    expect(api.service.store.counters.statements - before).toBeLessThan(3)
  })
})
