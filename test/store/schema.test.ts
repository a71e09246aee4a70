import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { addRequiredField } from '../../src/declare/change.ts'
import { states } from '../../src/declare/field.ts'
import { belongsTo } from '../../src/declare/relation.ts'
import { decimal } from '../../src/kinds/decimal-field.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { MigrationRefused, migrationSql } from '../../src/migrate/migration.ts'
import type { Store, Value } from '../../src/store/store.ts'
import { nodeScript } from '../support/child.ts'
import { describeStores } from '../support/stores.ts'
import { type BooksOptions, booksModel } from './books.ts'

const now = '2026-01-01T00:00:00.000Z'

async function insert(store: Store, table: string, row: { readonly [column: string]: Value }): Promise<void> {
  const kinds = { created_at: 'datetime', updated_at: 'datetime', pages: 'integer' } as const
  const all: { readonly [column: string]: Value } = {
    account_id: 'a',
    created_at: now,
    updated_at: now,
    ...row,
  }
  const names = Object.keys(all)
  const params = names.map((name, at) =>
    store.dialect.param(at + 1, name in kinds ? kinds[name as keyof typeof kinds] : 'string'),
  )
  const columns = names.map((name) => `"${name}"`).join(', ')
  await store.writeOne(
    `INSERT INTO "${table}" (${columns}) VALUES (${params.join(', ')})`,
    Object.values(all),
  )
}

const book = { id: 'b1', title: 'One', genre: 'novel', author_id: 'w1' }

