import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { dataOf, prepareShop, type Reply, type ServerProcess } from '../support/server-process.ts'
import { lasting } from './keyed-stream.ts'
import { nightly } from './nightly.ts'
import { countOf, inStore } from './stored-rows.ts'

const seconds = nightly ? 60 : 4
const lanes = 48

/** Each key is sent several times, by several lanes at once. */
interface Crowd {
  next: number
  readonly answers: Map<number, Reply[]>
  over: boolean
}

/** An order has no unique values: only its Idempotency-Key prevents a second row. */
const send = (server: ServerProcess, customer: string, number: number): Promise<Reply> =>
  server.call('POST', '/v2/orders', {
    body: { customer_id: customer, currency: 'EUR', note: `crowd-${number}` },
    idempotencyKey: `crowd-${number}`,
  })

test(`SQLite: a crowd of keyed creates, at a server killed every second for ${seconds} s and now and then at another: each key is one row and one answer`, {
  timeout: (seconds + 180) * 1_000,
}, async () => {
  const shop = await prepareShop('sqlite')
  const servers = { mortal: await shop.start(), other: await shop.start() }
  const buyer = { name: 'Bo', email: 'crowd@crash.example' }
  const customer = dataOf(await servers.other.call('POST', '/v2/customers', { body: buyer })).id
  const crowd: Crowd = { next: 0, answers: new Map(), over: false }
  const lane = async (at: number): Promise<void> => {
    while (!crowd.over) {
      const number = Math.floor(crowd.next++ / 3)
      // For seconds on end one writes alone; then both do.
      const both = Math.floor(performance.now() / 2_500) % 2 === 0
      const server = both && at % 4 === 0 ? servers.other : servers.mortal
      const reply = await send(server, customer, number).catch(() => null)
      if (!reply) await sleep(20)
      else crowd.answers.set(number, [...(crowd.answers.get(number) ?? []), reply])
    }
  }
  const killer = async (): Promise<void> => {
    const end = performance.now() + seconds * 1_000
    while (performance.now() < end) {
      await sleep(1_000)
      await servers.mortal.child.kill('SIGKILL')
      servers.mortal = await shop.start()
    }
    crowd.over = true
  }
  await Promise.all([killer(), ...Array.from({ length: lanes }, (_, at) => lane(at))])

  const statuses = new Set([...crowd.answers.values()].flat().map(({ status }) => status))
  expect([...statuses].filter((status) => ![201, 409, 503].includes(status))).toEqual([])
  const made = [...crowd.answers].map(
    ([number, all]) => [number, all.filter(({ status }) => status === 201)] as const,
  )
  for (const [, all] of made)
    expect(new Set(all.map((reply) => JSON.stringify(lasting(reply)))).size).toBeLessThanOrEqual(1)
  const acknowledged = made.filter(([, all]) => all.length > 0)
  expect(acknowledged.length).toBeGreaterThan(seconds)
  for (const [number, [first]] of acknowledged.filter((_, index) => index % 20 === 0))
    expect(lasting(await send(servers.other, customer, number))).toEqual(lasting(first as Reply))
  await inStore(shop.databaseUrl, async (store) => {
    const rows = await countOf(store, `"orders" WHERE "note" LIKE 'crowd-%'`)
    expect(rows).toBeGreaterThanOrEqual(acknowledged.length)
    expect(await countOf(store, `"nounkit_idempotency" WHERE "key" LIKE 'crowd-%'`)).toBe(rows)
    const [distinct] =
      (await store.first(`SELECT count(DISTINCT "note") FROM "orders" WHERE "note" LIKE 'crowd-%'`, [])) ?? []
    expect(distinct).toBe(rows)
  })
})
