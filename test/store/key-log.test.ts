import fc from 'fast-check'
import { expect, test } from 'vitest'
import { placesOf } from '../../src/plan/key-log.ts'
import { keyTable } from '../../src/plan/keys.ts'
import { keysOf } from '../../src/run/keys/keys-of.ts'
import { loggedKeys } from '../../src/run/keys/logged.ts'
import { PlaceTable } from '../../src/run/keys/place-table.ts'
import { type Recent, RecentKeys } from '../../src/run/keys/recent.ts'
import { sweep } from '../../src/run/keys/sweep.ts'
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

test('keys that were refused or lost are not known for longer than it takes to see it', async () => {
  const { url, store } = await migrated()
  const { selfUndoing } = store
  if (!selfUndoing) throw new Error('SQLite undoes by itself')
  const small = { recent: 8, slice: 4 }
  const keys = loggedKeys(store, selfUndoing, small)
  const values = (key: string) => [key, 'fingerprint', '/there', 'row', 0, 1_000, null]
  const refuse = (key: string) =>
    store.transaction(async (tx) => {
      await keys.claim(tx, account, values(key))
      throw new Error('refused')
    })
  const statementsOf = async (key: string): Promise<number> => {
    const before = store.counters.statements
    await expect(refuse(key)).rejects.toThrow('refused')
    return store.counters.statements - before
  }
  await statementsOf('first')
  const usual = await statementsOf('second')
  for (let at = 0; at < 40; at++) expect(await statementsOf(`refused-${at}`)).toBe(usual)

  // Their places are used by another process, and are entered for that one's keys alone.
  const other = await openForTest(url)
  for (let at = 0; at < 20; at++) await claim(other, `kept-${at}`)
  for (let at = 0; at < 20; at++)
    await keys.claimBeside?.(
      account,
      () => values(`after-${at}`),
      () => {},
    )
  await until(async () => (await marked(store)) >= 20)
  const orphans = await store.all(
    `SELECT "place" FROM "${placesOf(keyTable)}" GROUP BY "place" HAVING count(*) > 1`,
    [],
  )
  expect(orphans).toEqual([])
})

test('keys that are kept for long do not keep those behind them', async () => {
  const { store } = await migrated()
  const keepUntil = (key: string, expiry: number) =>
    keysOf(store).claimBeside?.(
      account,
      () => [key, 'fingerprint', '/there', 'row', 0, expiry, null],
      () => {},
    )
  const many = (count: number, name: string, expiry: number) =>
    Promise.all(Array.from({ length: count }, (_, at) => keepUntil(`${name}-${at}`, expiry)))
  const { signal } = new AbortController()
  await many(450, 'long', 10_000)
  await many(900, 'short', 1_000)
  await sweep(store, { now: () => 1_000 }, signal)
  expect(await countOf(store, keyTable)).toBe(450)
  // Nor those that come in front of where it was looked last.
  await sweep(store, { now: () => 10_000 }, signal)
  expect(await countOf(store, keyTable)).toBe(0)
})

test('what an older file has left to enter is entered before the first request, a part at a time', async () => {
  const { url, store } = await migrated()
  await claimAll(store, 100)
  const later = await openForTest(url)
  const { selfUndoing } = later
  if (!selfUndoing) throw new Error('SQLite undoes by itself')
  const keys = loggedKeys(later, selfUndoing, { recent: 16, slice: 5 })
  await keys.prepare()
  expect([await marked(store), await countOf(store, placesOf(keyTable))]).toEqual([96, 96])
  const before = later.counters.statements
  await keys.prepare()
  expect(later.counters.statements - before).toBe(2)
  for (const key of ['key-0', 'key-50', 'key-99'])
    expect((await keys.find(account, key))?.[2]).toBe(`body of ${key}`)
})

test('recent keys that share a number are told apart by whoever looks, and go when they are entered', () => {
  const recent = new RecentKeys()
  const addAll = (pairs: readonly Recent[]) => {
    for (const pair of pairs) recent.add(...pair)
  }
  addAll([
    [5, 1],
    [5, 2],
    [6, 3],
    [5, 1],
  ])
  expect([recent.placesOf(5), recent.size]).toEqual([[1, 2], 3])
  recent.remove(5, 1)
  expect([recent.placesOf(5), recent.size]).toEqual([[2], 2])
  expect(recent.setApart().map((table) => [...table.numbers()])).toEqual([[5, 6]])
  addAll([[5, 4]])
  expect(recent.placesOf(5)).toEqual([4, 2])
  recent.forgetUpTo(2)
  expect(recent.placesOf(6)).toEqual([3])
  recent.forgetUpTo(3)
  expect([recent.placesOf(5), recent.placesOf(6), recent.placesOf(7)]).toEqual([[4], [], []])
})

test('a table of places is a map to sets of them, however many came and went', () => {
  const number = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 2 ** 48 - 1 }))
  const step = fc.record({ number, place: fc.integer({ min: 1, max: 40 }), removes: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
      const table = new PlaceTable()
      const pairs = new Map<string, Recent>()
      for (const { number: one, place, removes } of steps) {
        if (removes) table.remove(one, place)
        else table.add(one, place)
        if (removes) pairs.delete(`${one} ${place}`)
        else pairs.set(`${one} ${place}`, [one, place])
      }
      const all = [...pairs.values()]
      expect(table.size).toBe(all.length)
      expect([...table.numbers()]).toEqual(all.map(([one]) => one).sort((a, b) => a - b))
      for (const { number: asked } of steps)
        expect(table.placesOf(asked).toSorted((a, b) => a - b)).toEqual(
          all
            .filter(([one]) => one === asked)
            .map(([, place]) => place)
            .sort((a, b) => a - b),
        )
      for (const [, place] of all) expect(place).toBeLessThanOrEqual(table.last)
    }),
  )
})
