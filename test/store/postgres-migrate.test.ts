import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../src/clock.ts'
import { belongsTo } from '../../src/declare/relation.ts'
import { resetStore } from '../../src/lifecycle/reset-store.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { migrationSql } from '../../src/migrate/migration.ts'
import { postgres, postgresOnCitus } from '../../src/plan/postgres.ts'
import type { Session, Store } from '../../src/store/store.ts'
import { likeCitus } from '../support/databases.ts'
import { openForTest, storeUnderTest } from '../support/stores.ts'
import { type BooksOptions, booksModel } from './books.ts'

const { open, url } = storeUnderTest('postgres')

const sql = async (store: Store, options: BooksOptions): Promise<string> =>
  migrationSql((await migrateStore(store, booksModel(options), { dryRun: true })).steps)

const script = (store: Store, text: string): Promise<void> =>
  store.session((session: Session) => session.script(text))

describe('migrations on PostgreSQL', () => {
  test('tables with rows are not locked for long: indexes concurrently, constraints validated after', async () => {
    const store = await open()
    await migrateStore(store, booksModel())
    const planned = await sql(store, {
      sort: ['title'],
      fields: { binding: z.enum(['hard', 'soft']).optional() },
      relations: { publisher: belongsTo('publishers', { optional: true }) },
      publishers: true,
    })
    expect(planned).toContain('CREATE INDEX CONCURRENTLY "books__account_id__title__id__idx"')
    expect(planned).toMatch(/ADD CONSTRAINT "books__account_id__publisher_id__fkey" [^;]* NOT VALID;/)
    expect(planned).toContain('VALIDATE CONSTRAINT "books__account_id__publisher_id__fkey"')
    expect(planned).toMatch(/ADD CONSTRAINT "books__binding__check" [^;]* NOT VALID/)
    expect(planned).toContain('VALIDATE CONSTRAINT "books__binding__check"')
  })

  test('what an interrupted migration left behind is finished', async () => {
    const store = await open()
    const model = booksModel({ sort: ['title'], fields: { binding: z.enum(['hard', 'soft']).optional() } })
    await migrateStore(store, model)
    await script(
      store,
      `UPDATE pg_index SET indisvalid = false WHERE indexrelid = '"books__account_id__title__id__idx"'::regclass;
       ALTER TABLE "books" DROP CONSTRAINT "books__binding__check";
       ALTER TABLE "books" ADD CONSTRAINT "books__binding__check" CHECK ("binding" IN ('hard', 'soft')) NOT VALID;
       ALTER TABLE "books" DROP CONSTRAINT "books__account_id__author_id__fkey";
       ALTER TABLE "books" ADD CONSTRAINT "books__account_id__author_id__fkey" FOREIGN KEY ("account_id", "author_id") REFERENCES "authors" ("account_id", "id") ON DELETE CASCADE NOT VALID`,
    )
    const { steps } = await migrateStore(store, model)
    expect(steps.map((step) => step.sql.split(' ON ')[0])).toEqual([
      'ALTER TABLE "books" VALIDATE CONSTRAINT "books__binding__check"',
      'ALTER TABLE "books" VALIDATE CONSTRAINT "books__account_id__author_id__fkey"',
      'DROP INDEX CONCURRENTLY IF EXISTS "books__account_id__title__id__idx"',
      'CREATE INDEX CONCURRENTLY "books__account_id__title__id__idx"',
    ])
    expect((await migrateStore(store, model)).steps).toEqual([])
  })

  test('an enum that grows is a check that grows; one that shrinks leaves it to rows and older processes', async () => {
    const store = await open()
    await migrateStore(store, booksModel())
    const grown = { fields: { genre: z.enum(['novel', 'essay']) } }
    const { steps } = await migrateStore(store, booksModel(grown))
    expect(steps[0]?.why).toBe('books.genre takes essay too')
    expect(steps[0]?.sql).toContain(`IN ('novel', 'poetry', 'essay')`)
    expect((await migrateStore(store, booksModel(grown))).steps).toEqual([])
    expect((await migrateStore(store, booksModel())).steps).toEqual([])
  })

  test('a text that becomes an enum is refused, an enum that becomes a text is not', async () => {
    const store = await open()
    const text = { fields: { genre: z.string().max(20) } }
    await migrateStore(store, booksModel(text))
    await expect(migrateStore(store, booksModel())).rejects.toThrow(/books\.genre takes only some values now/)
    const other = await open()
    await migrateStore(other, booksModel())
    expect((await migrateStore(other, booksModel(text))).applied).toBe(true)
    expect((await migrateStore(other, booksModel(text))).steps).toEqual([])
  })

  test('text columns compare by code point, and one that does not is refused', async () => {
    const store = await open()
    await migrateStore(store, booksModel())
    await script(store, `ALTER TABLE "books" ALTER COLUMN "title" TYPE text COLLATE "und-x-icu"`)
    const planned = await sql(store, {})
    expect(planned).toContain('books.title is text collate "und-x-icu", and should be text')
    expect(planned).toContain('(refused)')
  })

  test('tables of another program are not touched', async () => {
    const store = await open()
    await script(store, 'CREATE TABLE "books" ("id" int)')
    await expect(migrateStore(store, booksModel())).rejects.toThrow(/\(books\), but no nounkit_meta/)
  })

  test('a schema of one’s own keeps two APIs apart in one database', async () => {
    const at = await url()
    const store = await openForTest(at)
    await script(store, 'CREATE SCHEMA one; CREATE SCHEMA two')
    for (const schema of ['one', 'two']) {
      const own = await openForTest(`${at}?search_path=${schema}`)
      expect((await migrateStore(own, booksModel())).applied).toBe(true)
    }
  })
})

