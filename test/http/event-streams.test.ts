import { setTimeout as sleep } from 'node:timers/promises'
import { api, renameResource, resource, version } from 'nounkit'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { KeyRing } from '../../src/guard/key-ring.ts'
import { lockHead } from '../../src/plan/event-reads.ts'
import { firstRow } from '../../src/store/run-statement.ts'
import { StreamReader } from '../support/event-source.ts'
import { describeServing, type Serving } from '../support/serving.ts'
import { until } from '../support/until.ts'

const notes = resource('notes', { fields: { text: z.string().max(70_000) } })
const tags = resource('tags', { fields: { word: z.string() } })
const declaration = api('diary', {
  events: { keepDays: 30 },
  limits: { streams: 3 },
  resources: [notes, tags],
  versions: [
    version('v2', { published: '2026-01-01' }),
    version('v1', { published: '2025-01-01', changes: [renameResource('memos', 'notes')] }),
  ],
})

interface Refusal {
  readonly type: string
  readonly errors?: readonly { readonly parameter?: string; readonly header?: string }[]
}

let accounts = 0
let names = 0
const newAccount = (): string => `streams-${++accounts}`

const ask = async (served: Serving, as: string, query = '', headers = {}, v = 'v2'): Promise<Response> => {
  const key = as.startsWith('nk_') ? as : await served.key(as)
  return served.api.fetch(`/${v}/events${query}`, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream', ...headers },
  })
}

const follow = async (...call: Parameters<typeof ask>): Promise<StreamReader> => {
  const response = await ask(...call)
  expect(response.status, response.status === 200 ? '' : await response.clone().text()).toBe(200)
  return new StreamReader(response).opened()
}

/** Events get no positions until `work` has ended, and streams wait for that. On SQLite they have positions at once. */
const withoutPositions = async (served: Serving, account: string, work: () => Promise<void>) => {
  const { store } = served
  if (store.dialect.commitsInOrder) return work()
  await store.transaction(async (tx) => {
    await firstRow(tx, lockHead(store.dialect, account))
    await work()
  })
}

const openStreams = async (served: Serving): Promise<number> =>
  Number(/^nounkit_event_streams (\d+)/m.exec((await served.get('/metrics', { as: null })).text)?.[1])

const textOf = (event: { readonly data: string } | undefined): string =>
  JSON.parse(event?.data ?? 'null').data.text

