import { setImmediate, setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { CallerTurns } from '../../src/serve/caller-turns.ts'
import { addressHolder } from '../../src/serve/fair-limit.ts'
import { changeRows } from '../../src/write/change-rows.ts'
import { newRow } from '../../src/write/new-row.ts'
import { byNobody } from '../support/by-nobody.ts'
import { whenOver } from '../support/clean-up.ts'
import { type ListeningShop, listeningShop } from '../support/listening-shop.ts'
import { openRaw } from '../support/raw-socket.ts'
import { describeWalked } from '../support/stores.ts'
import { until } from '../support/until.ts'

describe('requests that arrive faster than they are answered', () => {
  /** Each takes 10 ms of a turn of 30. */
  const crowd = (most?: number) => {
    let time = 0
    const done: string[] = []
    const turns = new CallerTurns({ mostMs: 30, now: () => time, ...(most !== undefined && { most }) })
    const ask = (who: string, address = '192.0.2.1') =>
      turns.take(
        () => who,
        () => addressHolder(address),
        () => {
          time += 10
          if (who === 'faulty') throw new Error('no answer')
          return void done.push(who)
        },
      )
    return { ask, done }
  }

  test('wait when their turn is used up, and then callers take turns, in the order in which they came', async () => {
    const { ask, done } = crowd()
    for (let n = 0; n < 8; n++) void ask('ada')
    for (const who of ['bo', 'cleo', 'bo']) void ask(who)
    expect(done).toEqual(['ada', 'ada', 'ada'])
    await setImmediate()
    expect(done.slice(3)).toEqual(['ada', 'bo', 'cleo'])
    // Whoever comes while others wait, waits behind them.
    void ask('dora')
    await setImmediate()
    expect(done.slice(6)).toEqual(['ada', 'bo', 'dora'])
    await setImmediate()
    expect(done.slice(9)).toEqual(['ada', 'ada', 'ada'])
    await setImmediate()
    expect(ask('ada')).toBeUndefined()
    expect(done).toHaveLength(13)
  })

  test('are refused where too many of one address wait, while those of others may', async () => {
    const { ask, done } = crowd(8)
    const began = [1, 2, 3].map(() => ask('ada'))
    expect(began).toEqual([undefined, undefined, undefined])
    const waiting = [1, 2, 3, 4, 5, 6].map((n) => ask(`ada ${n}`))
    expect(waiting.map((one) => one !== null)).toEqual([true, true, true, true, false, false])
    expect(ask('bo', '198.51.100.7')).toBeInstanceOf(Promise)
    await Promise.all(waiting)
    await setImmediate()
    expect(done.slice(3)).toEqual(['ada 1', 'ada 2', 'ada 3', 'ada 4', 'bo'])
  })

  test('an error in one of them is its own', async () => {
    const { ask, done } = crowd()
    const all = ['ada', 'ada', 'ada', 'faulty', 'bo'].map(async (who) => ask(who))
    const ends = await Promise.allSettled(all)
    expect(ends.map(({ status }) => status)).toEqual([...Array(3).fill('fulfilled'), 'rejected', 'fulfilled'])
    expect(done.at(-1)).toBe('bo')
  })
})

const request = (key: string, line: string, headers = ''): string =>
  `${line} HTTP/1.1\r\nHost: shop.example\r\nAuthorization: Bearer ${key}\r\n${headers}\r\n`
/** The accounts whose requests were answered, in this order. */
const accountsIn = ({ logged }: ListeningShop): readonly string[] =>
  logged.map((line) => (JSON.parse(line) as { account: string }).account)

/** A connection of another account, which is known already. */
const openGlobex = async (shop: ListeningShop): Promise<{ ask(): void }> => {
  const text = request(await shop.api.key('globex'), 'GET /v2/customers')
  const connection = await openRaw(shop.port)
  whenOver(() => connection.close())
  connection.send(text)
  await connection.until(/"next_cursor"/)
  shop.logged.length = 0
  return { ask: () => connection.send(text) }
}

describeWalked('one packet with hundreds of requests', (store) => {
  test('leaves the others their turn', async () => {
    const shop = await listeningShop({ databaseUrl: await store.url() })
    whenOver(() => shop.close())
    const { model, engine } = shop.api.service
    const customers = model.resources.get('customers')
    if (!customers) throw new Error('no customers')
    const rows = Array.from({ length: 4_000 }, (_, n) => ({
      row: newRow(customers, { name: `n${n}`, email: `e${n}@example.com` }, Date.now()),
      version: 1,
    }))
    await changeRows(engine.writer, byNobody('acme'), (changes) =>
      changes.insertMany(customers, rows, () => false),
    )

    const globex = await openGlobex(shop)
    const many = await openRaw(shop.port)
    // Every row of the account is looked at, and none is found.
    const path = '/v2/customers?filter[created_at][lt]=2000-01-01T00:00:00Z&sort=-name'
    const asked = 300
    many.send(request(shop.key, `GET ${path}`).repeat(asked))
    globex.ask()
    await until(() => shop.logged.length > asked)
    expect(accountsIn(shop).indexOf('globex')).toBeLessThan(asked - 50)
    many.close()
  })

  test('and so do bodies that end at the same moment', async () => {
    const shop = await listeningShop({ databaseUrl: await store.url() })
    whenOver(() => shop.close())
    const body = JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`x${n}`, 1])))
    const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
    const globex = await openGlobex(shop)
    const many = await Promise.all(Array.from({ length: 14 }, () => openRaw(shop.port)))
    for (const one of many) one.send(request(shop.key, 'POST /v2/customers', headers) + body.slice(0, -1))
    // All but their last bytes are read by then. Where they are not, this shows less, and holds all the same.
    await setTimeout(300)
    for (const one of many) one.send('}')
    globex.ask()
    await until(() => shop.logged.length > many.length)
    expect(accountsIn(shop).indexOf('globex')).toBeLessThan(many.length - 3)
    for (const one of many) one.close()
  })
})