describe('a Citus cluster', () => {
  test('is known by its catalogue when the store is opened', async () => {
    const database = await url()
    const store = await open(database)
    expect(store.dialect).toBe(postgres)
    await script(store, likeCitus)
    expect((await open(database)).dialect).toBe(postgresOnCitus)
  })

  test('has an index for the sweeper, which cannot go by pages there', async () => {
    const index = 'CREATE INDEX "nounkit_idempotency__expires_at__idx"'
    const database = await url()
    const store = await open(database)
    const planned = async (on: Store, citus: boolean) =>
      migrationSql((await migrateStore(on, booksModel(), { dryRun: true, citus })).steps)
    expect(await planned(store, false)).not.toContain(index)
    expect(await planned(store, true)).toContain(index)
    await script(store, likeCitus)
    expect(await planned(await open(database), false)).toContain(index)
  })

  test('account tables are distributed beside each other, shared ones everywhere, references come last', async () => {
    const store = await open()
    const { steps } = await migrateStore(store, booksModel({ publishers: true }), {
      dryRun: true,
      citus: true,
    })
    const texts = steps.map((step) => step.sql)
    const at = (part: string) => texts.findIndex((text) => text.includes(part))
    expect(texts[0]).toBe('CREATE EXTENSION IF NOT EXISTS citus')
    expect(texts).toContain(`SELECT create_reference_table('"nounkit_meta"')`)
    expect(texts).toContain(`SELECT create_distributed_table('"nounkit_idempotency"', 'account_id')`)
    expect(texts).toContain(
      `SELECT create_distributed_table('"books"', 'account_id', colocate_with => 'nounkit_idempotency')`,
    )
    expect(at('CREATE TABLE "books"')).toBeLessThan(at(`create_distributed_table('"books"`))
    expect(at('FOREIGN KEY')).toBeGreaterThan(texts.findLastIndex((text) => text.includes('create_')))
    expect(steps.every((step) => step.additive && step.alone)).toBe(true)
    // Every process writes there, and a write to a reference table is a commit on all nodes.
    expect(texts).toContain(
      `SELECT create_distributed_table('"nounkit_recorders"', 'id', colocate_with => 'nounkit_idempotency')`,
    )
  })

  test('tables that already have references lose them before and get them back after', async () => {
    const store = await open()
    await migrateStore(store, booksModel())
    const { steps } = await migrateStore(store, booksModel(), { dryRun: true, citus: true })
    const texts = steps.map((step) => step.sql)
    expect(texts.filter((text) => /CONSTRAINT "books__account_id__author_id__fkey"/.test(text))).toEqual([
      'ALTER TABLE "books" DROP CONSTRAINT "books__account_id__author_id__fkey"',
      'ALTER TABLE "books" ADD CONSTRAINT "books__account_id__author_id__fkey" FOREIGN KEY ("account_id", "author_id") REFERENCES "authors" ("account_id", "id") ON DELETE CASCADE NOT VALID',
      'ALTER TABLE "books" VALIDATE CONSTRAINT "books__account_id__author_id__fkey"',
    ])
  })

  test('--shards is the number of shards of the first distributed table, which all others follow', async () => {
    const { steps } = await migrateStore(await open(), booksModel(), {
      dryRun: true,
      citus: true,
      shards: 48,
    })
    const counts = steps.filter((step) => step.sql.includes('shard_count'))
    expect(counts.map((step) => step.sql)).toEqual([
      `SELECT create_distributed_table('"nounkit_idempotency"', 'account_id', shard_count => 48)`,
    ])
  })

  test('a distributed store is not emptied, and another number of shards is refused', async () => {
    const store = await open()
    await migrateStore(store, booksModel())
    await script(
      store,
      `CREATE TABLE "pg_dist_partition" ("logicalrelid" regclass, "partmethod" "char");
       CREATE TABLE "pg_dist_shard" ("logicalrelid" regclass);
       INSERT INTO "pg_dist_shard" SELECT '"nounkit_idempotency"'::regclass FROM generate_series(1, 32);
       INSERT INTO "pg_dist_partition" SELECT oid, 'h'
         FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname !~ '^pg_'`,
    )
    // A store that is distributed only grows, and says so.
    await expect(resetStore(store, booksModel(), { clock: systemClock, published: [] })).rejects.toThrow(
      /Citus cluster, where a store is not emptied by one command\. Nothing was changed\./,
    )
    const migrateTo = (shards: number) =>
      migrateStore(store, booksModel(), { dryRun: true, citus: true, shards })
    await migrateTo(32)
    await expect(migrateTo(64)).rejects.toThrow(
      /distributed over 32 shards already, .* Nothing was changed\..* nounkit migrate --citus --shards 64, and copy the store there with nounkit copy\.$/,
    )
  })
})
