import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { storeKinds } from '../support/databases.ts'
import { prepareShop, type ServerProcess } from '../support/server-process.ts'
import { type Ground, lasting, newWish, prepareGround, rowsOf, send, type Wish } from './keyed-stream.ts'
import { nightly } from './nightly.ts'
import { countOf, inStore, wrongTotals } from './stored-rows.ts'

const kills = nightly ? 100 : 2
const lanes = 8

/** Sends until the server is killed, at some moment within the next answers: first the creates that were never answered, then new ones. */
async function streamUntilKilled(server: ServerProcess, ground: Ground, wishes: Wish[]): Promise<void> {
  let left = Math.floor(Math.random() * 40)
  const kill = async (): Promise<void> => {
    await sleep(Math.random() * 4)
    await server.child.kill('SIGKILL')
  }
  const open = wishes.filter((wish) => wish.answer === null)
  const lane = async (): Promise<void> => {
    for (;;) {
      const wish = open.pop() ?? newWish(ground, wishes.length)
      if (!wishes.includes(wish)) wishes.push(wish)
      const reply = await send(server, wish).catch(() => null)
      if (!reply) return
      expect(reply.status, reply.text).toBe(201)
      wish.answer = reply
      if (left-- === 0) void kill()
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

describe.each(storeKinds)('%s', (kind) => {
  test(`after ${kills} kills under a stream of keyed creates the rows of each key are there once, and every answer replays byte for byte`, {
    timeout: nightly ? 600_000 : 180_000,
  }, async () => {
    const shop = await prepareShop(kind)
    let server = await shop.start()
    const ground = await prepareGround(server)
    const wishes: Wish[] = []
    for (let kill = 0; kill < kills; kill++) {
      await streamUntilKilled(server, ground, wishes)
      server = await shop.start()
    }
    const answered = wishes.filter((wish) => wish.answer !== null).length
    expect(answered).toBeGreaterThan(kills)

    for (const wish of wishes) {
      const retried = await send(server, wish)
      const again = await send(server, wish)
      expect(lasting(again)).toEqual(lasting(wish.answer ?? retried))
      expect(lasting(retried)).toEqual(lasting(again))
      expect(again.headers['idempotent-replayed']).toBe('true')
      if (wish.answer) expect(retried.headers['idempotent-replayed']).toBe('true')
    }
    await inStore(shop.databaseUrl, async (store) => {
      const rows = {
        customers: await countOf(store, `"customers" WHERE "email" LIKE 'wish-%'`),
        items: await countOf(store, `"order_items" WHERE "order_id" = '${ground.order}'`),
        refunds: await countOf(store, `"refunds" WHERE "payment_id" = '${ground.payment}'`),
        keys: await countOf(store, `"nounkit_idempotency" WHERE "key" LIKE 'wish-%'`),
      }
      const wished = (word: string) =>
        wishes.filter((wish) => wish.path.includes(word)).reduce((sum, wish) => sum + rowsOf(wish), 0)
      expect(rows).toEqual({
        customers: wished('customers'),
        items: wished('items'),
        refunds: wished('refunds'),
        keys: wishes.length,
      })
      expect(await wrongTotals(store)).toEqual([])
    })
  })
})
