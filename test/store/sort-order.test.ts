import { expect, test } from 'vitest'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { describeStores } from '../support/stores.ts'
import { booksModel } from './books.ts'

const titles = [
  '',
  ' ',
  'A',
  'B',
  'Z',
  '_',
  'a',
  'a\u0301',
  'b',
  'z',
  'ß',
  'á',
  'é',
  'Ω',
  'я',
  'ﬁ',
  '日本',
  '\uE000',
  '\uFFFD',
  '😀',
  '𝒜',
  'I',
  'ı',
  'İ',
  'i',
]

/** JavaScript's own order is by UTF-16 unit: 😀 would come before \uFFFD. */
const byCodePoint = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
const sorted = [...titles].sort(byCodePoint)

describeStores('texts sort and compare by code point', ({ open }) => {
  test('in every language’s letters, whatever the database was made for', async () => {
    const store = await open()
    await migrateStore(store, booksModel({ sort: ['title'], unique: ['title'] }))
    const p = (n: number) => store.dialect.param(n, 'string')
    const time = store.dialect.param(3, 'datetime')
    await store.writeOne(
      `INSERT INTO "authors" ("account_id", "id", "name", "created_at", "updated_at") VALUES ('a', 'w', 'x', ${store.dialect.param(1, 'datetime')}, ${store.dialect.param(1, 'datetime')})`,
      ['2026-01-01T00:00:00.000Z'],
    )
    const insert = `INSERT INTO "books" ("account_id", "id", "title", "genre", "author_id", "created_at", "updated_at") VALUES ('a', ${p(1)}, ${p(2)}, 'novel', 'w', ${time}, ${time})`
    await Promise.all(
      titles.map((title, at) => store.writeOne(insert, [`b${at}`, title, '2026-01-01T00:00:00.000Z'])),
    )
    const ascending = await store.all(
      `SELECT "title" FROM "books" WHERE "account_id" = 'a' ORDER BY "title"`,
      [],
    )
    expect(ascending.flat()).toEqual(sorted)
    const descending = await store.all(`SELECT "title" FROM "books" ORDER BY "title" DESC`, [])
    expect(descending.flat()).toEqual([...sorted].reverse())
    for (const bound of ['a', 'ß', '\uFFFD']) {
      const above = await store.all(`SELECT "title" FROM "books" WHERE "title" > ${p(1)} ORDER BY "title"`, [
        bound,
      ])
      expect(above.flat()).toEqual(sorted.filter((title) => byCodePoint(title, bound) > 0))
    }
  })
})