describeServing(
  'streams of events',
  (served) => {
    test('begin now, and send each event as the list shows it, with a cursor as its id', async () => {
      const as = newAccount()
      await served.make('/v2/notes', { text: 'before' }, { as })
      const response = await ask(served, as)
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      expect(response.headers.get('cache-control')).toBe('no-store')
      const stream = await new StreamReader(response).opened()
      expect(stream.retry).toBe(2_000)
      await served.make('/v2/notes', { text: 'one\ntwo' }, { as })
      await served.make('/v2/tags', { word: 'x' }, { as })
      const sent = await stream.take(2)
      const listed = await served.get('/v2/events', { as })
      const texts = listed.rows.slice(1).map((event) => JSON.stringify(event))
      expect(sent.map(({ data }) => data)).toEqual(texts)
      expect(sent.map(({ type }) => type)).toEqual(['notes.created', 'tags.created'])
      const after = await served.get(`/v2/events?cursor=${sent[0]?.id}`, { as })
      expect(after.rows.map((event) => JSON.stringify(event))).toEqual([texts[1]])
      await stream.cancel()
    })

    test('that were woken while they read are not late for what is committed next', async () => {
      const as = newAccount()
      const stream = await follow(served, as)
      const note = (text: string) => served.make('/v2/notes', { text }, { as })
      await note('first')
      await stream.take(1)
      const waits: number[] = []
      for (let round = 0; round < 5; round++) {
        let second: unknown
        await withoutPositions(served, as, async () => {
          // Now the stream begins to read, and does not get on.
          await note(`${round} a`)
          await sleep(50)
          second = note(`${round} b`)
          await sleep(50)
        })
        await second
        await stream.take(2)
        await note(`${round} c`)
        const answeredAt = performance.now()
        await stream.take(1)
        waits.push(performance.now() - answeredAt)
      }
      // After a read that failed, a stream waits for half a second. On a busy machine any one answer may take that long.
      expect(Math.min(...waits)).toBeLessThan(400)
      await stream.cancel()
    })

    test('resume after Last-Event-ID, which wins over the cursor of the URL', async () => {
      const as = newAccount()
      const start = (await served.get('/v2/events', { as })).page.next_cursor
      for (const text of ['a', 'b', 'c']) await served.make('/v2/notes', { text }, { as })
      const first = await follow(served, as, `?cursor=${start}`)
      const [a, b] = await first.take(3)
      expect([textOf(a), textOf(b)]).toEqual(['a', 'b'])
      await first.cancel()
      const again = await follow(served, as, `?cursor=${start}`, { 'last-event-id': b?.id })
      await served.make('/v2/notes', { text: 'd' }, { as })
      expect((await again.take(2)).map(textOf)).toEqual(['c', 'd'])
      await again.cancel()
    })

    test('a client that lost its connection before the first event resumes where it began', async () => {
      const as = newAccount()
      const first = await follow(served, as)
      await first.cancel()
      await served.make('/v2/notes', { text: 'while away' }, { as })
      const again = await follow(served, as, '', { 'last-event-id': first.lastEventId })
      expect((await again.take(1)).map(textOf)).toEqual(['while away'])
      await again.cancel()
    })

    test('speak the words of their version, and keep to filters and scopes', async () => {
      const as = newAccount()
      const key = await served.api.key(as, { scopes: ['events:read', 'notes:read'] })
      const [old, filtered] = [
        await follow(served, key, '', {}, 'v1'),
        await follow(served, as, '?filter[type]=tags.created'),
      ]
      await served.make('/v2/tags', { word: 'x' }, { as })
      await served.make('/v2/notes', { text: 'y' }, { as })
      expect((await old.take(1)).map(({ type }) => type)).toEqual(['memos.created'])
      expect((await filtered.take(1)).map(({ type }) => type)).toEqual(['tags.created'])
      await Promise.all([old.cancel(), filtered.cancel()])
    })

    test('show nothing of other accounts', async () => {
      const [one, other] = [newAccount(), newAccount()]
      const stream = await follow(served, one)
      await served.make('/v2/notes', { text: 'theirs' }, { as: other })
      await served.make('/v2/notes', { text: 'ours' }, { as: one })
      expect((await stream.take(1)).map(textOf)).toEqual(['ours'])
      await stream.cancel()
    })

    test('a reader that takes nothing for a while misses nothing, however much happens', async () => {
      const as = newAccount()
      const stream = await follow(served, as)
      const count = 30
      for (let n = 0; n < count; n++)
        await served.make('/v2/notes', { text: `${n} ${'x'.repeat(20_000)}` }, { as })
      const numbers = (await stream.take(count)).map((event) => Number.parseInt(textOf(event), 10))
      expect(numbers).toEqual(Array.from({ length: count }, (_, n) => n))
      await stream.cancel()
    })

    test('a reader that is far behind is given a little at a time, and misses nothing', async () => {
      const as = newAccount()
      const early = await follow(served, as)
      await early.cancel()
      const count = 20
      for (let n = 0; n < count; n++)
        await served.make('/v2/notes', { text: `${n} ${'x'.repeat(n % 3 === 0 ? 10 : 60_000)}` }, { as })
      const response = await ask(served, as, '', { 'last-event-id': early.lastEventId })
      let largest = 0
      const measured = response.body?.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform(chunk, controller) {
            largest = Math.max(largest, chunk.length)
            controller.enqueue(chunk)
          },
        }),
      )
      const stream = await new StreamReader(new Response(measured)).opened()
      const numbers = (await stream.take(count)).map((event) => Number.parseInt(textOf(event), 10))
      expect(numbers).toEqual(Array.from({ length: count }, (_, n) => n))
      expect(largest).toBeLessThan(200_000)
      await stream.cancel()
    })

    test('more streams than the declared limit are 429, and a closed one makes room', async () => {
      const as = newAccount()
      const key = await served.key(as)
      const open = await Promise.all([follow(served, key), follow(served, key), follow(served, key)])
      const refused = await ask(served, key)
      expect(refused.status).toBe(429)
      expect(refused.headers.get('retry-after')).toBe('5')
      expect(await refused.json()).toMatchObject({ type: '/problems/too-many-streams', limit: 3 })
      await open[0].cancel()
      await expect.poll(() => openStreams(served)).toBe(2)
      const next = await follow(served, key)
      await Promise.all([next, open[1], open[2]].map((stream) => stream.cancel()))
      await expect.poll(() => openStreams(served)).toBe(0)
    })

    test('a subject has a tenth of them, so that others are left some, and a key without a subject has all', async () => {
      const as = newAccount()
      const keyOf = (subject: string | null) => served.api.key(as, { name: `${as} ${++names}`, subject })
      const [mia, alsoMia, noa] = [await keyOf('mia'), await keyOf('mia'), await keyOf('noa')]
      // The subject "mia" is not the consumer of that name.
      const [server, other] = [await keyOf(null), await served.api.key(as, { name: 'mia' })]
      const open = [await follow(served, mia)]
      const limit = async (key: string) =>
        ((await (await ask(served, key)).json()) as { limit: number }).limit
      expect([await limit(mia), await limit(alsoMia)]).toEqual([1, 1])
      await open[0]?.cancel()
      await expect.poll(() => openStreams(served)).toBe(0)
      for (const key of [noa, server, server]) open.push(await follow(served, key))
      expect([await limit(other), await limit(mia)]).toEqual([3, 3])
      await Promise.all(open.map((stream) => stream.cancel()))
      await expect.poll(() => openStreams(served)).toBe(0)
    })

    test('a revoked key ends its stream cleanly, and no other', async () => {
      const as = newAccount()
      const secret = await served.api.key(as, { name: 'to-be-revoked' })
      const [stream, other] = [await follow(served, secret), await follow(served, as)]
      await new KeyRing(served.store).revoke(as, 'to-be-revoked')
      expect(await stream.rest()).toEqual([])
      expect(stream.isOver).toBe(true)
      await served.make('/v2/notes', { text: 'after' }, { as })
      expect((await other.take(1)).map(textOf)).toEqual(['after'])
      await other.cancel()
    })

    test('wrong calls are refused before the stream begins', async () => {
      const as = newAccount()
      const refusal = async (query: string, headers = {}): Promise<unknown> => {
        const response = await ask(served, as, query, headers)
        const { type, errors } = (await response.json()) as Refusal
        return [response.status, type, ...(errors ?? []).map((one) => one.parameter ?? one.header)]
      }
      expect(await refusal('?sort=-id')).toEqual([400, '/problems/bad-query', 'sort'])
      expect(await refusal('?limit=5')).toEqual([400, '/problems/bad-query', 'limit'])
      expect(await refusal('?cursor=nonsense')).toEqual([400, '/problems/bad-cursor', 'cursor'])
      const headers = { 'last-event-id': 'nonsense' }
      expect(await refusal('', headers)).toEqual([400, '/problems/bad-cursor', 'Last-Event-ID'])
      const books = await refusal('?filter[type]=books.created')
      expect(books).toEqual([400, '/problems/bad-query', 'filter[type]'])
      const html = await served.get('/v2/events', { as, headers: { accept: 'text/html' } })
      expect(html.problem.detail).toBe('Events are available as application/json or text/event-stream.')
      const without = await served.api.key(as, { scopes: ['notes:read'] })
      expect((await ask(served, without)).status).toBe(403)
      const notes = await served.get('/v2/notes', { as, headers: { accept: 'text/event-stream' } })
      expect(notes.refusal).toEqual([406, 'not-acceptable'])
      const both = await served.get('/v2/events', { as, headers: { accept: 'application/json, */*' } })
      expect(both.headers.get('content-type')).toBe('application/json')
    })

    test('HEAD has the headers and opens nothing', async () => {
      const as = newAccount()
      const before = await openStreams(served)
      const head = await served.call('HEAD', '/v2/events', { as, headers: { accept: 'text/event-stream' } })
      expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
      await until(async () => (await openStreams(served)) === before)
    })
  },
  { declaration },
)
