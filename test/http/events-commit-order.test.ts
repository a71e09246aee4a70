import { setImmediate } from 'node:timers/promises'
import { api, belongsTo, hasMany, resource, sum } from 'nounkit'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { writeEvents } from '../../src/write/event-rows.ts'
import { historyOfNew } from '../../src/write/row-history.ts'
import { emptyDatabase } from '../support/databases.ts'
import { type Serving, serve } from '../support/serving.ts'
import { setClock } from '../support/set-clock.ts'
import { describeStores } from '../support/stores.ts'

/** Creates that wait in their hook until the test lets them go on, by their text. */
const gates = new Map<string, PromiseWithResolvers<void>>()

const declaration = api('desk', {
  events: { keepDays: 30 },
  resources: [
    resource('notes', {
      fields: { text: z.string() },
      hooks: { afterCreate: ({ text }) => gates.get(text)?.promise },
    }),
    resource('plain', { nameIsPluralBecause: 'It is short.', fields: { text: z.string() } }),
  ],
})

const permutations = (items: readonly number[]): number[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((one) =>
        permutations(items.filter((other) => other !== one)).map((rest) => [one, ...rest]),
      )

/** A transaction that has written an event, and is open until it is told to end. */
interface Held {
  end(how: 'commit' | 'undo'): Promise<void>
}

async function hold(served: Serving, account: string, text: string): Promise<Held> {
  const { writer, model } = served.api.service.engine
  const notes = model.resources.get('plain')
  if (!notes) throw new Error('There is no resource')
  const written = Promise.withResolvers<void>()
  const end = Promise.withResolvers<'commit' | 'undo'>()
  const undone = new Error('undone')
  const time = new Date().toISOString()
  const row = { id: crypto.randomUUID(), text, created_at: time, updated_at: time }
  const ended = writer.store
    .transaction(async (tx) => {
      await writeEvents(writer, tx, account, [historyOfNew(writer, notes, row)])
      written.resolve()
      if ((await end.promise) === 'undo') throw undone
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error
    })
  await written.promise
  return {
    end(how) {
      end.resolve(how)
      return ended
    },
  }
}

/** Follows the cursor of an account. */
function follow(served: Serving, as: string) {
  let cursor: string | null = null
  const seen: string[] = []
  return {
    seen,
    async read() {
      const query: string = cursor ? `?cursor=${cursor}` : ''
      const { rows, page } = await served.get(`/v1/events${query}`, { as })
      cursor = page.next_cursor
      const texts = rows.map(({ data }) => String((data as { text: string }).text))
      seen.push(...texts)
      return texts
    },
  }
}

describe('on PostgreSQL, transactions of one account that hold written events open', () => {
  test('commit in every order, and a reader that follows sees each event at once and exactly once', async () => {
    const served = await serve('postgres', await emptyDatabase('postgres'), { declaration })
    const texts = ['a', 'b', 'c', 'd']
    for (const order of permutations([0, 1, 2, 3])) {
      const account = `order-${order.join('')}`
      const reader = follow(served, account)
      await reader.read()
      const held: Held[] = []
      for (const text of texts) held.push(await hold(served, account, text))
      expect(await reader.read()).toEqual([])
      for (const at of order) {
        await held[at]?.end('commit')
        expect(await reader.read(), `order ${order}`).toEqual([texts[at]])
      }
      expect(await reader.read()).toEqual([])
    }
  })

  test('leave no trace when they are undone, and hold up no other event', async () => {
    const served = await serve('postgres', await emptyDatabase('postgres'), { declaration })
    const reader = follow(served, 'acme')
    const [first, second] = [await hold(served, 'acme', 'first'), await hold(served, 'acme', 'second')]
    await served.make('/v1/plain', { text: 'other' })
    expect(await reader.read()).toEqual(['other'])
    await second.end('commit')
    expect(await reader.read()).toEqual(['second'])
    await first.end('undo')
    await served.make('/v1/plain', { text: 'last' })
    expect(await reader.read()).toEqual(['last'])
  })

  test('or wait in a hook, do not hold up others, and are told when they commit', async () => {
    const served = await serve('postgres', await emptyDatabase('postgres'), { declaration })
    const reader = follow(served, 'acme')
    gates.set('slow', Promise.withResolvers<void>())
    const slow = served.make('/v1/notes', { text: 'slow' })
    await served.make('/v1/plain', { text: 'quick' })
    expect(await reader.read()).toEqual(['quick'])
    gates.get('slow')?.resolve()
    await slow
    expect(await reader.read()).toEqual(['slow'])
  })
})

describeStores('two services whose events of many accounts are read at the same time', (store) => {
  test('tell each event once, and in one order', async () => {
    const url = await store.url()
    const served = [
      await serve(store.kind, url, { declaration }),
      await serve(store.kind, url, { declaration }),
    ] as const
    const accounts = Array.from({ length: 12 }, (_, at) => `account-${at}`)
    const texts = Array.from({ length: 10 }, (_, at) => `text-${at}`)
    let running = true
    const writing = Promise.all(
      accounts.flatMap((as) =>
        texts.map((text, at) => served[at % 2 === 0 ? 0 : 1].make('/v1/plain', { text }, { as })),
      ),
    ).finally(() => {
      running = false
    })
    const readers = accounts.map((as) => served.map((one) => follow(one, as)))
    for (let last = false; !last; ) {
      await setImmediate()
      last = !running
      await Promise.all(readers.flat().map((reader) => reader.read()))
    }
    await writing
    for (const [first, second] of readers) {
      expect(first?.seen.toSorted()).toEqual(texts)
      expect(second?.seen).toEqual(first?.seen)
    }
  })

  test('have positions for all that were committed, however many, before the newest is told', async () => {
    const served = await serve(store.kind, await store.url(), { declaration })
    const { writer, model } = served.api.service.engine
    const resource = model.resources.get('plain')
    if (!resource) throw new Error('There is no resource')
    const count = 2_500
    const time = new Date().toISOString()
    const changes = Array.from({ length: count }, (_, at) => {
      const after = { id: crypto.randomUUID(), text: String(at), created_at: time, updated_at: time }
      return historyOfNew(writer, resource, after)
    })
    await writer.store.transaction((tx) => writeEvents(writer, tx, 'acme', changes))
    const { rows } = await served.get('/v1/events?sort=-id&limit=1')
    expect(rows.map(({ data }) => (data as { text: string }).text)).toEqual([String(count - 1)])
  })
})

const depot = api('depot', {
  events: { keepDays: 30 },
  resources: [
    resource('carts', {
      fields: { weight: sum('parcels', 'grams') },
      relations: { parcels: hasMany('parcels') },
    }),
    resource('parcels', { fields: { grams: z.int() }, relations: { cart: belongsTo('carts') } }),
  ],
})

describeStores('two services that change one row at the same time', (store) => {
  test('have its events in the order of their commits, each once, while a reader follows', async () => {
    const url = await store.url()
    const served = [
      await serve(store.kind, url, { declaration: depot }),
      await serve(store.kind, url, { declaration: depot }),
    ] as const
    const cart = await served[0].make('/v1/carts', {})
    const count = 40
    let running = true
    const writing = Promise.all(
      Array.from({ length: count }, (_, at) =>
        served[at % 2 === 0 ? 0 : 1].make('/v1/parcels', { cart_id: cart.id, grams: 1 }),
      ),
    ).finally(() => {
      running = false
    })
    const ids: string[] = []
    const weights: unknown[] = []
    let cursor = ''
    for (let last = false; !last; ) {
      // SQLite answers without waiting, so that the loop would leave no time for the writes.
      await setImmediate()
      last = !running
      const { rows, page } = await served[1].get(`/v1/events?limit=7${cursor}`)
      cursor = `&cursor=${page.next_cursor}`
      last &&= !page.has_more
      ids.push(...rows.map(({ id }) => id))
      for (const { type, data } of rows)
        if (type === 'carts.updated') weights.push((data as { weight: number }).weight)
    }
    await writing
    expect(weights).toEqual(Array.from({ length: count }, (_, at) => at + 1))
    expect(new Set(ids).size).toBe(1 + 2 * count)
    expect(ids).toHaveLength(1 + 2 * count)
  })
})

describe('on a cluster, where every node numbers events for itself', () => {
  test('events of a row have the order in which they happened, and are noticed', async () => {
    const clock = setClock('2026-03-01T00:00:00Z')
    const url = await emptyDatabase('postgres as on Citus')
    const served = await serve('postgres', url, { declaration, clock })
    const { store } = served
    const { id } = await served.make('/v1/plain', { text: 'first' })
    // As if the create had been written through the last of a hundred nodes.
    await store.writeOne(`UPDATE "nounkit_event_inbox" SET "number" = "number" + ${100n * 2n ** 48n}`, [])
    const { log } = served.api.service.engine.events
    const mark = (await log.marks(['acme'])).get('acme')?.text
    expect(mark).toMatch(/^ \d{17}$/)
    clock.pass(1)
    await served.call('PATCH', `/v1/plain/${id}`, { body: { text: 'second' } })
    const { rows } = await served.get('/v1/events')
    expect(rows.map(({ type }) => type)).toEqual(['plain.created', 'plain.updated'])
    expect((await log.marks(['acme'])).get('acme')?.text).not.toBe(mark)
  })
})
