import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { migrate } from '../../src/migrate/migrate-store.ts'
import { MigrationRefused } from '../../src/migrate/migration.ts'
import { temporaryFolder } from '../support/databases.ts'
import { openForTest } from '../support/stores.ts'
import { type BooksOptions, booksModel } from './books.ts'

/** A library with a writer and two books, one of them without a number of pages; its connection heeds foreign keys. */
async function library(): Promise<{ readonly file: string; readonly database: DatabaseSync }> {
  const file = join(temporaryFolder(), 'library.db')
  const store = await openForTest(`sqlite:${file}`)
  await migrate(store, booksModel({ fields: { pages: z.int().optional() } }))
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

/** The SQL as an operator would paste it, without the commands that only the shell understands. */
async function refused(file: string, options: BooksOptions): Promise<{ message: string; sql: string }> {
  const store = await openForTest(`sqlite:${file}`)
  const error = await migrate(store, booksModel(options)).catch((thrown: unknown) => thrown)
  await store.close()
  expect(error).toBeInstanceOf(MigrationRefused)
  const { message, steps } = error as MigrationRefused
  const byHand = steps.filter((step) => !step.additive)
  return { message, sql: byHand.map((step) => step.sql).join(';\n') }
}

async function expectFits(file: string, options: BooksOptions): Promise<void> {
  const store = await openForTest(`sqlite:${file}`)
  expect((await migrate(store, booksModel(options), { dryRun: true })).steps).toEqual([])
  await store.close()
}

const rows = (database: DatabaseSync, sql: string) => database.prepare(sql).all().map(Object.values)

test('the SQL of a refusal stops at the first error, in a shell that would go on', async () => {
  const { file, database } = await library()
  const { message } = await refused(file, { fields: { pages: z.string().optional() } })
  expect(message).toContain('.bail on\nPRAGMA foreign_keys = OFF;\nBEGIN IMMEDIATE;\nCREATE TABLE')
  expect(message).toMatch(/COMMIT;\n$/)
  database.close()
})

test('a copy that fails leaves all rows where they were', async () => {
  const { file, database } = await library()
  const { sql } = await refused(file, { fields: { title: z.int(), pages: z.int().optional() } })
  expect(() => database.exec(sql)).toThrow(/cannot store TEXT value in INTEGER column/)
  database.close()
  const again = new DatabaseSync(file)
  expect(rows(again, 'SELECT "id", "title" FROM "books"')).toEqual([
    ['b1', 'One'],
    ['b2', 'One'],
  ])
  again.close()
})

test('a field made required says where the value of rows without one goes', async () => {
  const { file, database } = await library()
  const options = { fields: { pages: z.int() } }
  const { message, sql } = await refused(file, options)
  expect(message).toContain('put a value for rows without one in place of …')
  expect(() => database.exec(sql)).toThrow(/no such column: …/)
  if (database.isTransaction) database.exec('ROLLBACK')
  database.exec(sql.replace('…', '7'))
  expect(rows(database, 'SELECT "id", "pages" FROM "books"')).toEqual([
    ['b1', 120],
    ['b2', 7],
  ])
  database.close()
  await expectFits(file, options)
})

test('a required field that was renamed by hand is one copy, with the new column filled', async () => {
  const { file, database } = await library()
  const options = {
    without: ['title'],
    fields: { full_title: z.string().max(50), pages: z.int().optional() },
  }
  const { sql } = await refused(file, options)
  database.exec(sql.replace('…', '"title"'))
  expect(rows(database, 'SELECT "id", "full_title" FROM "books" WHERE "id" = \'b1\'')).toEqual([
    ['b1', 'One'],
  ])
  database.close()
  await expectFits(file, options)
})

test('rows that reference a rebuilt table stay, although a delete would cascade to them', async () => {
  const { file, database } = await library()
  const options = { fields: { pages: z.int().optional() }, authors: { name: z.string().optional() } }
  const store = await openForTest(`sqlite:${file}`)
  await migrate(store, booksModel(options))
  await store.close()
  expect(rows(database, 'SELECT count(*) FROM "books"')).toEqual([[2]])
  expect(rows(database, 'SELECT count(*) FROM "authors"')).toEqual([[1]])
  database.close()
  await expectFits(file, options)
})
