import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { whenOver } from '../support/clean-up.ts'
import { emptyDatabase } from '../support/databases.ts'
import { openForTest } from '../support/stores.ts'

const unavailable = { name: 'StoreError', kind: 'unavailable' }
const add = 'INSERT INTO "things" VALUES ($1::text)'
const count = async (store: Store): Promise<unknown> =>
  (await store.first('SELECT count(*) FROM "things"', []))?.[0]

let url: string
let admin: Store

beforeAll(async () => {
  url = await emptyDatabase('postgres')
  admin = await openForTest(url)
  await admin.session((session) => session.script('CREATE TABLE "things" ("name" text)'))
})

/** Keeps this process from hearing anything, as a busy machine does. */
const pause = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('a server that has one connection for us is read and written all the same, and it is said why there are no more', async () => {
  const role = `single_${process.pid}`
  await admin.session((session) =>
    session.script(
      `CREATE ROLE ${role} LOGIN CONNECTION LIMIT 1; GRANT ALL ON "things" TO ${role}; GRANT CREATE ON SCHEMA public TO ${role}`,
    ),
  )
  whenOver(() => admin.session((session) => session.script(`DROP OWNED BY ${role}; DROP ROLE ${role}`)))
  const own = new URL(url)
  own.username = role
  const store = await openStore(`${own.href}?connect_timeout=3`)
  try {
    expect(await store.writeOne(add, ['alone'])).toBe(1)
    await Promise.all(['one', 'two', 'three'].map((name) => store.transaction((tx) => tx.first(add, [name]))))
    expect(await count(store)).toBe(4)
    const gate = Promise.withResolvers<void>()
    const holder = store.transaction(async (tx) => {
      await tx.first(add, ['held'])
      await gate.promise
    })
    const refused = store.transaction((tx) => tx.first(add, ['refused']))
    await expect(refused).rejects.toMatchObject(unavailable)
    await expect(refused).rejects.toThrow(
      /no free connection of 10 in 3000 ms; another .*too many connections/,
    )
    gate.resolve()
    await holder
  } finally {
    await store.close()
  }
})

test('a process that was held up gives nothing up that was answered meanwhile', async () => {
  // A statement is given up after twice its time.
  const store = await openForTest(`${url}?pool=4&connect_timeout=3&statement_timeout=1500`)
  const before = Number(await count(store))
  const statement = store.first('SELECT 1', [])
  const transactions = ['one', 'two'].map((name) => store.transaction((tx) => tx.first(add, [name])))
  pause(3_300)
  expect(await statement).toEqual([1])
  await Promise.all(transactions)
  expect(await count(store)).toBe(before + 2)
})

test('of a server that says nothing it is told that it says nothing', async () => {
  const mute = createServer(() => {}).listen(0, '127.0.0.1')
  await once(mute, 'listening')
  whenOver(() => void mute.close())
  const { port } = mute.address() as AddressInfo
  await expect(openStore(`postgres://postgres@127.0.0.1:${port}/postgres?connect_timeout=1`)).rejects.toThrow(
    /The server does not answer: check the host/,
  )
})
