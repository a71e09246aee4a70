import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { whenThere } from '../../src/maybe.ts'
import { type Answer, describeServing, type Row, type Serving, serve } from '../support/serving.ts'
import { describeStores, storeUnderTest } from '../support/stores.ts'

const people = resource('people', {
  fields: {
    biography: z.string(),
    facts: z.array(z.string()).optional(),
    title: z.string().max(9).optional(),
  },
  relations: { notes: hasMany('notes', { by: 'person', cap: 50 }) },
  sort: ['title'],
  include: ['notes', 'notes.author'],
})
const notes = resource('notes', {
  fields: { text: z.string() },
  relations: { person: belongsTo('people'), author: belongsTo('people') },
  include: ['person', 'author'],
})
const journal = (responseBytes?: number) =>
  api('journal', {
    resources: [people, notes],
    rate: { perSecond: 100_000 },
    limits: responseBytes === undefined ? {} : { responseBytes },
  })

/** The characters that the store gave for a call: a text that was never built is not among them. */
const charactersRead = async ({ store }: Serving, work: () => Promise<unknown>): Promise<number> => {
  const [first, all] = [store.first.bind(store), store.all.bind(store)]
  let characters = 0
  const count = <T>(answer: T): T => {
    characters += JSON.stringify(answer ?? null).length
    return answer
  }
  store.first = (...call) => whenThere(first(...call), count)
  store.all = (...call) => whenThere(all(...call), count)
  try {
    await work()
  } finally {
    store.first = first
    store.all = all
  }
  return characters
}

describeServing(
  'texts that an include repeats',
  (served) => {
    let writers: Row[]

    beforeAll(async () => {
      const author = await served.make('/v1/people', { biography: 'x'.repeat(900_000) })
      writers = []
      for (let index = 0; index < 16; index++) {
        const person = await served.make('/v1/people', { biography: 'short' })
        writers.push(person)
        const note = { text: 'n', person_id: person.id, author_id: author.id }
        for (let at = 0; at < 50; at++) await served.make('/v1/notes', note)
      }
    })

    test.each([8, 16, 100])('are refused before anything is built, with limit=%i', async (limit) => {
      let answer: Answer | undefined
      const path = `/v1/people?include=notes.author&sort=-id&limit=${limit}`
      const characters = await charactersRead(served, async () => {
        answer = await served.get(path)
      })
      expect(answer?.refusal).toEqual([422, 'response-too-large'])
      expect(answer?.problem).toMatchObject({ limit: 8_000_000, include: 'notes.author' })
      expect(answer?.problem.detail).toBe(
        `The answer would have more than 8000000 bytes, and most of them come from notes.author. Ask for fewer rows than limit=${limit}, or leave notes.author out of include.`,
      )
      expect(characters).toBeLessThan(1_000)
      expect(await served.counted(() => served.get(path))).toBe(1)
    })

    test('are refused for one row too, and shown where the include is left out', async () => {
      const path = `/v1/people/${writers[0]?.id}`
      let answer: Answer | undefined
      const characters = await charactersRead(served, async () => {
        answer = await served.get(`${path}?include=notes.author`)
      })
      expect(answer?.refusal).toEqual([422, 'response-too-large'])
      expect(answer?.problem.detail).toContain('Leave notes.author out of include.')
      expect(characters).toBeLessThan(1_000)
      const { status, data } = await served.get(`${path}?include=notes`)
      expect(status).toBe(200)
      expect(data.notes).toMatchObject({ page: { has_more: false } })
    })

    test('are refused in a sub-collection', async () => {
      const path = `/v1/people/${writers[0]?.id}/notes?include=author&limit=50`
      expect((await served.get(path)).refusal).toEqual([422, 'response-too-large'])
      expect((await served.get(`${path.slice(0, -2)}5`)).status).toBe(200)
      const nobody = path.replace(String(writers[0]?.id), '01980000-0000-7000-8000-000000000042')
      expect((await served.get(nobody)).refusal).toEqual([404, 'not-found'])
    })

    test('do not count where another account has them', async () => {
      const answer = await served.get('/v1/people?include=notes.author', { as: 'globex' })
      expect([answer.status, answer.rows]).toEqual([200, []])
    })
  },
  { declaration: journal() },
)

