import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Store, Transaction } from '../../src/store/store.ts'
import { whenOver } from '../support/clean-up.ts'
import { type OwnPostgres, startPostgres } from '../support/own-postgres.ts'
import { openForTest } from '../support/stores.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'

const insert = 'INSERT INTO "things" ("name") VALUES ($1::text) RETURNING "name"'
const unavailable = { name: 'StoreError', kind: 'unavailable' }
const sleepSql = (seconds: number) => `SELECT pg_sleep(${seconds})::text`

describe('PostgreSQL fails, and comes back', () => {
  let server: OwnPostgres
  let store: Store
  let proxy: TcpProxy

  const open = (parameters = ''): Promise<Store> => openForTest(`${server.url}?${parameters}`)
  const throughProxy = (parameters = ''): Promise<Store> =>
    openForTest(`postgres://postgres@127.0.0.1:${proxy.port}/postgres?${parameters}`)
  const names = async () => (await store.all('SELECT "name" FROM "things" ORDER BY "name"', [])).flat()
  const comesBack = () => until(() => store.ready().then(() => true), { what: 'the store answering again' })

  beforeAll(async () => {
    server = await startPostgres({ deadlock_timeout: '50ms' })
    whenOver(() => server.stop())
  })

  beforeEach(async () => {
    store = await open()
    const { port } = new URL(server.url)
    proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(port) })
    await store.session((session) =>
      session.script(
        'DROP TABLE IF EXISTS "things"; CREATE TABLE "things" ("name" text PRIMARY KEY, "n" int)',
      ),
    )
  })

  test('while the server is down everything is unavailable; when it is back, so are we', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, at) => store.writeOne(insert, [`${at}`])))
    await server.halt()
    await expect(store.ready()).rejects.toMatchObject(unavailable)
    await expect(store.writeOne(insert, ['x'])).rejects.toMatchObject(unavailable)
    await expect(store.transaction((tx) => tx.first(insert, ['x']))).rejects.toMatchObject(unavailable)
    await server.start()
    await comesBack()
    expect(await names()).toHaveLength(20)
    await Promise.all(Array.from({ length: 20 }, (_, at) => store.writeOne(insert, [`after ${at}`])))
    expect(await names()).toHaveLength(40)
  })

  test('a read whose connection is lost after a while is not sent again: a request would take twice as long', async () => {
    const far = await throughProxy('statement_timeout=60000')
    await far.all('SELECT 1', [])
    const { statements } = far.counters
    const lost = Promise.resolve(far.all('SELECT pg_sleep(60)::text', []))
    lost.catch(() => {})
    await sleep(1_200)
    proxy.cut()
    await expect(lost).rejects.toMatchObject(unavailable)
    expect(far.counters.statements - statements).toBe(1)
  })

  test('a transaction whose statement took too long is answered at once, however long its session stays busy', async () => {
    const far = await throughProxy('statement_timeout=4000')
    let cancelledAt = 0
    const outcome = far.transaction(async (tx) => {
      await tx.first(insert, ['undone'])
      try {
        await tx.first('SELECT pg_sleep(60)::text', [])
      } catch (error) {
        cancelledAt = performance.now()
        // As on Citus, whose session first waits for the node that did not answer.
        proxy.freeze()
        throw error
      }
    })
    await expect(outcome).rejects.toMatchObject(unavailable)
    expect(performance.now() - cancelledAt).toBeLessThan(3_000)
    await until(async () => (await names()).length === 0)
  })

  test('a restart between two requests is not noticed', async () => {
    await store.writeOne(insert, ['before'])
    await server.restart('immediate')
    expect(await names()).toEqual(['before'])
    await store.transaction((tx) => tx.first(insert, ['after']))
    expect(await names()).toEqual(['after', 'before'])
  })

  test('a connection lost in a transaction undoes all of it, and its later statements run nowhere else', async () => {
    const outcome = store.transaction(async (tx) => {
      await tx.first(insert, ['first half'])
      const [pid] = (await tx.first('SELECT pg_backend_pid()', [])) ?? []
      await store.first(`SELECT pg_terminate_backend(${pid})::text`, [])
      await new Promise((resolve) => setTimeout(resolve, 50))
      await Promise.resolve(tx.first('SELECT 1', [])).catch(() => {})
      await Promise.resolve(tx.first(insert, ['second half'])).catch(() => {})
      await Promise.resolve(tx.first(insert, ['third half'])).catch(() => {})
      return 'swallowed'
    })
    await expect(outcome).rejects.toMatchObject(unavailable)
    expect(await names()).toEqual([])
    await store.writeOne(insert, ['next'])
    expect(await names()).toEqual(['next'])
  })

  test('statements of a transaction that are under way together when the connection drops run nowhere else', async () => {
    const far = await throughProxy('pool=2')
    const outcome = far.transaction(async (tx) => {
      await tx.first('SELECT 1', [])
      const together = Promise.allSettled([
        tx.first(sleepSql(0.5), []),
        tx.first(insert, ['one']),
        tx.first(insert, ['two']),
      ])
      setTimeout(proxy.cut, 50)
      await together
    })
    await expect(outcome).rejects.toMatchObject(unavailable)
    await far.ready()
    expect(await names()).toEqual([])
  })

  test('a write whose connection drops is unavailable and not tried twice; a read is', async () => {
    const far = await throughProxy('pool=1')
    const write = far.writeOne(`${insert.replace('$1::text', `$1::text || (SELECT pg_sleep(0.5))::text`)}`, [
      'w',
    ])
    setTimeout(proxy.cut, 50)
    await expect(write).rejects.toMatchObject(unavailable)
    const read = far.first('SELECT 7 FROM pg_sleep(0.3)', [])
    setTimeout(proxy.cut, 50)
    expect(await read).toEqual([7])
  })

  test('a server that falls silent is given up, and another connection made', async () => {
    const far = await throughProxy('pool=1&statement_timeout=200')
    await far.ready()
    proxy.freeze()
    await expect(far.writeOne(insert, ['lost'])).rejects.toMatchObject(unavailable)
    await far.writeOne(insert, ['found'])
    expect(await names()).toEqual(['found'])
  })

  test('a proxy that accepts and hangs up is unavailable, not waited for', async () => {
    const far = await throughProxy('pool=2&connect_timeout=1')
    proxy.refuse(true)
    proxy.cut()
    await expect(far.writeOne(insert, ['x'])).rejects.toMatchObject(unavailable)
    proxy.refuse(false)
    await until(() => far.ready().then(() => true))
  })

  test('deadlocks are retried until both transactions are through', async () => {
    for (const name of ['a', 'b']) await store.writeOne(insert, [name])
    const add = (tx: Transaction, name: string) =>
      tx.first(`UPDATE "things" SET "n" = coalesce("n", 0) + 1 WHERE "name" = $1::text`, [name])
    let attempts = 0
    let holding = 0
    const bothHold = Promise.withResolvers<void>()
    const both = (first: string, second: string) =>
      store.transaction(async (tx) => {
        attempts++
        await add(tx, first)
        // Each has one row before either asks for the other's.
        if (++holding === 2) bothHold.resolve()
        await bothHold.promise
        await add(tx, second)
      })
    await Promise.all([both('a', 'b'), both('b', 'a')])
    expect(attempts).toBeGreaterThan(2)
    expect(await store.all('SELECT "n" FROM "things" ORDER BY "name"', [])).toEqual([[2], [2]])
  })

  test('serialization failures are retried from the start, and not for ever', async () => {
    const fail = `DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$`
    let attempts = 0
    const value = await store.transaction(async (tx) => {
      attempts++
      await tx.first(insert, ['once'])
      if (attempts < 3) await tx.all(fail, [])
      return attempts
    })
    expect(value).toBe(3)
    expect(await names()).toEqual(['once'])
    attempts = 0
    const hopeless = store.transaction(async (tx) => {
      attempts++
      await tx.all(fail, [])
    })
    await expect(hopeless).rejects.toMatchObject(unavailable)
    expect(attempts).toBe(6)
  })

  test('a row that is locked for too long is a lock-timeout, a statement that runs too long unavailable', async () => {
    const hasty = await open('lock_timeout=100&statement_timeout=400')
    await store.writeOne(insert, ['held'])
    const gate = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const holder = store.transaction(async (tx) => {
      await tx.first(`SELECT 1 FROM "things" WHERE "name" = 'held' FOR UPDATE`, [])
      held.resolve()
      await gate.promise
    })
    await held.promise
    const waiting = hasty.writeOne(`UPDATE "things" SET "n" = 1 WHERE "name" = 'held'`, [])
    await expect(waiting).rejects.toMatchObject({ kind: 'lock-timeout' })
    gate.resolve()
    await holder
    await expect(hasty.all(sleepSql(2), [])).rejects.toMatchObject(unavailable)
  })

  test('statements that wait for a row another transaction holds keep no read waiting', async () => {
    const busy = await open('pool=4&lock_timeout=3000')
    await store.session((session) =>
      session.script(
        'DROP TABLE IF EXISTS "parts"; CREATE TABLE "parts" ("of" text REFERENCES "things", "n" int)',
      ),
    )
    whenOver(() => store.session((session) => session.script('DROP TABLE "parts"')))
    await busy.writeOne(insert, ['held'])
    const gate = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const holder = busy.transaction(async (tx) => {
      await tx.first(`SELECT 1 FROM "things" WHERE "name" = 'held' FOR UPDATE`, [])
      held.resolve()
      await gate.promise
    })
    await held.promise
    const answered: string[] = []
    const parts = Array.from({ length: 40 }, async (_, at) => {
      await busy.writeOne(`INSERT INTO "parts" VALUES ('held', $1::int)`, [at])
      answered.push('part')
    })
    for (let at = 0; at < 20; at++) {
      await busy.first('SELECT 1', [])
      answered.push('read')
    }
    expect(answered).toEqual(Array.from({ length: 20 }, () => 'read'))
    gate.resolve()
    await Promise.all([holder, ...parts])
  })

  test('single writes and reads go on while transactions have all connections they may have', async () => {
    const small = await open('pool=4&connect_timeout=1')
    const gate = Promise.withResolvers<void>()
    const holders = ['first', 'second', 'third'].map((name) =>
      small.transaction(async (tx) => {
        await tx.first(insert, [name])
        await gate.promise
      }),
    )
    const outcomes = Promise.allSettled(holders)
    await until(() => small.counters.waiting === 1)
    expect(await small.writeOne(insert, ['single'])).toBe(1)
    expect(await small.first('SELECT 1', [])).toEqual([1])
    gate.resolve()
    await outcomes
    expect(await names()).toContain('single')
  })

  test('without a free connection transactions wait, then are unavailable, while reads go on', async () => {
    const small = await open('pool=2&connect_timeout=1')
    const gate = Promise.withResolvers<void>()
    const first = small.transaction(async (tx) => {
      await tx.first(insert, ['first'])
      await gate.promise
    })
    const second = small.transaction((tx) => tx.first(insert, ['second']))
    expect(await small.first('SELECT 1', [])).toEqual([1])
    await expect(second).rejects.toMatchObject(unavailable)
    const third = small.transaction((tx) => tx.first(insert, ['third']))
    gate.resolve()
    await Promise.all([first, third])
    expect(await names()).toEqual(['first', 'third'])
  })

  test('a transaction that never ends is given up, and its connection serves others', async () => {
    const small = await open('pool=1&statement_timeout=100')
    const endless = small.transaction(async (tx) => {
      await tx.first(insert, ['endless'])
      await new Promise(() => {})
    })
    await expect(endless).rejects.toMatchObject(unavailable)
    await small.transaction((tx) => tx.first(insert, ['next']))
    expect(await names()).toEqual(['next'])
  })

  test('with one connection, statements and transactions take turns and never mix', async () => {
    const single = await open('pool=1')
    const refused = new Error('undo')
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, at) =>
        at % 3 === 0
          ? single.transaction(async (tx) => {
              await tx.first(insert, [`undone ${at}`])
              await new Promise((resolve) => setTimeout(resolve, 2))
              throw refused
            })
          : single.writeOne(insert, [`kept ${at}`]),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
    expect((await names()).filter((name) => String(name).startsWith('kept'))).toHaveLength(20)
    expect(await names()).toHaveLength(20)
  })

  test('a server that has become read-only is unavailable until it can be written again', async () => {
    const url = new URL(server.url)
    const admin = await open()
    await admin.session((session) => session.script('CREATE DATABASE "fickle"'))
    url.pathname = '/fickle'
    const own = await openForTest(`${url.href}?pool=2`)
    await own.session((session) => session.script('CREATE TABLE "things" ("name" text)'))
    /** A failover ends the sessions; those made after it lead to a server in the other mode. */
    const failOver = (readOnly: boolean) =>
      admin.session((session) =>
        session.script(
          `ALTER DATABASE "fickle" SET default_transaction_read_only = ${readOnly};
           SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'fickle'`,
        ),
      )
    await failOver(true)
    await until(() => own.ready().then(() => true))
    await expect(own.writeOne(insert, ['x'])).rejects.toMatchObject(unavailable)
    await failOver(false)
    await until(() => own.writeOne(insert, ['y']).then(() => true))
    expect(await own.all('SELECT "name" FROM "things"', [])).toEqual([['y']])
  })
})