describeStores('the schema follows the model', ({ open, url }) => {
  /** A store as an older declaration left it, with a row in it. */
  const older = async (options: BooksOptions = {}): Promise<Store> => {
    const store = await open()
    await migrateStore(store, booksModel(options))
    await insert(store, 'authors', { id: 'w1', name: 'Ada' })
    await insert(store, 'books', book)
    return store
  }
  const refusal = async (store: Store, options: BooksOptions): Promise<string> => {
    const error = await migrateStore(store, booksModel(options)).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(MigrationRefused)
    return (error as MigrationRefused).message
  }

  test('a dry run says what it would do, and does nothing', async () => {
    const store = await open()
    const planned = await migrateStore(store, booksModel(), { dryRun: true })
    expect(planned.applied).toBe(false)
    expect(migrationSql(planned.steps)).toContain('CREATE TABLE "books"')
    const again = await migrateStore(store, booksModel(), { dryRun: true })
    expect(again.steps).toEqual(planned.steps)
    const done = await migrateStore(store, booksModel())
    expect(done).toMatchObject({ steps: planned.steps, applied: true })
  })

  test('a second run finds nothing to do', async () => {
    const store = await older({ sort: ['title'], unique: ['title'] })
    expect(await migrateStore(store, booksModel({ sort: ['title'], unique: ['title'] }))).toMatchObject({
      steps: [],
      applied: false,
    })
  })

  test('references are kept by the store: nothing is named that is not there, and cascades are its own', async () => {
    const store = await older()
    const stray = insert(store, 'books', { ...book, id: 'b2', author_id: 'nobody' })
    await expect(stray).rejects.toMatchObject({ kind: 'foreign-key' })
    const elsewhere = insert(store, 'books', { ...book, id: 'b2', account_id: 'other' })
    await expect(elsewhere).rejects.toMatchObject({ kind: 'foreign-key' })
    await store.writeOne(`DELETE FROM "authors" WHERE "id" = 'w1'`, [])
    expect(await store.all('SELECT "id" FROM "books"', [])).toEqual([])
  })

  test('additions are made, and every row stays', async () => {
    const store = await older()
    const fields = {
      subtitle: z.string().max(50).optional(),
      pages: z.int().default(7),
      tags: z.array(z.string()).default(["it's"]),
      sold: z.boolean().default(false),
      status: states('draft', { draft: ['printed'] }),
    }
    const model = booksModel({ fields, sort: ['title', 'pages'], filter: ['status'], publishers: true })
    const { steps, applied } = await migrateStore(store, model)
    expect(applied).toBe(true)
    expect(steps.every((step) => step.additive)).toBe(true)
    const columns = `"id", "title", "subtitle", "pages", CAST("tags" AS TEXT), "sold", "status", "version"`
    expect(await store.all(`SELECT ${columns} FROM "books"`, [])).toEqual([
      ['b1', 'One', null, 7, `["it's"]`, 0, 'draft', 1],
    ])
    expect((await migrateStore(store, model)).steps).toEqual([])
    // A process of the last deploy does not know the new columns, and goes on.
    await insert(store, 'books', { ...book, id: 'b2' })
    expect((await migrateStore(store, booksModel())).steps).toEqual([])
  })

  test('a new decimal is a column of its own type, with its default, and an integer is not taken for one', async () => {
    const store = await older({ fields: { pages: z.int().default(7) } })
    const model = booksModel({
      fields: { pages: z.int().default(7), price: decimal({ scale: 2 }).default('12.50') },
    })
    expect((await migrateStore(store, model)).steps.every((step) => step.additive)).toBe(true)
    const shown = store.dialect.json('"price"', 'decimal', false, { 'x-scale': 2 })
    expect(await store.all(`SELECT ${shown} FROM "books"`, [])).toEqual([['"12.50"']])
    expect((await migrateStore(store, model)).steps).toEqual([])
    const fields = {
      pages: decimal({ scale: 2 }).default('12.50'),
      price: decimal({ scale: 4 }).default('12.5000'),
    }
    expect(await refusal(store, { fields })).toContain('books.pages is')
    const finer = booksModel({ fields: { pages: z.int().default(7), price: fields.price } })
    expect((await migrateStore(store, finer)).steps).toEqual([])
  })

  test('a new optional relation comes with its foreign key, and every row and index stays', async () => {
    const store = await older({ sort: ['title'] })
    const relations = { publisher: belongsTo('publishers', { optional: true }) }
    const model = booksModel({
      sort: ['title'],
      relations,
      publishers: true,
      fields: { note: z.string().optional() },
    })
    expect((await migrateStore(store, model)).applied).toBe(true)
    expect(await store.all('SELECT "id", "publisher_id" FROM "books"', [])).toEqual([['b1', null]])
    const stray = insert(store, 'books', { ...book, id: 'b2', publisher_id: 'nobody' })
    await expect(stray).rejects.toMatchObject({ kind: 'foreign-key' })
    expect((await migrateStore(store, model)).steps).toEqual([])
    // The references that were there before still hold.
    const orphan = insert(store, 'books', { ...book, id: 'b2', author_id: 'nobody' })
    await expect(orphan).rejects.toMatchObject({ kind: 'foreign-key' })
  })

  test('a required field that older versions do without is filled with what they mean', async () => {
    const store = await older()
    const changes = [addRequiredField('books', 'currency', { whenAbsent: 'EUR' })]
    await migrateStore(store, booksModel({ fields: { currency: z.enum(['EUR', 'USD']) }, changes }))
    expect(await store.all('SELECT "currency" FROM "books"', [])).toEqual([['EUR']])
  })

  test('a required field of which nothing says what rows have is refused, and nothing beside it is done', async () => {
    const store = await older()
    const options = { fields: { isbn: z.string().max(20) }, publishers: true }
    expect(await refusal(store, options)).toContain('books.isbn is new and required')
    const refused = migrateStore(store, booksModel(options), { stops: true })
    await expect(refused).rejects.toThrow(
      /declare what becomes of the values .*books\.isbn is new and required/s,
    )
    await expect(async () => store.first('SELECT 1 FROM "publishers"', [])).rejects.toThrow()
  })

  test('an optional field made required stays NULL where rows have no value, and a required one made optional loses its NOT NULL', async () => {
    const optional = { fields: { pages: z.int().optional() } }
    const required = { fields: { pages: z.int().default(1) } }
    const filledLater = await older(optional)
    expect((await migrateStore(filledLater, booksModel(required))).steps).toEqual([])
    await insert(filledLater, 'books', { ...book, id: 'b2', pages: null })
    const store = await older(required)
    await migrateStore(store, booksModel(optional))
    expect((await migrateStore(store, booksModel(optional))).steps).toEqual([])
    await insert(store, 'books', { ...book, id: 'b2', pages: null })
    expect(await store.all('SELECT "id", "pages" FROM "books" ORDER BY "id"', [])).toEqual([
      ['b1', 1],
      ['b2', null],
    ])
  })

  test('a field that is no longer declared keeps its column and its data', async () => {
    const store = await older({ fields: { note: z.string().default('kept') } })
    expect((await migrateStore(store, booksModel())).steps).toEqual([])
    expect(await store.all('SELECT "note" FROM "books"', [])).toEqual([['kept']])
  })

  test('and loses its NOT NULL where that would refuse every new row', async () => {
    const store = await older()
    await migrateStore(store, booksModel({ without: ['title'] }))
    const { title: _, ...untitled } = book
    await insert(store, 'books', { ...untitled, id: 'b2' })
    expect((await store.all('SELECT "title" FROM "books" ORDER BY "id"', [])).at(-1)).toEqual([null])
  })

  test('a relation that deletes differently is made by nounkit migrate, where every reference leads to a row', async () => {
    const store = await older()
    const message = await refusal(store, { relations: { author: belongsTo('authors') } })
    const otherwise = 'is declared otherwise than the store has it'
    expect(message).toContain(`the reference of books (account_id, author_id) to authors ${otherwise}`)
    const elsewhere = await refusal(store, { relations: { author: belongsTo('books', { optional: true }) } })
    expect(elsewhere).toContain(`the reference of books (account_id, author_id) to books ${otherwise}`)
    await expect(
      migrateStore(store, booksModel({ relations: { author: belongsTo('books', { optional: true }) } }), {
        stops: true,
      }),
    ).rejects.toThrow(/books/)
    await migrateStore(store, booksModel({ relations: { author: belongsTo('authors') } }), { stops: true })
    await expect(async () => store.writeOne(`DELETE FROM "authors"`, [])).rejects.toMatchObject({
      kind: 'foreign-key',
    })
  })

  test('a new unique is made if the rows allow it, else refused, and made once they do', async () => {
    const store = await older()
    await insert(store, 'books', { ...book, id: 'b2' })
    expect(await refusal(store, { unique: ['title'] })).toMatch(
      /but rows of books share values of title, in 1 group, such as "[^"]+" \(2 rows, such as b1 and b2 of the account [^)]+\)\.$/,
    )
    await store.writeOne(`UPDATE "books" SET "title" = 'Two' WHERE "id" = 'b2'`, [])
    expect((await migrateStore(store, booksModel({ unique: ['title'] }))).applied).toBe(true)
    const taken = insert(store, 'books', { ...book, id: 'b3' })
    await expect(taken).rejects.toMatchObject({ kind: 'unique', table: 'books', columns: ['title'] })
  })

  test('of several processes that start at once, one applies and the others find it done', async () => {
    const at = await url()
    const script = fileURLToPath(new URL('migrate-books.ts', import.meta.url))
    const processes = [1, 2, 3].map(() => nodeScript(script, [at]))
    const endings = await Promise.all(processes.map((child) => child.ended))
    expect(endings.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(processes.map((child) => child.output.trim()).sort()).toEqual(['applied', 'found', 'found'])
  })
})
