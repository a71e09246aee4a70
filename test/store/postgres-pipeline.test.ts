import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import { StoreError } from '../../src/store/store.ts'
import { whenOver } from '../support/clean-up.ts'
import { emptyDatabase } from '../support/databases.ts'
import { openForTest } from '../support/stores.ts'
import { until } from '../support/until.ts'

const open = async () => {
  const store = await openForTest(`${await emptyDatabase('postgres')}?pool=1`)
  await store.session((session) =>
    session.script('CREATE TABLE "things" ("name" text PRIMARY KEY, "n" bigint, "yes" boolean)'),
  )
  return store
}

const insert = 'INSERT INTO "things" ("name", "n") VALUES ($1::text, $2::text::bigint) RETURNING "name"'

test('statements under way together on one connection each get their own answer, or their own failure', async () => {
  const store = await open()
  const answers = await Promise.allSettled(
    Array.from({ length: 90 }, async (_, at) => {
      if (at % 3 === 0) return store.first(insert, [`${at}`, at])
      // Refused when it is bound, and when it is run.
      if (at % 3 === 1) return store.writeOne(insert, [`${at}`, 'no number'])
      return store.writeOne(insert, ['the same', at])
    }),
  )
  const kinds = answers.map((answer, at) => {
    if (answer.status === 'fulfilled') return String(answer.value)
    const error = answer.reason as StoreError
    expect(error, `statement ${at}`).toBeInstanceOf(StoreError)
    return error.kind
  })
  const expected = Array.from({ length: 90 }, (_, at) =>
    at % 3 === 0 ? `${at}` : at % 3 === 1 ? 'out-of-range' : at === 2 ? '1' : 'unique',
  )
  expect(kinds).toEqual(expected)
  expect(await store.first('SELECT count(*) FROM "things"', [])).toEqual([31])
})

test('a statement that cannot be prepared says so to all who sent it together, and hurts no other', async () => {
  const store = await open()
  const broken = 'SELECT "nothing" FROM "things" WHERE "name" = $1::text'
  const outcomes = await Promise.allSettled([
    store.first(broken, ['a']),
    store.first(broken, ['b']),
    store.first('SELECT 1 WHERE $1::text IS NOT NULL', ['c']),
    store.first(broken, ['d']),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'rejected'])
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(String(outcome.reason)).toContain('"nothing" does not exist')
})

test('a statement goes on when its table has changed, or its session has forgotten it', async () => {
  const store = await open()
  await store.writeOne(insert, ['a', 1])
  const all = 'SELECT * FROM "things" WHERE "name" = $1::text'
  expect(await store.first(all, ['a'])).toEqual(['a', 1, null])
  await store.session((session) => session.script('ALTER TABLE "things" ADD COLUMN "more" text'))
  expect(await store.first(all, ['a'])).toEqual(['a', 1, null, null])
  await store.all('DEALLOCATE ALL', [])
  expect(await store.first(all, ['a'])).toEqual(['a', 1, null, null])
})

test('values come as on every store: booleans as 0 and 1, numbers as numbers, all else as text', async () => {
  const store = await open()
  const row = await store.first(
    `SELECT true, false, 7::smallint, 7::int, 7::bigint, 7.5::float8, 7.50::numeric, '{"a": 1}'::json, NULL::int, 'text'`,
    [],
  )
  expect(row).toEqual([1, 0, 7, 7, 7, 7.5, '7.50', '{"a": 1}', null, 'text'])
  await expect(store.first('SELECT 9007199254740993::bigint', [])).rejects.toMatchObject({
    kind: 'out-of-range',
  })
  expect(await store.first('SELECT 8', [])).toEqual([8])
})

