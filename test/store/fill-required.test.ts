import { performance } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { api, makeRequired, resource, version } from '../../src/index.ts'
import { completeRequired } from '../../src/lifecycle/complete-required.ts'
import type { Store } from '../../src/store/store.ts'
import { serve } from '../support/serving.ts'
import { describeStores } from '../support/stores.ts'

const rows = process.env.NOUNKIT_NIGHTLY === '1' ? 1_000_000 : 5_000

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
  sqlite: `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) SELECT i FROM n`,
  postgres: `SELECT i FROM generate_series(1, ${rows}) AS n(i)`,
}
/** Every second row has a value; ten accounts. */
const insertMany = (kind: 'sqlite' | 'postgres'): string =>
  `INSERT INTO "books" ("account_id", "id", "title", "language", "created_at", "updated_at", "version") SELECT 'account-' || (i % 10), 'r' || i, 'book', CASE WHEN (i / 10) % 2 = 0 THEN 'de' END, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 7 FROM (${numbers[kind]}) AS given`

const one = async (store: Store, sql: string): Promise<number> => Number((await store.all(sql, []))[0]?.[0])
const lacking = `SELECT count(*) FROM "books" WHERE "language" IS NULL`

describeStores('rows that lack a required value', ({ kind, url }) => {
  test(`are filled in parts beside other writes, after a kill too (${rows} rows)`, {
    timeout: 3_600_000,
  }, async () => {
    const databaseUrl = await url()
    const before = await serve(kind, databaseUrl, { declaration: older })
    const { store: first } = before
    await first.session((session) => session.script(insertMany(kind)))
    const mine = await before.make('/v1/books', { title: 'mine' })
    await before.api.close()
    const now = await serve(kind, databaseUrl, { declaration: newer })
    const { store, model } = now.api.service
    const sizes: number[] = []
    const noted: Store = {
      ...store,
      async writeOne(...write) {
        const written = await store.writeOne(...write)
        if (write[0].startsWith('UPDATE "books"')) sizes.push(written)
        return written
      },
    }
    const told: string[] = []
    const parts = { store: noted, model, warn: (message: string) => void told.push(message) }
    // Killed after some parts.
    const killed = new AbortController()
    const stopping: Store = {
      ...noted,
      async writeOne(...write) {
        if (sizes.length === 2) killed.abort()
        return noted.writeOne(...write)
      },
    }
    await completeRequired({ ...parts, store: stopping }, killed.signal)
    const left = await one(store, lacking)
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(rows / 2)
    const waits: number[] = []
    let isOver = false
    const others = (async () => {
      while (!isOver) {
        const from = performance.now()
        expect(
          (await now.call('PATCH', `/v2/books/${mine.id}`, { body: { title: `${waits.length}` } })).status,
        ).toBe(200)
        waits.push(performance.now() - from)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    })()
    const began = performance.now()
    await completeRequired(parts, new AbortController().signal)
    const took = performance.now() - began
    isOver = true
    await others
    expect(await one(store, lacking)).toBe(0)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000)
    expect(await one(store, `SELECT count(*) FROM "books" WHERE "language" = 'en' AND "version" = 7`)).toBe(
      rows / 2,
    )
    expect(told.at(-1)).toMatch(/^books\.language was filled in [\d,]+ rows without a value\.$/)
    await expect(store.writeOne(`UPDATE "books" SET "language" = NULL`, [])).rejects.toThrow()
    const sorted = waits.sort((a, b) => a - b)
    console.log(
      `${kind}: ${left} rows in ${Math.round(took)} ms; ${waits.length} writes beside it, the longest ${Math.round(sorted.at(-1) ?? 0)} ms, the middle one ${Math.round(sorted[sorted.length >> 1] ?? 0)} ms; ${told.length} lines`,
    )
  })
})
