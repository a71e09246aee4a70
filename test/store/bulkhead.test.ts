import { beforeAll, describe, expect, test } from 'vitest'
import { measuredStore } from '../../src/store/measured-store.ts'
import { hashText } from '../../src/store/postgres/hash-text.ts'
import { StatementTimes } from '../../src/store/statement-times.ts'
import type { Store } from '../../src/store/store.ts'
import { emptyDatabase } from '../support/databases.ts'
import { openForTest } from '../support/stores.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { accountOn, twoNodesSql } from '../support/two-nodes.ts'
import { until } from '../support/until.ts'

const unavailable = { name: 'StoreError', kind: 'unavailable' }
const add = 'UPDATE "things" SET "n" = "n" + 1 WHERE "account_id" = $1::text'
const read = 'SELECT "n" FROM "things" WHERE "account_id" = $1::text'

let url: string
let admin: Store

beforeAll(async () => {
  url = await emptyDatabase('postgres')
  admin = await openForTest(url)
  await admin.session((session) =>
    session.script(
      `CREATE TABLE "things" ("account_id" text PRIMARY KEY, "n" int NOT NULL);
       INSERT INTO "things" SELECT name, 0 FROM unnest(ARRAY['held', 'other', 'third']) name`,
    ),
  )
})

/** Locks the row of an account until the returned function is called. */
async function lockRow(account: string): Promise<() => Promise<void>> {
  const gate = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const holder = admin.transaction(async (tx) => {
    await tx.first(`${read} FOR UPDATE`, [account])
    held.resolve()
    await gate.promise
  })
  await held.promise
  return async () => {
    gate.resolve()
    await holder
  }
}

const change = (store: Store, account: string): Promise<unknown> =>
  store.transaction((tx) => tx.first(add, [account]), account)

describe('statements that are stuck hold a share of the connections', () => {
  test.each([
    ['', (opened: Store) => opened],
    [', where they are measured too', (opened: Store) => measuredStore(opened, new StatementTimes())],
  ])(
    'transactions of one account that wait for a row leave connections to others, and the rest of them is refused%s',
    async (_, watched) => {
      const store = watched(await openForTest(`${url}?pool=6&connect_timeout=1&lock_timeout=30000`))
      const unlock = await lockRow('held')
      const stuck = Array.from({ length: 12 }, () => change(store, 'held'))
      const outcomes = Promise.allSettled(stuck)
      await until(() => store.counters.waiting === 9, { what: 'nine of twelve waiting for a connection' })
      await change(store, 'other')
      expect(await store.writeOne(add, ['third'], 'third')).toBe(1)
      expect(await store.first(read, ['other'], 'other')).toEqual([expect.any(Number)])
      // The account itself can still read what is not locked.
      const [before] = (await store.first(read, ['held'], 'held')) ?? []
      await until(() => store.counters.waiting === 0, { what: 'the nine being refused' })
      // Once its connections are silent, the account is refused without waiting.
      await expect(change(store, 'held')).rejects.toMatchObject(unavailable)
      await unlock()
      const ends = (await outcomes).map(({ status }) => status)
      expect(ends.filter((status) => status === 'fulfilled')).toHaveLength(3)
      expect(await store.first(read, ['held'], 'held')).toEqual([Number(before) + 3])
      await change(store, 'held')
    },
  )

  test('a connection that is silent gets no further statement while others are answered', async () => {
    const { hostname, port, pathname, username } = new URL(url)
    const proxy = await startTcpProxy({ host: hostname, port: Number(port) })
    const far = await openForTest(
      `postgres://${username}@127.0.0.1:${proxy.port}${pathname}?pool=4&statement_timeout=20000`,
    )
    await far.ready()
    proxy.freeze()
    let isOver = false
    const silent = Promise.resolve(far.first(read, ['held'], 'held')).finally(() => {
      isOver = true
    })
    silent.catch(() => {})
    let answered = 0
    await until(
      async () => {
        void Promise.resolve(far.first(read, ['other'], 'other')).then(
          () => answered++,
          () => {},
        )
        return answered > 5
      },
      { what: 'other connections answering' },
    )
    expect(isOver).toBe(false)
    proxy.cut()
  })

  test('a statement whose server process is stopped is given up, and its connection replaced', async () => {
    const store = await openForTest(`${url}?pool=1&statement_timeout=300`)
    let pid = 0
    const stopped = store.transaction(async (tx) => {
      pid = Number((await tx.first('SELECT pg_backend_pid()', []))?.[0])
      process.kill(pid, 'SIGSTOP')
      await tx.first(read, ['other'])
    }, 'other')
    await expect(stopped)
      .rejects.toMatchObject(unavailable)
      .finally(() => process.kill(pid, 'SIGCONT'))
    await change(store, 'other')
  })
})

