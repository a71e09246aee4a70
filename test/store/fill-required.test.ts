import { performance } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../src/clock.ts'
import { api, makeRequired, resource, version } from '../../src/index.ts'
import { completeRequired } from '../../src/lifecycle/complete-required.ts'
import { readNames } from '../../src/migrate/record/names-record.ts'
import { webFetch } from '../../src/serve/mounted.ts'
import { openService, type Service } from '../../src/serve/service.ts'
import { metaFacts, selectAllMeta } from '../../src/store/meta.ts'
import type { Store } from '../../src/store/store.ts'
import { inTurn } from '../../src/store/turns.ts'
import { whenOver } from '../support/clean-up.ts'
import { serve } from '../support/serving.ts'
import { describeStores } from '../support/stores.ts'
import { until } from '../support/until.ts'

const nightly = process.env.NOUNKIT_NIGHTLY === '1'
const rowsOf = { sqlite: nightly ? 1_000_000 : 20_000, postgres: nightly ? 1_000_000 : 9_000 }

const never = new AbortController().signal

const title = z.string().max(20)
const older = api('library', {
  resources: [resource('books', { fields: { title, language: z.string().max(5).optional() } })],
  versions: [version('v1')],
})
const newer = api('library', {
  resources: [resource('books', { fields: { title, language: z.string().max(5) } })],
  versions: [
    version('v2'),
    version('v1', {
      changes: [makeRequired('books', 'language', { whenAbsent: 'en', why: 'all have one' })],
    }),
  ],
})

const numbers = {
  sqlite: `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rowsOf.sqlite}) SELECT i FROM n`,
  postgres: `SELECT i FROM generate_series(1, ${rowsOf.postgres}) AS n(i)`,
}
/** Every second row has a value; ten accounts. */
const insertMany = (kind: 'sqlite' | 'postgres'): string =>
  `INSERT INTO "books" ("account_id", "id", "title", "language", "created_at", "updated_at", "version") SELECT 'account-' || (i % 10), 'r' || i, 'book', CASE WHEN (i / 10) % 2 = 0 THEN 'de' END, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 7 FROM (${numbers[kind]}) AS given`

const one = async (store: Store, sql: string): Promise<number> => Number((await store.all(sql, []))[0]?.[0])
const lacking = `SELECT count(*) FROM "books" WHERE "language" IS NULL`

/** The milliseconds that a part took, and those of the rest after it. */
interface Part {
  readonly began: number
  ended: number
  rest: number
}
const isLong = ({ began, ended, rest }: Part): boolean => rest > 200 && rest > 8 * (ended - began)

