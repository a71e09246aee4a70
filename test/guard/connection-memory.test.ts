import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KeyRing } from '../../src/guard/key-ring.ts'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { type ListeningShop, listeningShop } from '../support/listening-shop.ts'
import { openRaw, parseAnswer, type RawAnswer, type RawConnection } from '../support/raw-socket.ts'

describe.each(storeKinds)('keys on one connection, on %s', (kind) => {
  let now = Date.parse('2026-07-01T12:00:00Z')
  let databaseUrl: string
  let shop: ListeningShop
  let keys: KeyRing
  let connection: RawConnection
  let seen = 0

  beforeAll(async () => {
    databaseUrl = await emptyDatabase(kind)
    const clock = { now: () => now }
    shop = await listeningShop({ databaseUrl, clock })
    keys = new KeyRing(shop.api.service.store, clock)
    connection = await openRaw(shop.port)
  })
  afterAll(async () => {
    connection.close()
    await shop.close()
  })

  /** The next answer on the one connection. Every answer has a length, so its end is known. */
  const call = async (authorization: string | null): Promise<RawAnswer> => {
    const line = authorization === null ? '' : `Authorization: ${authorization}\r\n`
    connection.send(`GET /v2/customers HTTP/1.1\r\nHost: shop.test\r\n${line}\r\n`)
    for (;;) {
      const answer = parseAnswer(connection.received.slice(seen))
      const length = Number(answer.headers.get('content-length') ?? Number.NaN)
      if (Buffer.byteLength(answer.body, 'latin1') === length) {
        seen = connection.received.length
        return answer
      }
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
  const namesIn = ({ body }: RawAnswer): string[] =>
    (JSON.parse(body) as { data: { name: string }[] }).data.map(({ name }) => name)

  const customerOf = async (account: string): Promise<string> => {
    const { secret } = await keys.create({ account, name: 'connected' })
    const answer = await shop.api.fetch('/v2/customers', {
      method: 'POST',
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: `of ${account}`, email: `${account}@example.com` }),
    })
    expect(answer.status).toBe(201)
    return secret
  }

  test('each call is judged by the key it brings, whatever came before it', async () => {
    const first = await customerOf('first')
    const second = await customerOf('second')
    const wrong = `${first.slice(0, -1)}${first.endsWith('0') ? '1' : '0'}`
    for (let round = 0; round < 3; round++) {
      for (let again = 0; again < 3; again++)
        expect(namesIn(await call(`Bearer ${first}`))).toEqual(['of first'])
      expect((await call(`Bearer ${wrong}`)).status).toBe(401)
      expect((await call(null)).status).toBe(401)
      expect((await call(`Bearer ${first} `)).status).toBe(200)
      expect((await call(`Bearer ${first}x`)).status).toBe(401)
      expect(namesIn(await call(`Bearer ${second}`))).toEqual(['of second'])
    }
  })

  test('a key that was revoked ends on a connection that never rests', async () => {
    const { secret } = await keys.create({ account: 'third', name: 'leaked' })
    expect((await call(`Bearer ${secret}`)).status).toBe(200)
    await keys.revoke('third', 'leaked')
    const revokedAt = performance.now()
    for (;;) {
      const { status } = await call(`Bearer ${secret}`)
      if (status === 401) break
      expect(performance.now() - revokedAt).toBeLessThan(60_000)
    }
    expect((await call(`Bearer ${secret}`)).status).toBe(401)
  })

  test('a key that expires ends on its connection with the millisecond', async () => {
    const { secret } = await keys.create({ account: 'fourth', name: 'short', expiresAt: now + 1_000 })
    expect((await call(`Bearer ${secret}`)).status).toBe(200)
    expect((await call(`Bearer ${secret}`)).status).toBe(200)
    now += 999
    expect((await call(`Bearer ${secret}`)).status).toBe(200)
    now += 1
    expect((await call(`Bearer ${secret}`)).status).toBe(401)
  })
})
