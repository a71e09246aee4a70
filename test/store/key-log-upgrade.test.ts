import { expect, test } from 'vitest'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import type { Store } from '../../src/store/store.ts'
import { storedKeys } from '../../src/write/keys/stored-keys.ts'
import { sweep } from '../../src/write/keys/sweep.ts'
import { storeUnderTest } from '../support/stores.ts'
import { booksModel } from './books.ts'

/** The tables of the release that kept keys as a log, with two accounts' keys of one name and one that has expired. */
const logOfEarlierRelease = `
  DROP TABLE "nounkit_idempotency";
  CREATE TABLE "nounkit_idempotency" (
    "place" INTEGER NOT NULL, "expires_at" INTEGER NOT NULL, "completed_at" INTEGER NOT NULL,
    "fingerprint_version" INTEGER NOT NULL, "status" INTEGER NOT NULL, "account_id" TEXT NOT NULL,
    "key" TEXT NOT NULL, "fingerprint" TEXT NOT NULL, "location" TEXT, "etag" TEXT, "row_id" TEXT, "body" TEXT,
    PRIMARY KEY ("place")) STRICT;
  CREATE TABLE "nounkit_idempotency_runs" (
    "page" INTEGER NOT NULL, "last" INTEGER NOT NULL, "pairs" TEXT NOT NULL, PRIMARY KEY ("page")) STRICT;
  CREATE TABLE "nounkit_idempotency_places" ("number" INTEGER NOT NULL, "place" INTEGER NOT NULL) STRICT;
  INSERT INTO "nounkit_idempotency_runs" VALUES (2, 2, 'pairs');
  INSERT INTO "nounkit_meta" VALUES ('keys-used', '7');
  INSERT INTO "nounkit_idempotency" VALUES
    (1, 1000, 0, 1, 201, 'acme', 'old', 'f', '/there', '"1"', 'row', 'of acme'),
    (2, 1000, 0, 1, 201, 'globex', 'old', 'f', '/there', '"1"', 'row', 'of globex'),
    (5, 10, 0, 1, 201, 'acme', 'expired', 'f', '/there', '"1"', 'row', 'gone soon');`

const tables = async (store: Store) =>
  (
    await store.all(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'nounkit_idem%'`, [])
  ).flat()

test('a SQLite file that keeps keys as a log gets a plain table with all its keys', async () => {
  const store = await storeUnderTest('sqlite').open()
  await migrateStore(store, booksModel())
  await store.session((session) => session.script(logOfEarlierRelease))
  const { steps } = await migrateStore(store, booksModel())
  expect(steps.map(({ why, additive }) => [why, additive])).toEqual([
    ['Idempotency-Keys are kept in a plain table', true],
  ])
  expect((await migrateStore(store, booksModel())).steps).toEqual([])
  expect(await tables(store)).toEqual(['nounkit_idempotency'])
  expect(
    await store.first(`SELECT "value" FROM "nounkit_meta" WHERE "key" = 'keys-used'`, []),
  ).toBeUndefined()
  const keys = storedKeys(store)
  expect((await keys.find('acme', 'old'))?.[2]).toBe('of acme')
  expect((await keys.find('globex', 'old'))?.[2]).toBe('of globex')
  const claim = (account: string, key: string) =>
    store.transaction((tx) => keys.claim(tx, account, [key, 'f', '/there', 'row', 0, 1_000, null, null]))
  expect(await claim('acme', 'old')).toBe(false)
  expect(await claim('acme', 'new')).toBe(true)
  await sweep(store, { now: () => 500 }, new AbortController().signal)
  expect(await keys.find('acme', 'expired')).toBeUndefined()
  expect(await keys.find('acme', 'old')).toBeDefined()
})

test('the database itself refuses a second row for a key', async () => {
  const store = await storeUnderTest('sqlite').open()
  await migrateStore(store, booksModel())
  const insert = (key: string) =>
    store.writeOne(
      `INSERT INTO "nounkit_idempotency" ("account_id", "key", "fingerprint", "fingerprint_version", "status", "completed_at", "expires_at") VALUES ('acme', ?1, 'f', 1, 201, 0, 1)`,
      [key],
    )
  await insert('a')
  await expect(insert('a')).rejects.toMatchObject({ kind: 'unique' })
})
