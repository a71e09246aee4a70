import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { resource } from '../../src/declare/resource.ts'
import { storeForms } from '../support/databases.ts'
import { type Answer, describeServing, type Serving, serve } from '../support/serving.ts'
import { unique } from '../support/shop-rows.ts'
import { describeStores } from '../support/stores.ts'
import { until } from '../support/until.ts'

/** Creates of `slow` jobs wait at a gate inside their transaction; those of `doomed` ones fail behind it. */
let gate = Promise.withResolvers<void>()
let entered = 0
const closeGate = () => {
  gate = Promise.withResolvers<void>()
  entered = 0
}

const jobs = resource('jobs', {
  fields: { name: z.string().max(20) },
  filter: ['name'],
  problems: { doomed: { status: 409, title: 'Doomed' } },
  hooks: {
    async beforeCreate(job, { reject }) {
      if (!job.name.startsWith('slow') && !job.name.startsWith('doomed')) return
      const first = entered++ === 0
      await gate.promise
      if (job.name.startsWith('doomed') && first) reject({ code: 'doomed', detail: 'No.' })
    },
  },
})
const notes = resource('notes', { fields: { text: z.string().max(50) }, filter: ['text'] })
const declaration = api('jobs', { resources: [jobs, notes] })

const post = (served: Serving, path: string, body: object, key: string, as = 'acme') =>
  served.call('POST', path, { body, headers: { 'Idempotency-Key': key }, as })
const many = (count: number, make: () => Promise<Answer>) => Promise.all(Array.from({ length: count }, make))
const replays = (answers: readonly Answer[]) =>
  answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length

/** No other request gets a key until the transaction ends; SQLite has one lock for all writes. */
const whileKeysAreLocked = <T>(served: Serving, work: () => Promise<T>): Promise<T> =>
  served.store.transaction(async (tx) => {
    if (served.kind === 'postgres') await tx.first('LOCK TABLE "nounkit_idempotency" IN EXCLUSIVE MODE', [])
    return work()
  })

