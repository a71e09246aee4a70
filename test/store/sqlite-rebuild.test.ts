import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { temporaryFolder } from '../support/databases.ts'
import { openForTest } from '../support/stores.ts'
import { type BooksOptions, booksModel } from './books.ts'

/** A library with a writer and two books, one of them without a number of pages; its connection heeds foreign keys. */
async function library(): Promise<{ readonly file: string; readonly database: DatabaseSync }> {
  const file = join(temporaryFolder(), 'library.db')
  const store = await openForTest(`sqlite:${file}`)
  await migrateStore(store, booksModel({ fields: { pages: z.int().optional() } }))
  await store.close()
  const database = new DatabaseSync(file)
  const times = `'2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'`
  database.exec(
    `INSERT INTO "authors" ("account_id", "id", "name", "created_at", "updated_at") VALUES ('a', 'w1', 'Ada', ${times})`,
  )
  for (const [id, pages] of [
    ['b1', '120'],
    ['b2', 'NULL'],
  ])
    database.exec(
      `INSERT INTO "books" ("account_id", "id", "title", "genre", "author_id", "pages", "created_at", "updated_at") VALUES ('a', '${id}', 'One', 'novel', 'w1', ${pages}, ${times})`,
    )
  return { file, database }
}

async function expectFits(file: string, options: BooksOptions): Promise<void> {
  const store = await openForTest(`sqlite:${file}`)
  expect((await migrateStore(store, booksModel(options), { dryRun: true })).steps).toEqual([])
  await store.close()
}

const rows = (database: DatabaseSync, sql: string) => database.prepare(sql).all().map(Object.values)

test('a copy that fails leaves all rows where they were', async () => {
  const { file, database } = await library()
  const store = await openForTest(`sqlite:${file}`)
  const model = booksModel({ fields: { title: z.int(), pages: z.int().optional() } })
  await expect(migrateStore(store, model, { stops: true })).rejects.toThrow()
  await store.close()
  expect(rows(database, 'SELECT "id", "title" FROM "books"')).toEqual([
    ['b1', 'One'],
    ['b2', 'One'],
  ])
  database.close()
})

test('rows that reference a rebuilt table stay, although a delete would cascade to them', async () => {
  const { file, database } = await library()
  const options = { fields: { pages: z.int().optional() }, authors: { name: z.string().optional() } }
  const store = await openForTest(`sqlite:${file}`)
  await migrateStore(store, booksModel(options))
  await store.close()
  expect(rows(database, 'SELECT count(*) FROM "books"')).toEqual([[2]])
  expect(rows(database, 'SELECT count(*) FROM "authors"')).toEqual([[1]])
  database.close()
  await expectFits(file, options)
})
