import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { custom } from '../../src/declare/change.ts'
import { readOnly } from '../../src/declare/field.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { sweepKeys } from '../../src/write/keys/sweep-keys.ts'
import { storeForms } from '../support/databases.ts'
import { describeServing, type Serving, serve } from '../support/serving.ts'
import { unique } from '../support/shop-rows.ts'
import { describeStores } from '../support/stores.ts'
import { until } from '../support/until.ts'

const notes = resource('notes', {
  fields: {
    text: z.string().max(50),
    size: z.enum(['s', 'm']).default('m'),
    key: readOnly(z.string().max(100).optional()),
  },
  filter: ['text'],
  problems: { no: { status: 409, title: 'No' } },
  hooks: {
    beforeCreate: (note, { caller, reject }) => {
      if (note.text.startsWith('an hour')) now += hour
      if (note.text === 'refused') reject({ code: 'no', detail: `${caller.idempotencyKey}` })
      return { key: caller.idempotencyKey }
    },
  },
})
const secrets = resource('secrets', {
  fields: { text: z.string().max(50) },
  filter: ['text'],
  idempotencyKey: { mode: 'optional', body: 'reread' },
})
const declaration = api('kept', { resources: [notes, secrets] })

const post = (served: Serving, path: string, body: object, key: string, as = 'acme') =>
  served.call('POST', path, { body, headers: { 'Idempotency-Key': key }, as })
const stored = async (served: Serving) =>
  (await served.store.all('SELECT "key", "body" FROM "nounkit_idempotency" ORDER BY "key"', [])).map(
    ([key, body]) => [key, body],
  )

const hour = 3_600_000
const start = Date.UTC(2026, 6, 1)

let now = start
const clock = { now: () => now }

describeServing(
  'the retention of an Idempotency-Key',
  (served) => {
    test('a key replays one second before 24 h, and creates a new row one second after, without a sweeper', async () => {
      for (const path of ['/v1/notes', '/v1/secrets']) {
        const [text, key] = [unique(), unique()]
        const first = await post(served, path, { text }, key)
        now += 24 * hour - 1_000
        expect((await post(served, path, { text }, key)).data.id).toBe(first.data.id)
        const other = await post(served, path, { text: 'other' }, key)
        expect(other.refusal).toEqual([422, 'idempotency-key-reused'])
        now += 2_000
        const anew = await post(served, path, { text: `${text} again` }, key)
        expect([anew.status, anew.headers.get('idempotent-replayed')]).toEqual([201, null])
        expect(anew.data.id).not.toBe(first.data.id)
        now += 24 * hour - 1_000
        expect((await post(served, path, { text: `${text} again` }, key)).text).toBe(anew.text)
      }
    })

    test('it counts from when the first has ended, not from when it began', async () => {
      const [text, key] = [`an hour ${unique()}`, unique()]
      const first = await post(served, '/v1/notes', { text }, key)
      now += 24 * hour - 1_000
      expect((await post(served, '/v1/notes', { text }, key)).text).toBe(first.text)
      now += 2_000
      const anew = await post(served, '/v1/notes', { text }, key)
      expect([anew.status, anew.headers.get('idempotent-replayed')]).toEqual([201, null])
    })

    test('of many at once with an expired key one creates', async () => {
      const [text, key] = [unique(), unique()]
      await post(served, '/v1/secrets', { text }, key)
      now += 25 * hour
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => post(served, '/v1/secrets', { text }, key)),
      )
      expect(new Set(answers.map(({ data }) => data.id)).size).toBe(1)
      expect((await served.get(`/v1/secrets?filter[text]=${text}`)).rows).toHaveLength(2)
    })

    test('the sweeper deletes what has expired, in batches, and nothing else', async () => {
      await Promise.all(
        Array.from({ length: 230 }, (_, at) => post(served, '/v1/secrets', { text: 'old' }, `old-${at}`)),
      )
      now += 12 * hour
      const young = await post(served, '/v1/notes', { text: 'young' }, 'young')
      now += 12 * hour
      await sweepKeys(served.store, clock, new AbortController().signal)
      expect((await stored(served)).map(([key]) => key)).toEqual(['young'])
      expect((await post(served, '/v1/notes', { text: 'young' }, 'young')).text).toBe(young.text)
      now += 12 * hour
      await sweepKeys(served.store, clock, new AbortController().signal)
      expect(await stored(served)).toEqual([])
    })

    test('an answer stored without its body shows the row as it is now, and says so', async () => {
      const [text, key] = [unique(), unique()]
      const first = await post(served, '/v1/secrets', { text }, key)
      expect(await stored(served)).toEqual([[key, null]])
      const path = first.headers.get('location') ?? ''
      await served.call('PATCH', path, { body: { text: 'changed' } })
      const replay = await post(served, '/v1/secrets', { text }, key)
      expect([replay.status, replay.data.text, replay.rowVersion]).toEqual([201, 'changed', 2])
      expect(replay.headers.get('location')).toBe(path)
      expect(replay.headers.get('idempotent-replayed')).toBe('true')
      expect(replay.headers.get('idempotent-replayed-body')).toBe('current')
      await served.call('DELETE', path)
      expect((await post(served, '/v1/secrets', { text }, key)).refusal).toEqual([404, 'not-found'])
      expect((await served.get(`/v1/secrets?filter[text]=${text}`)).rows).toEqual([])
    })

    test('the key that hooks pass on is stable over retries, tells nothing of the key, and differs by key, account and body', async () => {
      const key = unique()
      const refused = await post(served, '/v1/notes', { text: 'refused' }, key)
      const again = await post(served, '/v1/notes', { text: 'refused' }, key)
      expect(refused.status).toBe(409)
      expect(again.problem.detail).toBe(refused.problem.detail)
      const derived = async (text: string, by: string, as = 'acme') =>
        (await post(served, '/v1/notes', { text }, by, as)).data.key
      const keys = [
        refused.problem.detail,
        await derived('a', unique()),
        await derived('b', key),
        await derived('b', key, 'globex'),
      ]
      expect(new Set(keys).size).toBe(4)
      for (const one of keys) expect(String(one)).not.toContain(key)
      expect((await served.make('/v1/notes', { text: 'keyless' })).key).toBeNull()
    })
  },
  { declaration, clock },
  storeForms,
)