describeServing(
  'concurrent creates with one key',
  (served) => {
    test.each([
      ['/v1/notes', 'text'],
      ['/v1/jobs', 'name'],
    ])('fifty at once at %s make one row; the others replay', async (path, field) => {
      const [value, key] = [unique(), unique()]
      const answers = await many(50, () => post(served, path, { [field]: value }, key))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
      expect(replays(answers)).toBe(49)
      expect((await served.get(`${path}?filter[${field}]=${value}`)).rows).toHaveLength(1)
    })

    test('fifty at once with five keys make five rows', async () => {
      const keys = Array.from({ length: 5 }, unique)
      const text = unique()
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, at) => post(served, '/v1/notes', { text }, keys[at % 5] ?? '')),
      )
      expect(replays(answers)).toBe(45)
      expect((await served.get(`/v1/notes?filter[text]=${text}`)).rows).toHaveLength(5)
    })

    test('another body while the first is running is 422 at once, and writes nothing', async () => {
      closeGate()
      const key = unique()
      const first = post(served, '/v1/jobs', { name: 'slow a' }, key)
      await until(() => entered === 1)
      const other = await post(served, '/v1/jobs', { name: 'slow b' }, key)
      expect(other.refusal).toEqual([422, 'idempotency-key-reused'])
      gate.resolve()
      expect((await first).status).toBe(201)
      expect((await served.get('/v1/jobs?filter[name]=slow%20b')).rows).toEqual([])
    })

    test('a kept answer is replayed while a create with another body is under way', async () => {
      const [text, key] = [unique(), unique()]
      const made = await post(served, '/v1/notes', { text }, key)
      const [again, other] = await whileKeysAreLocked(served, async () => {
        const late = post(served, '/v1/notes', { text: 'other' }, key)
        await until(() => served.api.service.engine.writer.inFlight.find('acme', key) !== null)
        return [await post(served, '/v1/notes', { text }, key), late] as const
      })
      expect([again.status, again.text]).toEqual([201, made.text])
      expect(replays([again])).toBe(1)
      expect((await other).refusal).toEqual([422, 'idempotency-key-reused'])
    })

    test('one that waits for its key does not refuse another body, which may be that of the first', async () => {
      const [text, key] = [unique(), unique()]
      const [loser, winner] = await whileKeysAreLocked(served, async () => {
        const waits = post(served, '/v1/notes', { text }, key)
        await until(() => served.api.service.engine.writer.inFlight.find('acme', key) !== null)
        const second = post(served, '/v1/notes', { text: 'other' }, key)
        const soon = await Promise.race([second.then(() => 'refused'), sleep(100, 'waits')])
        expect(soon).toBe('waits')
        return [second, waits] as const
      })
      expect((await winner).status).toBe(201)
      expect((await loser).refusal).toEqual([422, 'idempotency-key-reused'])
    })

    test('two accounts with one key do not wait for each other’s outcome: two rows', async () => {
      const [text, key] = [unique(), unique()]
      const [mine, theirs] = await Promise.all([
        post(served, '/v1/notes', { text }, key),
        post(served, '/v1/notes', { text }, key, 'globex'),
      ])
      expect([mine.status, theirs.status]).toEqual([201, 201])
      expect(mine.data.id).not.toBe(theirs.data.id)
      expect(replays([mine, theirs])).toBe(0)
    })

    test('when the first request fails one of the waiting requests runs, and the others replay its answer', async () => {
      closeGate()
      const key = unique()
      const pending = many(10, () => post(served, '/v1/jobs', { name: 'doomed' }, key))
      await until(() => entered === 1)
      gate.resolve()
      const answers = await pending
      const failed = answers.filter(({ status }) => status === 409)
      expect(failed.map(({ refusal }) => refusal[1])).toEqual(['doomed'])
      const made = answers.filter(({ status }) => status === 201)
      expect(new Set(made.map(({ text }) => text)).size).toBe(1)
      expect(replays(made)).toBe(8)
      expect((await served.get('/v1/jobs?filter[name]=doomed')).rows).toHaveLength(1)
    })

    test('200 requests that wait for one key delay no other request', async () => {
      closeGate()
      // On a busy machine the others may take longer than requests wait for a key.
      const { writer } = served.api.service.engine
      Object.assign(writer, { keyWaitMs: 60_000 })
      const key = unique()
      const name = `slow ${unique()}`.slice(0, 20)
      const first = post(served, '/v1/jobs', { name }, key)
      await until(() => entered === 1)
      const waiting = many(200, () => post(served, '/v1/jobs', { name }, key))
      const reads = await many(20, () => served.get('/v1/notes?limit=1'))
      expect(reads.every(({ status }) => status === 200)).toBe(true)
      if (served.kind === 'postgres') {
        const writes = await many(5, () => post(served, '/v1/notes', { text: 'meanwhile' }, unique()))
        expect(writes.every(({ status }) => status === 201)).toBe(true)
      }
      await until(() => served.store.counters.busyConnections <= 1)
      gate.resolve()
      const answers = await waiting
      Object.assign(writer, { keyWaitMs: 5_000 })
      expect(new Set(answers.map(({ text }) => text))).toEqual(new Set([(await first).text]))
      expect(replays(answers)).toBe(200)
    })

    test('a request that waits too long gets 409 with Retry-After, and its retry replays once the first is done', async () => {
      closeGate()
      const { writer } = served.api.service.engine
      Object.assign(writer, { keyWaitMs: 50 })
      const key = unique()
      const first = post(served, '/v1/jobs', { name: 'slow c' }, key)
      await until(() => entered === 1)
      const late = await post(served, '/v1/jobs', { name: 'slow c' }, key)
      Object.assign(writer, { keyWaitMs: 5_000 })
      expect(late.refusal).toEqual([409, 'idempotency-in-progress'])
      expect(late.headers.get('retry-after')).toBe('1')
      gate.resolve()
      const { text } = await first
      expect((await post(served, '/v1/jobs', { name: 'slow c' }, key)).text).toBe(text)
    })
  },
  { declaration },
  storeForms,
)

describeStores(
  'two servers on one store',
  (store) => {
    test('many creates with one key over both make one row; the rest replay', async () => {
      const url = await store.url()
      const servers = [
        await serve(store.kind, url, { declaration }),
        await serve(store.kind, url, { declaration }),
      ] as const
      for (const [path, field] of [
        ['/v1/notes', 'text'],
        ['/v1/jobs', 'name'],
      ] as const) {
        const [value, key] = [unique(), unique()]
        const answers = await Promise.all(
          servers.flatMap((server) =>
            Array.from({ length: 10 }, () => post(server, path, { [field]: value }, key)),
          ),
        )
        expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201))
        expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
        expect(replays(answers)).toBe(19)
        const other = await post(servers[1], path, { [field]: 'other' }, key)
        expect(other.refusal).toEqual([422, 'idempotency-key-reused'])
        expect((await servers[0].get(`${path}?filter[${field}]=${value}`)).rows).toHaveLength(1)
      }
    })
  },
  storeForms,
)
