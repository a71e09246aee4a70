import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runsOf } from '../../src/plan/key-log.ts'
import { keyTable } from '../../src/plan/keys.ts'
import { EnteredKeys } from '../../src/run/keys/entered.ts'
import { keysOf } from '../../src/run/keys/keys-of.ts'
import { loggedKeys } from '../../src/run/keys/logged.ts'
import { PlaceTable } from '../../src/run/keys/place-table.ts'
import { type Recent, RecentKeys } from '../../src/run/keys/recent.ts'
import { RunFilters } from '../../src/run/keys/run-filters.ts'
import { numbersOn, placesOn, writePages } from '../../src/run/keys/run-pages.ts'
import { storedNumber } from '../../src/run/keys/stored-number.ts'
import { sweep } from '../../src/run/keys/sweep.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import type { PromptTransaction, Store } from '../../src/store/store.ts'
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
const enteredTo = async (store: Store): Promise<number> =>
  Number((await store.first(`SELECT max("last") FROM "${runsOf(keyTable)}"`, []))?.[0])

/** The numbers of all keys that have been entered. */
const numbersEntered = async (store: Store): Promise<readonly number[]> =>
  (await store.all(`SELECT "pairs" FROM "${runsOf(keyTable)}"`, [])).flatMap(([pairs]) =>
    numbersOn(String(pairs)),
  )

const claim = (store: Store, key: string): Promise<boolean> | undefined =>
  keysOf(store).claimBeside?.(
    account,
    () => [key, 'fingerprint', '/there', `row of ${key}`, 0, 1_000, `body of ${key}`],
    () => {},
  )

const claimAll = (store: Store, count: number): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, at) => claim(store, `key-${at}`)))

/** As another process with runs so short that they can be counted. */
function withShortRuns(store: Store, keysPerRun: number) {
  const { selfUndoing } = store
  if (!selfUndoing) throw new Error('SQLite undoes by itself')
  const keys = loggedKeys(store, selfUndoing, keysPerRun)
  const claimIn = (key: string, insert: (tx: PromptTransaction) => void = () => {}) =>
    keys.claimBeside?.(
      account,
      () => [key, 'fingerprint', '/there', 'row', 0, 1_000, `body of ${key}`],
      insert,
    )
  return {
    keys,
    claim: claimIn,
    /** With all that share its commit. */
    lose: (key: string) => expect(claimIn(key, (tx) => tx.write('ROLLBACK', []))).rejects.toThrow(),
  }
}

test('places are entered when there are many, and every process finds the keys then as before', async () => {
  const { url, store } = await migrated()
  await claimAll(store, 16_000)
  expect(await countOf(store, runsOf(keyTable))).toBe(0)
  const other = await openForTest(url)
  await claimAll(other, 17_000)
  await until(async () => (await enteredTo(store)) >= 16_384)
  expect([(await numbersEntered(store)).length, await countOf(store, keyTable)]).toEqual([
    await enteredTo(store),
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
  await store.writeOne(`INSERT INTO "${runsOf(keyTable)}" ("page", "last", "pairs") VALUES (10, 10, '')`, [])
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
      `DROP TABLE "${keyTable}"; DROP TABLE "${runsOf(keyTable)}"; ${table};
       INSERT INTO "${keyTable}" VALUES (1000, 0, 1, 201, '${account}', 'old', 'f', '/there', '"1"', 'row', 'body of old')`,
    ),
  )
  const { steps } = await migrate(store, booksModel())
  expect(steps.map(({ why }) => why)).toEqual([
    `rows of ${keyTable} are numbered`,
    `table ${runsOf(keyTable)} is new`,
  ])
  expect(await claim(store, 'old')).toBe(false)
  expect((await keysOf(store).find(account, 'old'))?.[2]).toBe('body of old')
  expect(await claim(store, 'new')).toBe(true)
  expect((await migrate(store, booksModel())).steps).toEqual([])
})

test('keys that were refused or lost are not known for longer than it takes to see it', async () => {
  const { url, store } = await migrated()
  const { keys, lose, claim: claimShort } = withShortRuns(store, 8)
  const refuse = (key: string) =>
    expect(
      store.transaction(async (tx) => {
        await keys.claim(tx, account, [key, 'fingerprint', '/there', 'row', 0, 1_000, null])
        throw new Error('refused')
      }),
    ).rejects.toThrow('refused')
  const statementsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = store.counters.statements
    await work()
    return store.counters.statements - before
  }
  for (const spoil of [refuse, lose]) {
    await spoil('first')
    const usual = await statementsOf(() => spoil('second'))
    for (let at = 0; at < 20; at++) expect(await statementsOf(() => spoil(`spoilt-${at}`))).toBe(usual)
  }

  // Their places are used by another process, and are entered for that one's keys alone.
  const other = await openForTest(url)
  for (let at = 0; at < 20; at++) await claim(other, `kept-${at}`)
  for (let at = 0; at < 20; at++) await claimShort(`after-${at}`)
  await until(async () => (await enteredTo(store)) >= 20)
  const kept = Array.from({ length: 20 }, (_, at) => [`kept-${at}`, `after-${at}`]).flat()
  const numbers = new Set(kept.map((key) => storedNumber(account, key)))
  expect((await numbersEntered(store)).filter((number) => !numbers.has(number))).toEqual([])
})

