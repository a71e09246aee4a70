import { describe, expect, test } from 'vitest'
import { storeKinds } from '../support/databases.ts'
import { prepareShop, type Reply } from '../support/server-process.ts'
import { type Ground, lasting, newWish, prepareGround, send, type Wish } from './keyed-stream.ts'
import { countOf, inStore, wrongTotals } from './stored-rows.ts'

const requests = 50
const tableOf = (ground: Ground) => ({
  customers: `"customers" WHERE "email" LIKE 'wish-%'`,
  items: `"order_items" WHERE "order_id" = '${ground.order}'`,
  refunds: `"refunds" WHERE "payment_id" = '${ground.payment}'`,
})

const refusal = ({ status, text }: Reply): string => `${status} ${JSON.parse(text).type}`

describe.each(storeKinds)('%s', (kind) => {
  test(`${requests} requests with one key over two processes make one row; the others replay it or are told to wait, and another body is refused`, async () => {
    const shop = await prepareShop(kind)
    const servers = await Promise.all([shop.start(), shop.start()])
    const [first, second] = servers
    const ground = await prepareGround(first)
    const everywhere = (wishes: readonly Wish[]): Promise<Reply[]> =>
      Promise.all(
        Array.from({ length: requests }, (_, index) =>
          send(index % 2 ? first : second, wishes[index % wishes.length] as Wish),
        ),
      )
    const rowsOf = (table: keyof ReturnType<typeof tableOf>) =>
      inStore(shop.databaseUrl, (store) => countOf(store, tableOf(ground)[table]))

    for (const [number, table] of (['customers', 'items', 'refunds'] as const).entries()) {
      const wish = newWish(ground, number)
      const replies = await everywhere([wish])
      const made = replies.filter((reply) => reply.status === 201)
      const [created] = made.filter((reply) => reply.headers['idempotent-replayed'] !== 'true')
      expect(new Set(made.map((reply) => JSON.stringify(lasting(reply)))).size).toBe(1)
      expect(made.filter((reply) => reply.headers['idempotent-replayed'] !== 'true')).toEqual([created])
      for (const reply of replies) {
        if (reply.status !== 201) expect(refusal(reply)).toBe('409 /problems/idempotency-in-progress')
      }
      expect(await rowsOf(table)).toBe(1)

      const other = { ...wish, body: { ...wish.body, ...newWish(ground, number + 4).body } }
      for (const server of servers) {
        expect(refusal(await send(server, other))).toBe('422 /problems/idempotency-key-reused')
      }
      expect(await rowsOf(table)).toBe(1)
    }
  })

  test('two bodies race for one key: one of them makes one row, and the other is refused from then on', async () => {
    const shop = await prepareShop(kind)
    const [first, second] = await Promise.all([shop.start(), shop.start()])
    const ground = await prepareGround(first)
    for (const number of [0, 1, 2]) {
      const wish = newWish(ground, number)
      const other = { ...newWish(ground, number + 4), key: wish.key }
      const replies = await Promise.all(
        Array.from({ length: requests }, async (_, index) => {
          const body = index % 3 === 0 ? other : wish
          return { body, reply: await send(index % 2 ? first : second, body) }
        }),
      )
      const made = replies.filter(({ reply }) => reply.status === 201)
      const winner = made[0]?.body ?? wish
      expect(made.every(({ body }) => body === winner)).toBe(true)
      expect(new Set(made.map(({ reply }) => JSON.stringify(lasting(reply)))).size).toBe(1)
      for (const { reply } of replies.filter((one) => !made.includes(one))) {
        expect(['422 /problems/idempotency-key-reused', '409 /problems/idempotency-in-progress']).toContain(
          refusal(reply),
        )
      }
      for (const server of [first, second]) {
        expect((await send(server, winner)).headers['idempotent-replayed']).toBe('true')
        expect((await send(server, winner === wish ? other : wish)).status).toBe(422)
      }
    }
    await inStore(shop.databaseUrl, async (store) => {
      for (const table of Object.values(tableOf(ground))) expect(await countOf(store, table)).toBe(1)
      expect(await wrongTotals(store)).toEqual([])
    })
  })
})