describeStores('rows that lack a required value', ({ kind, url }) => {
  const rows = rowsOf[kind]
  /** A store with such rows, which the newer declaration alone serves. */
  const lackingRows = async () => {
    const databaseUrl = await url()
    const before = await serve(kind, databaseUrl, { declaration: older })
    await before.store.session((session) => session.script(insertMany(kind)))
    const { id } = await before.make('/v1/books', { title: 'mine' })
    await before.api.close()
    const now = await serve(kind, databaseUrl, { declaration: newer })
    const { store, model } = now.api.service
    const parts: Part[] = []
    /** How many rows each part has looked at, and each write has filled. */
    const looked: number[] = []
    const sizes: number[] = []
    const noted: Store = {
      ...store,
      async all(...read) {
        const began = performance.now()
        const found = await store.all(...read)
        if (!read[0].startsWith('SELECT "id", CASE')) return found
        const last = parts.at(-1)
        if (last) last.rest = began - last.ended
        parts.push({ began, ended: performance.now(), rest: 0 })
        looked.push(found.length)
        return found
      },
      async writeOne(...write) {
        const written = await store.writeOne(...write)
        const last = parts.at(-1)
        if (!write[0].startsWith('UPDATE "books"') || !last) return written
        last.ended = performance.now()
        sizes.push(written)
        return written
      },
    }
    const told: string[] = []
    const warn = (message: string): void => void told.push(message)
    const fill = (signal = never) => completeRequired({ store: noted, model, warn }, signal)
    return { databaseUrl, now, id, store, parts, looked, sizes, told, fill }
  }

  test(`are filled in parts beside other writes, and on from where it was stopped (${rows} rows)`, {
    timeout: 3_600_000,
  }, async () => {
    const { store, looked, sizes, told, fill } = await lackingRows()
    const stopping = new AbortController()
    const stopped = fill(stopping.signal)
    await until(() => looked.length > 0, { every: 1 })
    stopping.abort()
    await stopped
    const left = await one(store, lacking)
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(rows / 2)
    const marks = async () => (await store.all(selectAllMeta(metaFacts.filled), [])).length
    expect(await marks()).toBe(1)
    const began = performance.now()
    await fill()
    console.log(`${kind}: ${left} rows in ${Math.round(performance.now() - began)} ms; ${told.length} lines`)
    expect(await one(store, lacking)).toBe(0)
    expect(await marks()).toBe(0)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000)
    expect(looked.reduce((sum, count) => sum + count)).toBe(rows + 1)
    expect(await one(store, `SELECT count(*) FROM "books" WHERE "language" = 'en' AND "version" = 7`)).toBe(
      rows / 2,
    )
    expect(told.at(-1)).toMatch(/^books\.language was filled in [\d,]+ rows without a value\.$/)
    await expect(store.writeOne(`UPDATE "books" SET "language" = NULL`, [])).rejects.toThrow()
  })

  test('wait while requests are answered, though not for ever, and are filled soon afterwards', async () => {
    const { now, id, store, parts, fill } = await lackingRows()
    const filling = fill()
    const end = performance.now() + 30_000
    while (!parts.some(isLong) && performance.now() < end) {
      const body = { title: `${performance.now()}` }
      expect((await now.call('PATCH', `/v2/books/${id}`, { body })).status).toBe(200)
    }
    const before = parts.length
    expect(parts.some(isLong)).toBe(true)
    expect(await one(store, lacking)).toBeGreaterThan(0)
    await filling
    const longest = Math.max(...parts.map(({ rest }) => rest))
    expect(parts.slice(before, -1).some(({ rest }) => rest < longest / 4)).toBe(true)
    expect(await one(store, lacking)).toBe(0)
  })

  test('are filled once where ten processes start meanwhile, all of which serve', async () => {
    const { databaseUrl, now, store, parts, sizes, fill } = await lackingRows()
    const turn = (mine: Pick<Service, 'store'>, work: () => Promise<void>) =>
      inTurn(mine.store, systemClock, { name: 'required', everyMs: 60_000 }, never, work)
    const named = async () => (await readNames(store)).names.versions
    const names = await named()
    const filling = turn(now.api.service, fill)
    await until(() => parts.length > 0, { every: 1 })
    const env = { ...process.env, NOUNKIT_POOL: '3' }
    const services = await Promise.all(
      Array.from({ length: 10 }, () => openService({ declaration: newer, databaseUrl, env, beatMs: null })),
    )
    whenOver(() => Promise.all(services.map((service) => service.close())))
    const warn = (): void => {}
    const fillToo = (service: Service) => completeRequired({ ...service, warn }, never)
    await Promise.all([filling, ...services.map((service) => turn(service, () => fillToo(service)))])
    expect(sizes.reduce((sum, size) => sum + size)).toBe(rows / 2 + 1)
    expect(await one(store, lacking)).toBe(0)
    expect(await named()).toEqual(names)
    await Promise.all(services.map(({ lifecycle }) => lifecycle.beat()))
    const request = new Request('http://localhost/v2/books/r11', {
      headers: { authorization: `Bearer ${await now.key('account-1')}` },
    })
    for (const service of services) {
      expect(service.model.stored.get('books')?.field.get('language')?.mayLack).toBe(false)
      const answer = await webFetch(service, warn)(request.clone(), 'test')
      expect(await answer.json()).toMatchObject({ data: { language: 'en' } })
    }
  })
})