test('keys whose commit is known are not looked at again', async () => {
  const { store } = await migrated()
  const statementsAfter = async (count: number): Promise<number> => {
    await Promise.all(Array.from({ length: count }, (_, at) => claim(store, `${count} ${at}`)))
    const before = store.counters.statements
    await claim(store, `after ${count}`)
    return store.counters.statements - before
  }
  await statementsAfter(1)
  expect(await statementsAfter(30)).toBe(await statementsAfter(1))
})

test('a run that is lost with its commit was not taken for entered by those who shared it', async () => {
  const { store } = await migrated()
  const { keys, claim: claimShort, lose } = withShortRuns(store, 4)
  for (const key of ['a', 'b', 'c', 'd', 'e']) expect(await claimShort(key)).toBe(true)
  // By now it is to be entered, which comes first in the next commit.
  await lose('f')
  expect(await countOf(store, runsOf(keyTable))).toBe(0)
  for (const key of ['a', 'd', 'e']) {
    expect(await claimShort(key)).toBe(false)
    expect((await keys.find(account, key))?.[2]).toBe(`body of ${key}`)
  }
  expect(await claimShort('f')).toBe(true)
})

test('of two processes that know enough to enter, one does', async () => {
  const { url, store } = await migrated()
  const processes = [withShortRuns(store, 4), withShortRuns(await openForTest(url), 4)]
  for (const key of ['a', 'b', 'c', 'd']) await processes[0]?.claim(key)
  for (const { keys } of processes) await keys.find(account, 'a')
  await Promise.all(processes.map((process, at) => process.claim(`next of ${at}`)))
  await until(async () => (await enteredTo(store)) >= 4)
  await Promise.all(processes.map((process, at) => process.claim(`last of ${at}`)))
  const numbers = await numbersEntered(store)
  expect(new Set(numbers).size).toBe(numbers.length)
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
  const { keys } = withShortRuns(later, 16)
  await keys.prepare()
  const runs = `SELECT DISTINCT "last" FROM "${runsOf(keyTable)}" ORDER BY 1`
  expect((await store.all(runs, [])).flat()).toEqual([16, 32, 48, 64, 80, 96])
  expect(await numbersEntered(store)).toHaveLength(96)
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
    [6, 3],
    [5, 1],
    [5, 2],
    [5, 1],
  ])
  expect([recent.placesOf(5), recent.sizeOfNewest]).toEqual([[1, 2], 3])
  recent.remove(5, 1)
  expect([recent.placesOf(5), recent.sizeOfNewest]).toEqual([[2], 2])
  recent.setApart()
  addAll([[5, 4]])
  expect(recent.placesOf(5)).toEqual([4, 2])
  recent.setApart()
  addAll([[5, 5]])
  expect(recent.apartBetween(0, 4)).toEqual([
    [5, 2],
    [5, 4],
    [6, 3],
  ])
  expect(recent.apartBetween(2, 3)).toEqual([[6, 3]])
  recent.forgetUpTo(2)
  expect(recent.placesOf(6)).toEqual([3])
  recent.forgetUpTo(3)
  expect([recent.placesOf(5), recent.placesOf(6), recent.placesOf(7)]).toEqual([[5, 4], [], []])
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
      expect([...table.numbers().sort()]).toEqual(all.map(([one]) => one).sort((a, b) => a - b))
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

test('a run finds the places of its numbers, on one page each, and hardly ever takes another for one of them', () => {
  const number = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 2 ** 48 - 1 }))
  fc.assert(
    fc.property(fc.array(number, { minLength: 1, maxLength: 900, size: 'max' }), (numbers) => {
      const pairs = numbers.sort((a, b) => a - b).map((one, at): Recent => [one, at + 1])
      const texts = writePages(pairs)
      const entered = new EnteredKeys(numbers.length)
      entered.add(
        numbers.length,
        texts.map((text, page) => ({ page, text })),
      )
      for (const [one, place] of pairs)
        expect(entered.pagesOf(one).flatMap((page) => placesOn(texts[page] ?? '', one))).toContain(place)
      expect(texts.flatMap((text) => numbersOn(text))).toEqual(numbers)
      entered.forgetBefore(numbers.length + 1)
      expect(entered.pagesOf(numbers[0] ?? 0)).toEqual([])
    }),
    // To find a smaller case takes minutes.
    { endOnFailure: true },
  )
})

test('many runs are looked at together, and few of them for nothing', () => {
  const [runs, size] = [70, 200]
  const filters = new RunFilters<number>(size)
  const numbersOf = (run: number) =>
    Array.from({ length: size }, (_, at) => storedNumber(account, `${run} ${at}`))
  for (let run = 0; run < runs; run++) filters.add(run, numbersOf(run))
  filters.remove(33)
  let strangers = 0
  for (let run = 0; run < runs; run++)
    for (const number of numbersOf(run)) {
      const found = filters.thatMayHave(number)
      expect(found.includes(run)).toBe(run !== 33)
      strangers += found.length - (run === 33 ? 0 : 1)
    }
  expect(strangers).toBeLessThan((runs * runs * size) / 1_000)
  filters.add(70, numbersOf(33))
  expect(numbersOf(33).every((number) => filters.thatMayHave(number).includes(70))).toBe(true)
})
