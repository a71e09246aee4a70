import { expect, test } from 'vitest'
import { placesOf } from '../../src/plan/key-log.ts'
import { keyTable } from '../../src/plan/keys.ts'
import { keysOf } from '../../src/run/keys/keys-of.ts'
import { RecentKeys } from '../../src/run/keys/recent.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import type { Store } from '../../src/store/store.ts'
import { emptyDatabase } from '../support/databases.ts'
import { openForTest } from '../support/stores.ts'
import { until } from '../support/until.ts'
import { booksModel } from './books.ts'

const account = 'acme'
const countOf = async (store: Store, table: string): Promise<number> =>
  Number((await store.first(`SELECT count(*) FROM "${table}"`, []))?.[0])

async function migrated(): Promise<{ url: string; store: Store }> {
  const url = await emptyDatabase('sqlite')
  const store = await openForTest(url)
  await migrate(store, booksModel())
  return { url, store }
}

/** Up to which place all have been entered. */
const marked = async (store: Store): Promise<number> =>
  Number((await store.first(`SELECT "value" FROM "nounkit_meta" WHERE "key" = 'keys-entered'`, []))?.[0])

const claim = (store: Store, key: string): Promise<boolean> | undefined =>
  keysOf(store).claimBeside?.(
    account,
    () => [key, 'fingerprint', '/there', `row of ${key}`, 0, 1_000, `body of ${key}`],
    () => {},
  )

const claimAll = (store: Store, count: number): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, at) => claim(store, `key-${at}`)))

test('places are entered when there are many, and every process finds the keys then as before', async () => {
  const { url, store } = await migrated()
  await claimAll(store, 16_000)
  expect(await countOf(store, placesOf(keyTable))).toBe(0)
  const other = await openForTest(url)
  await claimAll(other, 17_000)
  await until(async () => (await marked(store)) >= 16_384)
  expect([await countOf(store, placesOf(keyTable)), await countOf(store, keyTable)]).toEqual([
    await marked(store),
    17_000,
  ])
  const later = await openForTest(url)
  for (const process of [store, other, later])
    for (const key of ['key-0', 'key-7999', 'key-16000', 'key-16999']) {
      expect(await claim(process, key)).toBe(false)
      expect((await keysOf(process).find(account, key))?.[2]).toBe(`body of ${key}`)
    }
  expect(await claim(later, 'key-17000')).toBe(true)
  expect(await claim(store, 'key-17000')).toBe(false)
})

test('who comes later reads only those that have not been entered', async () => {
  const { url, store } = await migrated()
  await claimAll(store, 20)
  await store.writeOne(`INSERT INTO "nounkit_meta" ("key", "value") VALUES ('keys-entered', '10')`, [])
  const later = await openForTest(url)
  const readings = ['key-3', 'key-15'].map((key) => keysOf(later).find(account, key))
  // Nothing was entered in truth, so that only what is read is known.
  expect((await Promise.all(readings)).map((row) => row !== undefined)).toEqual([false, true])
})

test('the place of a key that was removed is not used again', async () => {
  const { url, store } = await migrated()
  await claimAll(store, 3)
  const other = await openForTest(url)
  expect(await claim(other, 'key-2')).toBe(false)
  await keysOf(store).forgetExpired(account, 'key-2', 2_000)
  const later = await openForTest(url)
  expect(await claim(later, 'key-2')).toBe(true)
  expect(await claim(other, 'key-2')).toBe(false)
})

test('a key that is refused again and again leaves nothing behind to look at', async () => {
  const { store } = await migrated()
  const statementsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = store.counters.statements
    await expect(work()).rejects.toThrow('refused')
    return store.counters.statements - before
  }
  const refuse = (): never => {
    throw new Error('refused')
  }
  const { claim: claimIn, claimBeside } = keysOf(store)
  const values = ['again', 'fingerprint', '/there', 'row', 0, 1_000, null]
  const beside = () => claimBeside?.(account, () => values, refuse) ?? Promise.resolve()
  const alone = () => store.transaction(async (tx) => (await claimIn(tx, account, values)) && refuse())
  for (const one of [beside, alone]) {
    await statementsOf(one)
    const second = await statementsOf(one)
    for (let times = 0; times < 5; times++) expect(await statementsOf(one)).toBe(second)
  }
  expect(await claim(store, 'again')).toBe(true)
})

test('keys that a file without a log has are still taken after its migration', async () => {
  const { store } = await migrated()
  const table = `CREATE TABLE "${keyTable}" (
      "expires_at" INTEGER NOT NULL, "completed_at" INTEGER NOT NULL, "fingerprint_version" INTEGER NOT NULL,
      "status" INTEGER NOT NULL, "account_id" TEXT NOT NULL, "key" TEXT NOT NULL, "fingerprint" TEXT NOT NULL,
      "location" TEXT, "etag" TEXT, "row_id" TEXT, "body" TEXT, PRIMARY KEY ("account_id", "key")) STRICT`
  await store.session((session) =>
    session.script(
      `DROP TABLE "${keyTable}"; DROP TABLE "${placesOf(keyTable)}"; ${table};
       INSERT INTO "${keyTable}" VALUES (1000, 0, 1, 201, '${account}', 'old', 'f', '/there', '"1"', 'row', 'body of old')`,
    ),
  )
  const { steps } = await migrate(store, booksModel())
  expect(steps.map(({ why }) => why)).toEqual([
    `rows of ${keyTable} are numbered`,
    `table ${placesOf(keyTable)} is new`,
  ])
  expect(await claim(store, 'old')).toBe(false)
  expect((await keysOf(store).find(account, 'old'))?.[2]).toBe('body of old')
  expect(await claim(store, 'new')).toBe(true)
  expect((await migrate(store, booksModel())).steps).toEqual([])
})

test('recent keys that share a number are told apart by whoever looks, and go when they are entered', () => {
  const recent = new RecentKeys()
  for (const [number, place] of [
    [5, 1],
    [5, 2],
    [6, 3],
    [5, 4],
    [5, 1],
    [5, 4],
  ] as const)
    recent.add(number, place)
  expect(recent.placesOf(5)).toEqual([1, 2, 4])
  recent.remove(5, 1)
  expect(recent.placesOf(5)).toEqual([2, 4])
  recent.forgetUpTo(2)
  expect([recent.placesOf(5), recent.placesOf(6), recent.placesOf(7)]).toEqual([[4], [3], []])
  expect(recent.between(0, 3)).toEqual([[6, 3]])
  expect(recent.between(3, 4)).toEqual([[5, 4]])
  expect(recent.between(0, 4)).toEqual([
    [5, 4],
    [6, 3],
  ])
  expect(recent.size).toBe(2)
})
