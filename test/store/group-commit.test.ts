import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { storeUnderTest } from '../support/stores.ts'

const insert = 'INSERT INTO "things" ("name") VALUES (?1) RETURNING "name"'

describe('SQLite transactions share commits', () => {
  let store: Store
  const names = async () => (await store.all('SELECT "name" FROM "things" ORDER BY "name"', [])).flat()

  // The clock stands still: a batch that has been open for 20 ms takes no more, which a busy machine reaches.
  afterEach(() => void vi.useRealTimers())
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    store = await storeUnderTest('sqlite').open()
    await store.session((session) => session.script('CREATE TABLE "things" ("name" TEXT PRIMARY KEY) STRICT'))
  })

  test('those that queue up together are committed together', async () => {
    const works = Array.from({ length: 300 }, (_, at) =>
      at % 2 === 0
        ? store.writeOne(insert, [`${at}`])
        : store.transaction((tx) => tx.first(insert, [`${at}`])),
    )
    expect((await Promise.all(works)).flat()).toHaveLength(300)
    expect(await names()).toHaveLength(300)
    expect(store.counters.committed).toBe(300)
    // 128 to a commit at most.
    expect(store.counters.commits).toBe(3)
  })

  test('reads keep their page cache after commits of this process', async () => {
    // data_version changes when another connection has committed; SQLite then drops its page cache.
    const seen = async () => (await store.first('PRAGMA data_version', []))?.[0]
    const before = await seen()
    await store.writeOne(insert, ['a'])
    expect(await names()).toEqual(['a'])
    expect(await seen()).toBe(before)
  })

  test('one that fails is undone alone and gets its own error', async () => {
    const refused = new Error('no')
    const outcomes = await Promise.allSettled([
      store.writeOne(insert, ['a']),
      store.transaction(async (tx) => {
        await tx.first(insert, ['b'])
        await tx.first(insert, ['c'])
        throw refused
      }),
      store.writeOne(insert, ['a']),
      store.transaction((tx) => tx.first(insert, ['d'])),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(outcomes[1]).toEqual({ status: 'rejected', reason: refused })
    expect(outcomes[2]).toMatchObject({ reason: { kind: 'unique', table: 'things', columns: ['name'] } })
    expect(await names()).toEqual(['a', 'd'])
    expect(store.counters.commits).toBe(1)
  })

  test('the first one that fails is undone alone, and those behind it are written', async () => {
    const refused = new Error('no')
    const outcomes = await Promise.allSettled([
      store.transaction(async (tx) => {
        await tx.first(insert, ['a'])
        await sleep(5)
        throw refused
      }),
      store.transaction((tx) => tx.first(insert, ['b'])),
      store.writeOne(insert, ['c']),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    expect(outcomes[0]).toEqual({ status: 'rejected', reason: refused })
    expect(await names()).toEqual(['b', 'c'])
    expect(store.counters.commits).toBe(1)
  })

  describe('a claimed write', () => {
    const claimed = (name: string, second: string) => ({
      claim: { sql: 'INSERT INTO "things" ("name") VALUES (?1) ON CONFLICT DO NOTHING', values: [name] },
      write: { sql: 'INSERT INTO "things" ("name") VALUES (?1)', values: [second] },
      release: { sql: 'DELETE FROM "things" WHERE "name" = ?1', values: [name] },
    })

    test('takes its claim back when it fails, alone', async () => {
      const outcomes = await Promise.allSettled([
        store.writeOne(insert, ['a']),
        store.writeClaimed?.(claimed('b', 'a')),
        store.writeClaimed?.(claimed('c', 'd')),
        store.writeClaimed?.(claimed('b', 'e')),
      ])
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'fulfilled',
      ])
      expect(outcomes[1]).toMatchObject({ reason: { kind: 'unique', table: 'things', columns: ['name'] } })
      expect(await names()).toEqual(['a', 'b', 'c', 'd', 'e'])
      expect(store.counters.commits).toBe(1)
    })

    test('writes nothing where the claim exists, and leaves it there', async () => {
      expect(await store.writeClaimed?.(claimed('a', 'b'))).toBe(true)
      expect(await store.writeClaimed?.(claimed('a', 'c'))).toBe(false)
      expect(await names()).toEqual(['a', 'b'])
    })

    test('is not committed when its claim cannot be taken back, nor is what shares its commit', async () => {
      const broken = { ...claimed('b', 'a'), release: { sql: 'DELETE FROM "nothing"', values: [] } }
      const outcomes = await Promise.allSettled([store.writeOne(insert, ['a']), store.writeClaimed?.(broken)])
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
      expect(outcomes[1]).toMatchObject({ reason: { kind: 'unavailable' } })
      expect(await names()).toEqual([])
    })
  })

  test('nothing is visible, and no call is answered, before the commit', async () => {
    const gate = Promise.withResolvers<void>()
    const inside = Promise.withResolvers<void>()
    const answered: string[] = []
    const first = store.writeOne(insert, ['first']).then(() => answered.push('first'))
    const slow = store.transaction(async (tx) => {
      await tx.first(insert, ['slow'])
      inside.resolve()
      await gate.promise
      await tx.first(insert, ['slower'])
    })
    await inside.promise
    const last = store.writeOne(insert, ['last']).then(() => answered.push('last'))
    await sleep(20)
    expect(await names()).toEqual([])
    expect(answered).toEqual([])
    gate.resolve()
    await Promise.all([first, slow, last])
    expect(await names()).toEqual(['first', 'last', 'slow', 'slower'])
  })

  test('one that waits is answered when it has ended, however many wait behind it', async () => {
    const waiting = Array.from({ length: 4 }, (_, at) =>
      store.transaction(async (tx) => {
        vi.advanceTimersByTime(30)
        return tx.first(insert, [`${at}`])
      }),
    )
    const seen: unknown[][] = []
    for (const work of waiting) {
      await work
      seen.push(await names())
    }
    expect(seen).toEqual([['0'], ['0', '1'], ['0', '1', '2'], ['0', '1', '2', '3']])
  })

  test('those that wait for nothing but their own statements share a commit', async () => {
    const works = Array.from({ length: 20 }, (_, at) =>
      store.transaction(async (tx) => {
        await tx.first(insert, [`${at}`])
        await tx.first(insert, [`${at} too`])
      }),
    )
    await Promise.all(works)
    expect(await names()).toHaveLength(40)
    expect(store.counters.commits).toBe(1)
  })

  test('a transaction sees what earlier ones of its batch wrote, although it is not committed', async () => {
    const seen = await Promise.all([
      store.writeOne(insert, ['a']),
      store.transaction((tx) => tx.all('SELECT "name" FROM "things"', [])),
    ])
    expect(seen).toEqual([1, [['a']]])
  })

  test('a commit that fails undoes and refuses all that shared it', async () => {
    await store.session((session) =>
      session.script(
        'CREATE TABLE "later" ("name" TEXT REFERENCES "things" DEFERRABLE INITIALLY DEFERRED) STRICT',
      ),
    )
    const outcomes = await Promise.allSettled([
      store.writeOne(insert, ['a']),
      store.writeOne('INSERT INTO "later" VALUES (?1)', ['nobody']),
    ])
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'unavailable' } })
    expect(await names()).toEqual([])
    await store.writeOne(insert, ['after'])
    expect(await names()).toEqual(['after'])
  })

  test('a full disk is unavailable to those it concerns, and forgotten when there is room', async () => {
    await store.writeOne(insert, ['before'])
    const room = (pages: number) =>
      store.transaction((tx) => tx.first(`PRAGMA max_page_count = ${pages}`, []))
    await room(1)
    const outcomes = await Promise.allSettled([
      store.writeOne(insert, ['x'.repeat(100_000)]),
      store.transaction((tx) => tx.first(insert, ['y'.repeat(100_000)])),
    ])
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'unavailable' } })
    await room(1_000_000)
    await store.writeOne(insert, ['later'])
    expect(await names()).toEqual(['before', 'later'])
  })

  test('closing waits for what is queued', async () => {
    const writes = Promise.all(Array.from({ length: 5 }, (_, at) => store.writeOne(insert, [`${at}`])))
    await store.close()
    expect(await writes).toHaveLength(5)
    await expect(async () => store.first('SELECT 1', [])).rejects.toThrow()
  })
})