describeStores('stored answers', (store) => {
  test('that have expired are deleted while the service runs', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const served = await serve(store.kind, await store.url(), { declaration, clock })
      await post(served, '/v1/secrets', { text: 'old' }, unique())
      now += 25 * hour
      vi.advanceTimersByTime(60_000)
      await until(async () => (await stored(served)).length === 0)
      await served.api.close()
    } finally {
      vi.useRealTimers()
    }
  })

  test('are replayed after a deploy that changed a default, a hook and the schema', async () => {
    const url = await store.url()
    const before = await serve(store.kind, url, { declaration })
    const [text, key] = ['longer than ten characters', unique()]
    const first = await post(before, '/v1/notes', { text }, key)
    await before.api.close()
    const changed = resource('notes', {
      fields: {
        text: z.string().max(10),
        size: z.enum(['s', 'm']).default('s'),
        key: readOnly(z.string().max(100).optional()),
      },
      filter: ['text'],
      hooks: { beforeCreate: () => ({ key: 'other code' }) },
    })
    const after = await serve(store.kind, url, {
      declaration: api('kept', { resources: [changed, secrets] }),
    })
    const replay = await post(after, '/v1/notes', { text }, key)
    expect([replay.status, replay.text]).toEqual([201, first.text])
    const fresh = await post(after, '/v1/notes', { text: 'short' }, unique())
    expect(fresh.data).toMatchObject({ size: 's', key: 'other code' })
    expect((await post(after, '/v1/notes', { text }, unique())).status).toBe(422)
  })

  test('of a version whose rows pass through code are replayed as they were shown', async () => {
    const people = resource('people', {
      nameIsPluralBecause: 'an irregular plural',
      fields: { first: z.string().max(20), last: z.string().max(20) },
    })
    const v1 = version('v1', {
      changes: [
        custom('people', {
          samples: [{ older: { name: 'Ada Byron' }, newer: { first: 'Ada', last: 'Byron' } }],
          replaces: ['first', 'last'],
          fields: { name: z.string().max(50) },
          down: ({ first, last }) => ({ name: `${first} ${last}` }),
          up: ({ name }) => {
            const [first = '', last = ''] = String(name).split(' ')
            return { first, last }
          },
        }),
      ],
    })
    const served = await serve(store.kind, await store.url(), {
      declaration: api('people', { resources: [people], versions: [version('v2'), v1] }),
    })
    const key = unique()
    const first = await post(served, '/v1/people', { name: 'Ada Lovelace' }, key)
    expect([first.status, first.data.name]).toEqual([201, 'Ada Lovelace'])
    const replay = await post(served, '/v1/people', { name: 'Ada Lovelace' }, key)
    expect([replay.status, replay.text]).toEqual([201, first.text])
    expect(replay.headers.get('idempotent-replayed')).toBe('true')
  })
})

describeServing(
  'a rate limit',
  (served) => {
    test('under a key leaves it free: the retry runs', async () => {
      const key = unique()
      const attempt = () => post(served, '/v1/notes', { text: 'x' }, key)
      await until(async () => (await served.get('/v1/notes')).status === 429, { every: 1 })
      const limited = await attempt()
      expect(limited.status).toBe(429)
      const last = await until(async () => {
        const answer = await attempt()
        return answer.status === 429 ? null : answer
      })
      expect([last.status, last.headers.get('idempotent-replayed')]).toEqual([201, null])
    })
  },
  { declaration, rate: '1' },
)
