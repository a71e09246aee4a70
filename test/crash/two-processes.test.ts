import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { storeKinds } from '../support/databases.ts'
import { type PreparedApi, prepareShop, type Reply, type ServerProcess } from '../support/server-process.ts'
import { type Ground, lasting, newWish, prepareGround, rowsOf, send, type Wish } from './keyed-stream.ts'
import { nightly } from './nightly.ts'
import { countOf, inStore, wrongTotals } from './stored-rows.ts'

const seconds = nightly ? 60 : 3
const lanes = 6

/** Servers that can be called at the moment; one of them is killed and restarted, as behind a load balancer. */
interface Servers {
  readonly steady: ServerProcess
  mortal: ServerProcess
}

interface Load {
  readonly wishes: Wish[]
  /** Creates without a key: by number, whether they were acknowledged. */
  readonly plain: Map<number, boolean>
  over: boolean
}

async function killEverySecond(shop: PreparedApi, servers: Servers, load: Load): Promise<void> {
  const end = performance.now() + seconds * 1_000
  let startedAt = performance.now()
  while (performance.now() < end) {
    // However long it took to start, it serves for a while before it goes again.
    await sleep(Math.max(200, startedAt + 1_000 - performance.now()))
    startedAt = performance.now()
    await servers.mortal.child.kill('SIGKILL')
    servers.mortal = await shop.start()
  }
  load.over = true
}

/** An answer from any running server; the one that is never killed must always answer. */
async function insist(servers: Servers, wish: Wish): Promise<Reply> {
  for (let tries = 0; ; tries++) {
    const server = tries % 2 === 0 ? servers.mortal : servers.steady
    const reply = await send(server, wish).catch((error: unknown) => {
      if (server === servers.steady) throw error
      return null
    })
    if (reply && reply.status !== 409) return reply
  }
}

async function lane(servers: Servers, ground: Ground, load: Load): Promise<void> {
  for (let turn = 0; !load.over; turn++) {
    const wish = newWish(ground, load.wishes.length)
    load.wishes.push(wish)
    const reply = await insist(servers, wish)
    expect(reply.status, reply.text).toBe(201)
    wish.answer = reply
    await createPlain(turn % 2 === 0 ? servers.steady : servers.mortal, load)
  }
}

async function createPlain(server: ServerProcess, { plain }: Load): Promise<void> {
  const number = plain.size
  plain.set(number, false)
  const body = { name: 'Bo', email: `plain-${number}@crash.example` }
  const reply = await server.call('POST', '/v2/customers', { body }).catch(() => null)
  if (reply) expect(reply.status, reply.text).toBe(201)
  plain.set(number, Boolean(reply))
}

describe.each(storeKinds)('%s', (kind) => {
  test(`two processes under load, one of them killed and restarted every second for ${seconds} s: nothing acknowledged is lost, nothing is there twice`, {
    timeout: (seconds + 180) * 1_000,
  }, async () => {
    const shop = await prepareShop(kind)
    const [steady, mortal] = await Promise.all([shop.start(), shop.start()])
    const servers: Servers = { steady, mortal }
    const ground = await prepareGround(steady)
    const load: Load = { wishes: [], plain: new Map(), over: false }
    await Promise.all([
      killEverySecond(shop, servers, load),
      ...Array.from({ length: lanes }, () => lane(servers, ground, load)),
    ])
    const { wishes, plain } = load
    for (const wish of wishes.filter((_, index) => index % 10 === 0)) {
      expect(lasting(await send(steady, wish))).toEqual(lasting(wish.answer as Reply))
    }
    await inStore(shop.databaseUrl, async (store) => {
      const wished = (word: string) =>
        wishes.filter((wish) => wish.path.includes(word)).reduce((sum, wish) => sum + rowsOf(wish), 0)
      expect(await countOf(store, `"customers" WHERE "email" LIKE 'wish-%'`)).toBe(wished('customers'))
      expect(await countOf(store, `"order_items" WHERE "order_id" = '${ground.order}'`)).toBe(wished('items'))
      expect(await countOf(store, `"refunds" WHERE "payment_id" = '${ground.payment}'`)).toBe(
        wished('refunds'),
      )
      const rows = await store.all(`SELECT "email" FROM "customers" WHERE "email" LIKE 'plain-%'`, [])
      const stored = new Set(rows.map(([email]) => Number(/\d+/.exec(String(email))?.[0])))
      const lost = [...plain].filter(([number, acknowledged]) => acknowledged && !stored.has(number))
      expect(lost).toEqual([])
      expect(await wrongTotals(store)).toEqual([])
    })
    expect(wishes.length).toBeGreaterThan(seconds)
  })
})
