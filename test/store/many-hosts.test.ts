import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { hostsOf } from '../../src/store/postgres/hosts.ts'
import type { Store } from '../../src/store/store.ts'
import { whenOver } from '../support/clean-up.ts'
import { freePort } from '../support/free-port.ts'
import { type OwnPostgres, startPostgres, startStandby } from '../support/own-postgres.ts'
import { openForTest } from '../support/stores.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'

const insert = 'INSERT INTO "things" ("name") VALUES ($1::text)'
const portOf = (server: OwnPostgres): number => Number(new URL(server.url).port)

let primary: OwnPostgres
let standby: OwnPostgres
let nowhere: number

beforeAll(async () => {
  primary = await startPostgres()
  whenOver(() => primary.stop())
  standby = await startStandby(primary)
  whenOver(() => standby.stop())
  nowhere = await freePort()
  const store = await openForTest(primary.url)
  await store.session((session) => session.script('CREATE TABLE "things" ("name" text PRIMARY KEY)'))
})

const open = (ports: readonly number[], parameters = ''): Promise<Store> => {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',')
  return openForTest(`postgres://postgres@${hosts}/postgres?${parameters}&connect_timeout=2`)
}

const port = async (store: Store): Promise<unknown> =>
  (await store.first(`SELECT current_setting('port')::int`, []))?.[0]

test('a list of hosts is split, each with the rest of the URL', () => {
  expect(hostsOf('postgres://me:p,w@a:5433,b,[::1]:5434/shop?user=x')).toEqual([
    { name: 'a:5433', url: 'postgres://me:p,w@a:5433/shop?user=x' },
    { name: 'b', url: 'postgres://me:p,w@b/shop?user=x' },
    { name: '[::1]:5434', url: 'postgres://me:p,w@[::1]:5434/shop?user=x' },
  ])
})

test('hosts that do not answer are passed over, and the server is the one that target_session_attrs asks for', async () => {
  const all = [nowhere, portOf(standby), portOf(primary)]
  for (const target of ['primary', 'read-write'])
    expect(await port(await open(all, `target_session_attrs=${target}`))).toBe(portOf(primary))
  const alone = [nowhere, portOf(standby)]
  await expect(open(alone, 'target_session_attrs=primary')).rejects.toThrow(
    /127\.0\.0\.1:\d+ answered, but not as primary.*No host is what target_session_attrs asks for/,
  )
  await expect(open(alone, 'target_session_attrs=standby')).rejects.toThrow(
    /target_session_attrs is "standby"\. .* NOUNKIT_READ_URL/,
  )
})

test('without target_session_attrs, connections go to all hosts in turn', async () => {
  const store = await open([portOf(standby), portOf(primary)], 'pool=4')
  const ports = new Set<unknown>()
  await until(async () => {
    const all = Array.from({ length: 8 }, () =>
      store.first(`SELECT current_setting('port')::int FROM pg_sleep(0.02)`, []),
    )
    for (const row of await Promise.all(all)) ports.add(row?.[0])
    return ports.size === 2
  })
})

test('a host that accepts connections and says nothing keeps nobody waiting', async () => {
  const mute = createServer((socket) => void socket.on('error', () => {}))
  const sockets = new Set<Socket>()
  mute.on('connection', (socket) => void sockets.add(socket))
  mute.listen(0, '127.0.0.1')
  await once(mute, 'listening')
  whenOver(() => {
    for (const socket of sockets) socket.destroy()
    mute.close()
  })
  const silent = (mute.address() as AddressInfo).port
  const hosts = `127.0.0.1:${silent},127.0.0.1:${portOf(primary)}`
  // Longer than the test may take: only other connections can answer.
  const store = await openForTest(`postgres://postgres@${hosts}/postgres?pool=4&connect_timeout=600`)
  const second = Promise.withResolvers<void>()
  const first = store.transaction(async (tx) => {
    await tx.first('SELECT 1', [])
    await second.promise
  })
  await store.transaction((tx) => tx.first('SELECT 2', []))
  second.resolve()
  await first
  for (const socket of sockets) socket.destroy()
})

test('a host that falls silent right after the login is left for the next one, and a store that waits for it ends', async () => {
  const question = 'pg_is_in_recovery'
  const proxy = createServer((client) => {
    const upstream = connect(portOf(primary), '127.0.0.1')
    for (const socket of [client, upstream]) socket.on('error', () => {})
    client.on('data', (bytes) => void (bytes.includes(question) || upstream.write(bytes)))
    client.on('close', () => upstream.destroy())
    upstream.pipe(client)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  whenOver(() => proxy.close())
  const { port: silent } = proxy.address() as AddressInfo
  const store = await open([silent, portOf(primary)], 'target_session_attrs=primary')
  expect(await port(store)).toBe(portOf(primary))
  await expect(open([silent], 'target_session_attrs=primary')).rejects.toThrow(/cannot be used/)
})

test('migrating through a standby is refused in one sentence', async () => {
  const store = await open([portOf(standby)])
  const refused = store.session((session) => session.script('CREATE TABLE "more" ()'))
  await expect(refused).rejects.toMatchObject({ name: 'StoreError', kind: 'unavailable' })
  await expect(refused).rejects.toThrow(/This server is a standby: name the primary/)
})

test('after a failover the same store goes on at the new primary', async () => {
  const followers = await Promise.all([
    open([portOf(primary), portOf(standby)], 'target_session_attrs=primary'),
    open([portOf(standby), portOf(primary)], 'target_session_attrs=read-write'),
  ])
  for (const [at, store] of followers.entries()) await store.writeOne(insert, [`before ${at}`])
  const watcher = await openForTest(standby.url)
  await until(async () => (await watcher.first('SELECT count(*) FROM "things"', []))?.[0] === 2)
  await primary.halt('immediate')
  await watcher.session((session) => session.script('SELECT pg_promote()'))
  for (const [at, store] of followers.entries()) {
    await until(() => store.writeOne(insert, [`after ${at}`]).then(() => true))
    await store.transaction((tx) => tx.first(insert, [`in a transaction ${at}`]))
    expect(await port(store)).toBe(portOf(standby))
  }
  expect(await watcher.first('SELECT count(*) FROM "things"', [])).toEqual([6])
})

test('a primary that falls silent holds nobody, once its standby was promoted, however late that was', async () => {
  const first = await startPostgres()
  whenOver(() => first.stop())
  const second = await startStandby(first)
  whenOver(() => second.stop())
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: portOf(first) })
  // Nothing is given up by itself: neither a statement nor an attempt to connect.
  const parameters = 'target_session_attrs=primary&statement_timeout=600000&connect_timeout=600'
  const store = await open([proxy.port, portOf(second)], parameters)
  await store.session((session) => session.script('CREATE TABLE "things" ("name" text PRIMARY KEY)'))
  await store.writeOne(insert, ['before'])
  const watcher = await openForTest(second.url)
  await until(async () => (await watcher.first('SELECT count(*) FROM "things"', []))?.[0] === 1)
  proxy.mute()
  proxy.freeze()
  const lost = store.writeOne(insert, ['lost'])
  let isLost = false
  lost.catch(() => {
    isLost = true
  })
  // Another primary was looked for meanwhile, in vain.
  await sleep(3_500)
  await watcher.session((session) => session.script('SELECT pg_promote()'))
  await until(() => isLost, { within: 30_000, what: 'the end of the lost write' })
  await expect(lost).rejects.toMatchObject({ kind: 'unavailable' })
  await until(() => store.writeOne(insert, ['after']).then(() => true), { within: 20_000 })
  expect(await port(store)).toBe(portOf(second))
})
