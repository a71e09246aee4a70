import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { client, isProblem } from '../../src/client/nounkit-client.ts'
import { storeKinds } from '../support/databases.ts'
import { type Fault, startFaultyProxy } from '../support/faulty-proxy.ts'
import { prepareApi } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import desk from './desk/api.ts'
import { nightly } from './nightly.ts'

const kills = nightly ? 40 : 2
const workers = 6

/** One in three requests fails in some way. */
const anyFault = (): Fault => {
  const faults: Fault[] = ['drop', 'cut', 'half', 'twice', { delay: Math.random() * 300 }]
  return Math.random() < 1 / 3 ? (faults[Math.floor(Math.random() * faults.length)] as Fault) : 'pass'
}

/** A proxy that repeats a delete gives the answer to the second one. */
const unlessGone = (error: unknown): void => {
  if (!isProblem(error, 'not-found')) throw error
}

// What a killed server leaves in PostgreSQL, crash/idempotency and crash/events show.
describe.each(nightly ? storeKinds : (['sqlite'] as const))('%s', (kind) => {
  test(`${kills} kills of the server, behind a proxy that drops, cuts, delays and repeats: the client makes exactly the rows it meant to, and follows every event once`, {
    timeout: nightly ? 900_000 : 180_000,
  }, async () => {
    const prepared = await prepareApi(kind, desk, 'test/crash/desk')
    let server = await prepared.start()
    const proxy = await startFaultyProxy(server.url)
    proxy.plan = anyFault
    // As patient as it takes: a call that gave up would not say whether its row is there.
    const patience = { retries: 1_000, deadline: 170_000 }
    const api = client<typeof desk>({ url: proxy.url, key: prepared.key, ...patience })

    const from = (await api.events.list({ limit: 1 })).page.next_cursor ?? ''
    const controller = new AbortController()
    const followed: string[] = []
    const following = (async () => {
      for await (const { id } of api.events.follow({ from, signal: controller.signal })) followed.push(id)
    })()

    let isOver = false
    const meant: string[] = []
    const working = Array.from({ length: workers }, async (_, worker) => {
      for (let number = 0; !isOver; number++) {
        const code = `${worker}-${number}`
        const order = await api.orders.create({ code, note: 'meant' })
        const items = api.orders.at(order).items
        const quantities = [1 + number, 2 + number]
        await Promise.all(quantities.map((quantity) => items.create({ quantity, price: 1 })))
        if (number % 5 !== 4) meant.push(`${code}: ${quantities}`)
        else await api.orders.delete(order.id).catch(unlessGone)
      }
    })
    for (let kill = 0; kill < kills; kill++) {
      await sleep(300 + Math.random() * 500)
      await server.child.kill('SIGKILL')
      await sleep(Math.random() * 200)
      server = await prepared.start()
      proxy.target = server.url
    }
    await until(() => meant.length > workers * 2, { what: 'some orders' })
    isOver = true
    await Promise.all(working)
    proxy.next()

    const made: string[] = []
    for await (const order of api.orders.list({ limit: 100 })) {
      if (order.note !== 'meant') continue
      const { data } = await api.orders.at(order).items.list()
      made.push(`${order.code}: ${data.map(({ quantity }) => quantity).toSorted((a, b) => a - b)}`)
    }
    expect(made.toSorted()).toEqual(meant.toSorted())

    const told: string[] = []
    let cursor = from
    for (let more = true; more; ) {
      const { data, page } = await api.events.list({ limit: 100, ...(cursor && { cursor }) })
      told.push(...data.map(({ id }) => id))
      ;[cursor, more] = [page.next_cursor ?? '', page.has_more]
    }
    await until(() => followed.length >= told.length, { what: 'a follower at the end' })
    controller.abort()
    await following
    expect(followed).toEqual(told)
    const sent = proxy.seen.filter(
      ({ method, url }) => method === 'POST' && /orders$|items$/.test(url),
    ).length
    if (nightly)
      console.log(
        `${kind}: ${kills} kills, ${made.length} orders left, ${sent} creates sent, ${told.length} events`,
      )
    expect(sent).toBeGreaterThan(meant.length * 3)
  })
})