test('a connection whose statement was cancelled is replaced: the server may still be busy with giving it up', async () => {
  const store = await openForTest(`${url}?pool=1&statement_timeout=200`)
  const pid = async () => (await store.first('SELECT pg_backend_pid()', []))?.[0]
  const before = await pid()
  await expect(store.all('SELECT pg_sleep(5)::text', [])).rejects.toMatchObject(unavailable)
  expect(await pid()).not.toBe(before)
})

describe('Citus', () => {
  test('the node of an account is found by the hash that PostgreSQL computes', async () => {
    const texts = [
      '',
      'a',
      'acme',
      'größe',
      '😀',
      'x'.repeat(11),
      'x'.repeat(12),
      'y'.repeat(13),
      'z'.repeat(100),
    ]
    for (let at = 0; at < 40; at++) texts.push(`account-${at * 7919}`)
    const rows = await admin.all(
      'SELECT hashtext(value) FROM json_array_elements_text($1::json) WITH ORDINALITY ORDER BY ordinality',
      [JSON.stringify(texts)],
    )
    expect(texts.map(hashText)).toEqual(rows.flat())
  })

  test('statements that wait for one node hold a share of the connections and never stand before those of another', async () => {
    const own = await emptyDatabase('postgres')
    const setUp = await openForTest(own)
    await setUp.session((session) =>
      session.script(`CREATE TABLE "nounkit_idempotency" ("account_id" text); ${twoNodesSql}`),
    )
    const store = await openForTest(`${own}?pool=8&connect_timeout=1`)
    expect(store.dialect.name).toBe('postgres')
    const gate = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const holder = setUp.transaction(async (tx) => {
      await tx.all('SELECT pg_advisory_xact_lock(1)', [])
      locked.resolve()
      await gate.promise
    })
    await locked.promise
    const wait = 'SELECT pg_advisory_xact_lock_shared(1)::text'
    // Reads of many accounts of the silent node, until those beyond its share are refused.
    const silent: Promise<unknown>[] = []
    let refused = 0
    // Housekeeping asks all nodes, and so the silent one.
    for (let at = 0; at < 6; at++) silent.push(store.transaction((tx) => tx.all(wait, [])))
    for (const sent of silent) sent.catch(() => {})
    await until(() => {
      const sent = Promise.resolve(store.all(wait, [], accountOn(1, silent.length)))
      silent.push(sent)
      sent.catch(() => refused++)
      return refused > 0
    })
    const outcomes = Promise.allSettled(silent)
    for (let at = 0; at < 20; at++) {
      const refusal = expect(store.all(wait, [], accountOn(1, at))).rejects.toMatchObject(unavailable)
      expect(await store.first('SELECT 7', [], accountOn(2, at))).toEqual([7])
      expect(await store.first('SELECT 8', [], '')).toEqual([8])
      expect(await store.writeOne('DELETE FROM "nounkit_idempotency"', [], accountOn(2, at))).toBe(0)
      await refusal
    }
    await store.transaction((tx) => tx.first('SELECT 1', []), accountOn(2, 0))
    gate.resolve()
    await holder
    const answered = (await outcomes).filter(({ status }) => status === 'fulfilled')
    expect(answered.length).toBeGreaterThan(0)
    await until(() => Promise.resolve(store.all(wait, [], accountOn(1, 100))))
  })
})