test('a connection that has prepared too much is left when it has answered, and only then ended', async () => {
  const url = await emptyDatabase('postgres')
  const store = await openForTest(`${url}?pool=1`)
  const watcher = await openForTest(`${url}?pool=1&application_name=watcher`)
  const sessions = async () =>
    (
      await watcher.first(
        `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'nounkit'`,
        [],
      )
    )?.[0]
  // With the question of its version, a thousand.
  for (let at = 0; at < 999; at++) await store.first(`SELECT ${at}`, [])
  const slow = store.first('SELECT 42 FROM pg_sleep(0.5)', [])
  // Those that come while it still owes an answer get another connection, one for all of them.
  const others = Array.from({ length: 20 }, (_, at) => store.first(`SELECT ${at} + 1`, []))
  expect(await Promise.all(others)).toEqual(Array.from({ length: 20 }, (_, at) => [at + 1]))
  expect(await sessions()).toBe(2)
  expect(await slow).toEqual([42])
  await until(async () => (await sessions()) === 1, { what: 'the old connection to end' })
  expect(await store.first('SELECT 1', [])).toEqual([1])
})

test('a transaction keeps its connection however much has been prepared on it', async () => {
  const store = await open()
  // With the question of its version, a thousand.
  for (let at = 0; at < 999; at++) await store.first(`SELECT ${at}`, [])
  const written = await store.transaction(async (tx) => {
    await tx.first(insert, ['in a transaction', 1])
    await tx.first('SELECT 1 + 1', [])
    return tx.first('SELECT count(*) FROM "things"', [])
  })
  expect(written).toEqual([1])
})

test('a value that cannot be sent fails alone, and the connection goes on counting right', async () => {
  const store = await open()
  const circular: { self?: unknown } = {}
  circular.self = circular
  await expect(store.first('SELECT $1::text', [circular as unknown as string])).rejects.toThrow(/circular/)
  expect(await store.first('SELECT 1', [])).toEqual([1])
  const slow = store.first('SELECT 2 FROM pg_sleep(0.2)', [])
  expect(store.counters.busyConnections).toBe(1)
  expect(await slow).toEqual([2])
  expect(store.counters.busyConnections).toBe(0)
})

test('a closed store connects no more, and every waiting call is refused', async () => {
  const store = await open()
  const slow = store.first('SELECT 1 FROM pg_sleep(30)', [])
  const waiting = store.transaction((tx) => tx.first('SELECT 2', []))
  const outcomes = Promise.allSettled([slow, waiting])
  await new Promise((resolve) => setTimeout(resolve, 100))
  await store.close()
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await expect(store.first('SELECT 3', [])).rejects.toMatchObject({ kind: 'unavailable' })
})

test('a server that asks for an unsupported way to log in is refused, and the process lives on', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    // AuthenticationGSS
    socket.once('data', () => socket.write(Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 7])))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  whenOver(() => void server.close())
  const { port } = server.address() as AddressInfo
  await expect(openStore(`postgres://me@127.0.0.1:${port}/shop`)).rejects.toThrow(
    /cannot be used: .*Unknown authenticationOk message type 7/,
  )
})

test('a connection that is lost the moment it is made is not kept', async () => {
  const real = new URL(await emptyDatabase('postgres'))
  let dying = false
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    if (dying) {
      dying = false
      // Welcome, ready, and an error that concerns no statement, in one breath; the line stays open.
      const ready = [82, 0, 0, 0, 8, 0, 0, 0, 0, 90, 0, 0, 0, 5, 73]
      const fatal = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mgoing down\0\0')
      const length = Buffer.alloc(4)
      length.writeUInt32BE(fatal.length + 4)
      socket.once('data', () => socket.write(Buffer.concat([Buffer.from([...ready, 69]), length, fatal])))
      return
    }
    const upstream = connect(Number(real.port), real.hostname)
    upstream.on('error', () => {})
    socket.pipe(upstream).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  whenOver(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const near = new URL(real)
  near.port = String((server.address() as AddressInfo).port)
  const store = await openForTest(`${near.href}?pool=1`)
  dying = true
  for (const socket of sockets) socket.destroy()
  await until(() => store.ready().then(() => true), { what: 'the store answering again', within: 60_000 })
  expect(dying).toBe(false)
})
