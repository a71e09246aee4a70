import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { storeKinds } from '../support/databases.ts'
import { dataOf, prepareShop, type ServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import { type Items, type ItemWriter, itemWriter } from './item-writer.ts'
import { nightly } from './nightly.ts'
import { inStore, settled, wrongTotals } from './stored-rows.ts'

const killsOf = nightly ? { sqlite: 50, postgres: 50 } : { sqlite: 2, postgres: 2 }
const writersAtOnce = 6

async function newWriters(server: ServerProcess): Promise<readonly ItemWriter[]> {
  const first = async (path: string) =>
    JSON.parse((await server.call('GET', `${path}?limit=1`)).text).data[0].id
  const customer = await first('/v2/customers')
  const product = await first('/v2/products')
  const orders = Array.from({ length: writersAtOnce }, async () => {
    const body = { customer_id: customer, currency: 'EUR' }
    return dataOf(await server.call('POST', '/v2/orders', { body })).id
  })
  return (await Promise.all(orders)).map((order) => itemWriter(order, product))
}

/** Kills the server some milliseconds after it has acknowledged two more writes, however slow the machine is. */
async function killAmid(server: ServerProcess, acknowledged: () => number): Promise<void> {
  const before = acknowledged()
  await until(() => acknowledged() >= before + 2, { every: 1 })
  await sleep(Math.random() * 200)
  await server.child.kill('SIGKILL')
}

describe.each(storeKinds)('%s', (kind) => {
  const kills = killsOf[kind]
  test(`${kills} kills amid creates, lists of creates, changes and deletes lose nothing that was acknowledged, and totals stay right`, {
    timeout: nightly ? 600_000 : 180_000,
  }, async () => {
    const shop = await prepareShop(kind)
    let server = await shop.start()
    const writers = await newWriters(server)
    const acknowledged = (): number => writers.reduce((sum, writer) => sum + writer.acknowledged, 0)
    for (let kill = 0; kill < kills; kill++) {
      if (kill > 0) server = await shop.start()
      await Promise.all([
        killAmid(server, acknowledged),
        ...writers.map((writer) => writer.writeUntilGone(server)),
      ])
      await settled(shop.databaseUrl)
      await inStore(shop.databaseUrl, async (store) => {
        expect(await wrongTotals(store)).toEqual([])
        for (const writer of writers) {
          const rows = await store.all(
            `SELECT "id", "quantity" FROM "order_items" WHERE "order_id" = '${writer.order}'`,
            [],
          )
          const items: Items = new Map(rows.map(([id, quantity]) => [String(id), Number(quantity)]))
          expect(writer.allows(items), `${[...items]} after ${[...writer.sure]}`).toBe(true)
          writer.settle(items)
        }
      })
    }
    expect(acknowledged()).toBeGreaterThan(kills)
  })
})