const bound = 60_000

describeStores('an answer of random rows', (store) => {
  /** Characters of one to four bytes, and such as JSON escapes with six. */
  const alphabet = ['a', 'é', '語', '😀', '"', '\n', '\u0001']
  let seed = 7
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  const text = (most: number): string => (alphabet[random(alphabet.length)] ?? '').repeat(1 + random(most))

  const fill = async (served: Serving, as: string, most: number): Promise<string> => {
    const made: Row[] = []
    for (let at = 0; at < 8; at++) {
      const facts = random(2) ? { facts: [text(most)] } : {}
      const person = { biography: text(most), title: text(9).slice(0, 8), ...facts }
      made.push(await served.make('/v1/people', person, { as }))
    }
    for (let at = 0; at < 24; at++) {
      const note = { text: text(most), person_id: made[random(3)]?.id, author_id: made[random(8)]?.id }
      await served.make('/v1/notes', note, { as })
    }
    return `/v1/people/${made[0]?.id}`
  }

  const asked = (one: string): readonly string[] => [
    ...['include=', 'include=notes', 'include=notes.author'].flatMap((include) =>
      ['sort=-title', 'limit=3', 'limit=7&sort=title', 'limit=50'].map((more) =>
        `/v1/people?${include}&${more}`.replace('include=&', ''),
      ),
    ),
    one,
    `${one}?include=notes.author`,
    `${one}/notes?include=author,person`,
  ]

  test('is shown where it has at most the bytes of the limit, and else refused', async () => {
    const url = await store.url()
    const narrow = await serve(store.kind, url, { declaration: journal(bound) })
    // The same rows, with the highest limit.
    const wide = await serve(store.kind, url, { declaration: journal(67_108_864) })
    const counts = { 200: 0, 422: 0 }
    for (const [round, most] of [3_000, 40, 700, 6_000, 250, 1_500].entries()) {
      const as = `round${round}`
      for (const path of asked(await fill(wide, as, most))) {
        const [answer, full] = [await narrow.get(path, { as }), await wide.get(path, { as })]
        expect(full.status, path).toBe(200)
        const bytes = Buffer.byteLength(full.text)
        const wanted = bytes <= bound ? 200 : 422
        expect([path, bytes, answer.status]).toEqual([path, bytes, wanted])
        if (wanted === 200) expect(answer.json).toEqual(full.json)
        else expect(answer.refusal).toEqual([422, 'response-too-large'])
        counts[wanted]++
      }
    }
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(10)
  })
})

const letters = resource('letters', { fields: { text: z.string() } })
const post = (responseBytes?: number) =>
  api('post', {
    resources: [letters],
    events: { keepDays: 30 },
    limits: responseBytes === undefined ? {} : { responseBytes },
  })

