import { describe, expect, test } from 'vitest'
import { emptyDatabase, walkedStores } from '../support/databases.ts'
import { listeningShop } from '../support/listening-shop.ts'

const ceiling = 1
const clients = 40

describe.each(walkedStores)('many times the ceiling at once, on %s', (kind) => {
  test('requests over the limit are refused unread, accepted ones are completed, and afterwards the service answers as before', async () => {
    const databaseUrl = await emptyDatabase(kind)
    const shop = await listeningShop({
      databaseUrl,
      declare: (declared) => ({ ...declared, limits: { ...declared.limits, requestsInFlight: ceiling } }),
    })
    const create = async (n: number) => {
      const answer = await fetch(`${shop.server.url}/v2/customers`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${shop.key}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': `o-${n}`,
        },
        body: JSON.stringify({ name: 'Crowd', email: `crowd-${n}@overload.example` }),
      })
      await answer.arrayBuffer()
      return { status: answer.status, retryAfter: answer.headers.get('retry-after') }
    }
    const answers = (
      await Promise.all(
        Array.from({ length: clients }, async (_client, client) => {
          const mine = []
          for (let i = 0; i < 5; i++) mine.push(await create(client * 5 + i))
          return mine
        }),
      )
    ).flat()
    const accepted = answers.filter(({ status }) => status === 201)
    const turnedAway = answers.filter(({ status }) => status === 503)
    expect(accepted.length + turnedAway.length).toBe(answers.length)
    expect(accepted.length).toBeGreaterThan(0)
    expect(turnedAway.length).toBeGreaterThan(0)
    expect(turnedAway.every(({ retryAfter }) => retryAfter === '1')).toBe(true)

    const rows = await shop.api.service.store.first(
      `SELECT count(*) FROM "customers" WHERE "name" = 'Crowd'`,
      [],
    )
    expect(Number(rows?.[0])).toBe(accepted.length)
    for (let n = 0; n < 20; n++) expect((await create(10_000 + n)).status).toBe(201)
    const figures = await (await fetch(`${shop.server.url}/metrics`)).text()
    expect(figures).toContain(`nounkit_requests_turned_away_total ${turnedAway.length}\n`)
    expect(figures).toContain('nounkit_requests_in_flight 0\n')
    await shop.close()
  })
})
