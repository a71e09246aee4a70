import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { type ListeningShop, listeningShop } from '../support/listening-shop.ts'
import { parseAnswer, rawExchange } from '../support/raw-socket.ts'

describe.each(storeKinds)('names of headers, on %s', (kind) => {
  let databaseUrl: string
  let shop: ListeningShop

  beforeAll(async () => {
    databaseUrl = await emptyDatabase(kind)
    shop = await listeningShop({ databaseUrl })
  })
  afterAll(async () => {
    await shop.close()
  })

  const send = async (line: string, headers: readonly string[], body = '') => {
    const lines = [line, 'Host: shop.test', ...headers, 'Connection: close', '', body]
    return parseAnswer(await rawExchange(shop.port, lines.join('\r\n')))
  }

  test('mean the same in capitals and lower case', async () => {
    const body = JSON.stringify({ name: 'Ada', email: 'ada@example.com' })
    const post = (spell: (name: string) => string) =>
      send(
        'POST /v2/customers HTTP/1.1',
        [
          `${spell('Authorization')}: Bearer ${shop.key}`,
          `${spell('Content-Type')}: application/json`,
          `${spell('Content-Length')}: ${body.length}`,
          `${spell('Idempotency-Key')}: spelt`,
        ],
        body,
      )
    const first = await post((name) => name)
    expect(first.status, first.body).toBe(201)
    const spellings = [
      (name: string) => name.toLowerCase(),
      (name: string) => name.toUpperCase(),
      (name: string) => name.replace(/[aeiou]/g, (vowel) => vowel.toUpperCase()),
    ]
    for (const spell of spellings) {
      const again = await post(spell)
      expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([
        201,
        first.body,
        'true',
      ])
    }
  })

  test('of objects are names like any other', async () => {
    const odd = ['__proto__: x', 'constructor: y', 'constructor: z', 'toString: w', 'hasOwnProperty: v']
    const answer = await send('GET /v2/customers HTTP/1.1', [...odd, `Authorization: Bearer ${shop.key}`])
    expect(answer.status, answer.body).toBe(200)
    expect((await send('GET /v2/customers HTTP/1.1', odd)).status).toBe(401)
  })

  test('sent twice are one value, joined: two keys are none', async () => {
    const twice = [`Authorization: Bearer ${shop.key}`, `authorization: Bearer ${shop.key}`]
    expect((await send('GET /v2/customers HTTP/1.1', twice)).status).toBe(401)
    expect((await send('GET /v2/customers HTTP/1.1', ['host: other.test', ...twice])).status).toBe(400)
    const accept = ['Accept: text/html', 'accept: application/json', `Authorization: Bearer ${shop.key}`]
    expect((await send('GET /v2/customers HTTP/1.1', accept)).status).toBe(200)
  })
})