describeServing(
  'a page of events',
  (served) => {
    beforeAll(async () => {
      for (let at = 0; at < 30; at++) await served.make('/v1/letters', { text: `${at} `.repeat(3_000) })
    })

    test.each(['id', '-id'])(
      'is shorter where its bytes would pass the limit, sorted by %s',
      async (sort) => {
        const seen: unknown[] = []
        let pages = 0
        for (let cursor = ''; ; pages++) {
          let answer: Answer | undefined
          const characters = await charactersRead(served, async () => {
            answer = await served.get(`/v1/events?limit=100&sort=${sort}${cursor}`)
          })
          if (!answer) throw new Error('there is no answer')
          expect(answer.status, answer.text.slice(0, 200)).toBe(200)
          expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(bound)
          // What is read is not much more than what is shown, however many events there are.
          expect(characters).toBeLessThan(2 * bound)
          seen.push(...answer.rows.map(({ data }) => (data as Row).text))
          if (!answer.page.has_more) break
          cursor = `&cursor=${answer.page.next_cursor}`
        }
        expect(pages).toBeGreaterThan(3)
        const texts = Array.from({ length: 30 }, (_, at) => `${at} `.repeat(3_000))
        expect(seen).toEqual(sort === 'id' ? texts : texts.reverse())
      },
    )

    test('is never too large for one event: the longest row that can be written is shown', async () => {
      const as = 'globex'
      const create = (length: number) =>
        served.call('POST', '/v1/letters', { body: { text: 'x'.repeat(length) }, as })
      const around = JSON.stringify((await create(1)).data).length - 1
      const longest = bound - 1_000 - around
      expect((await create(longest + 1)).faults).toEqual(['#'])
      const { status, data } = await create(longest)
      expect(status).toBe(201)
      expect((await served.get(`/v1/letters/${data.id}`, { as })).status).toBe(200)
      expect((await served.get('/v1/letters?limit=1&sort=-id', { as })).status).toBe(200)
      const { rows } = await served.get('/v1/events?limit=1&sort=-id', { as })
      expect(rows[0]).toMatchObject({ data: { id: data.id } })
    })

    test('has as many bytes for webhooks as are kept in memory at a time', async () => {
      const wide = await serve(served.kind, await storeUnderTest(served.kind).url(), { declaration: post() })
      for (let at = 0; at < 12; at++)
        await wide.make('/v1/letters', { text: String(at % 10).repeat(900_000) })
      const { log } = wide.api.service.engine.events
      const first = await log.after('acme', 0, 200)
      const rest = await log.after('acme', first.events.at(-1)?.position ?? 0, 200)
      expect([first.isCut, rest.isCut]).toEqual([true, false])
      expect(first.events.length).toBeLessThan(12)
      expect(first.events.length + rest.events.length).toBe(12)
    })

    test('is refused where one event alone is too large, because the limit was lower later', async () => {
      const url = await storeUnderTest(served.kind).url()
      const wide = await serve(served.kind, url, { declaration: post() })
      const { id } = await wide.make('/v1/letters', { text: 'x'.repeat(bound) })
      const narrow = await serve(served.kind, url, { declaration: post(bound) })
      const long = await narrow.get('/v1/events')
      expect(long.refusal).toEqual([422, 'response-too-large'])
      expect(long.problem.detail).toContain('An event alone has more than 60000 bytes')
      const alone = await narrow.get(`/v1/letters/${id}`)
      expect(alone.refusal).toEqual([422, 'response-too-large'])
      expect(alone.problem.detail).toContain('The row alone is too large')
    })
  },
  { declaration: post(bound) },
)

describeServing(
  'a row that no answer could show',
  (served) => {
    const long = 'x'.repeat(50_000)

    test.each(['PATCH', 'PUT'])('is not written by a %s, and the row stays as it was', async (method) => {
      const person = await served.make('/v1/people', { biography: long })
      const path = `/v1/people/${person.id}`
      const answer = await served.call(method, path, { body: { biography: long, facts: [long] } })
      expect(answer.refusal).toEqual([422, 'validation-failed'])
      expect(answer.problem.detail).toContain('would be a row of more than 59000 bytes')
      expect((await served.get(path)).data).toEqual(person)
      const shorter = await served.call(method, path, { body: { biography: 'x', facts: [long] } })
      expect(shorter.status).toBe(200)
    })

    test('is not created, and its Idempotency-Key stays free', async () => {
      const headers = { 'Idempotency-Key': 'long' }
      const body = { biography: long, facts: [long] }
      const answer = await served.call('POST', '/v1/people', { body, headers, as: 'globex' })
      expect(answer.refusal).toEqual([422, 'validation-failed'])
      expect((await served.get('/v1/people', { as: 'globex' })).rows).toEqual([])
      await served.make('/v1/people', { biography: long }, { headers, as: 'globex' })
    })
  },
  { declaration: journal(bound) },
)
