import { beforeAll, expect, test } from 'vitest'
import { ensureSecret } from '../../src/store/secret.ts'
import type { Store, Transaction } from '../../src/store/store.ts'
import { describeStores } from '../support/stores.ts'

const tables = {
  sqlite: `
    CREATE TABLE "owners" ("account_id" TEXT NOT NULL, "id" TEXT NOT NULL, "email" TEXT, "n" INTEGER, PRIMARY KEY ("account_id", "id")) STRICT;
    CREATE UNIQUE INDEX "owners__account_id__email__key" ON "owners" ("account_id", "email");
    CREATE TABLE "pets" ("account_id" TEXT NOT NULL, "owner_id" TEXT, FOREIGN KEY ("account_id", "owner_id") REFERENCES "owners") STRICT;
    CREATE TABLE "nounkit_meta" ("key" TEXT PRIMARY KEY, "value" TEXT) STRICT`,
  postgres: `
    CREATE TABLE "owners" ("account_id" text NOT NULL, "id" text NOT NULL, "email" text, "n" bigint, PRIMARY KEY ("account_id", "id"));
    CREATE UNIQUE INDEX "owners__account_id__email__key" ON "owners" ("account_id", "email");
    CREATE TABLE "pets" ("account_id" text NOT NULL, "owner_id" text, FOREIGN KEY ("account_id", "owner_id") REFERENCES "owners");
    CREATE TABLE "nounkit_meta" ("key" text PRIMARY KEY, "value" text)`,
}

describeStores('transactions and errors', ({ kind, open }) => {
  let store: Store
  const p = (n: number) => store.dialect.param(n, 'string')
  const insert = () => `INSERT INTO "owners" ("account_id", "id", "email") VALUES (${p(1)}, ${p(2)}, ${p(3)})`
  const add = (tx: Transaction, id: string, email: string | null = null) =>
    tx.first(insert(), ['a', id, email])
  const has = async (id: string) =>
    (await store.first(`SELECT 1 FROM "owners" WHERE "id" = ${p(1)}`, [id])) !== undefined

  beforeAll(async () => {
    store = await open()
    await store.session((session) => session.script(tables[kind]))
  })

  test('what a transaction returns comes out once it is durable', async () => {
    const value = await store.transaction(async (tx) => {
      await add(tx, 'kept')
      return 'done'
    })
    expect(value).toBe('done')
    expect(await has('kept')).toBe(true)
  })

  test('a transaction whose function throws is rolled back, and its error is passed on unchanged', async () => {
    const mine = new TypeError('mine')
    const outcome = store.transaction(async (tx) => {
      await add(tx, 'undone')
      throw mine
    })
    await expect(outcome).rejects.toBe(mine)
    expect(await has('undone')).toBe(false)
  })

  test('a transaction whose function swallows a statement’s error is rolled back too', async () => {
    const outcome = store.transaction(async (tx) => {
      await add(tx, 'swallowed')
      await Promise.resolve(tx)
        .then(() => add(tx, 'swallowed'))
        .catch(() => {})
      return 'fine'
    })
    await expect(outcome).rejects.toMatchObject({ kind: 'unique' })
    expect(await has('swallowed')).toBe(false)
  })

  test('statements of one transaction that are not awaited one by one still run in order', async () => {
    const rows = await store.transaction((tx) =>
      Promise.all([add(tx, 'x1'), add(tx, 'x2'), tx.all(`SELECT 1 FROM "owners" WHERE "id" LIKE 'x%'`, [])]),
    )
    expect(rows[2]).toHaveLength(2)
  })

  test('a statement after the end of its transaction is refused', async () => {
    let late: Transaction | undefined
    await store.transaction((tx) => {
      late = tx
    })
    await expect(async () => late?.first(insert(), ['a', 'late', null])).rejects.toThrow(/had ended/)
    expect(await has('late')).toBe(false)
  })

  test('a taken value names the table and the columns, without the account', async () => {
    await store.writeOne(insert(), ['a', 'u1', 'u@example.org'])
    const taken = store.writeOne(insert(), ['a', 'u2', 'u@example.org'])
    await expect(taken).rejects.toMatchObject({ kind: 'unique', table: 'owners', columns: ['email'] })
    const same = store.writeOne(insert(), ['a', 'u1', null])
    await expect(same).rejects.toMatchObject({ kind: 'unique', table: 'owners', columns: ['id'] })
    await expect(store.writeOne(insert(), ['b', 'u1', 'u@example.org'])).resolves.toBe(1)
  })

  test('a statement that writes says how many rows', async () => {
    for (const id of ['w1', 'w2']) expect(await store.writeOne(insert(), ['many', id, null])).toBe(1)
    const remove = `DELETE FROM "owners" WHERE "account_id" = ${p(1)}`
    expect(await store.writeOne(remove, ['many'])).toBe(2)
    expect(await store.writeOne(remove, ['many'])).toBe(0)
  })

  test('a row that names nothing, and one that is still named, are foreign-key errors', async () => {
    const pet = `INSERT INTO "pets" VALUES (${p(1)}, ${p(2)})`
    await expect(store.writeOne(pet, ['a', 'nobody'])).rejects.toMatchObject({ kind: 'foreign-key' })
    await store.writeOne(insert(), ['a', 'named', null])
    await store.writeOne(pet, ['a', 'named'])
    const removal = store.writeOne(`DELETE FROM "owners" WHERE "id" = ${p(1)}`, ['named'])
    await expect(removal).rejects.toMatchObject({ kind: 'foreign-key' })
  })

  test('numbers that cannot be held are out of range', async () => {
    const n = store.dialect.param(1, 'integer')
    const past = store.transaction((tx) =>
      tx.first(
        `INSERT INTO "owners" ("account_id", "id", "n") VALUES ('a', 'n', 9223372036854775807) RETURNING "n"`,
        [],
      ),
    )
    await expect(past).rejects.toMatchObject({ kind: 'out-of-range' })
    const overflow = store.writeOne(
      `INSERT INTO "owners" ("account_id", "id", "n") SELECT 'a', 'o', "n" * ${n} FROM (SELECT 9223372036854775807 AS "n") AS "x"`,
      [3],
    )
    await expect(overflow).rejects.toMatchObject({ kind: 'out-of-range' })
  })

  test('whole numbers are bound as integers', async () => {
    const n = store.dialect.param(1, 'integer')
    expect(await store.first(`SELECT CAST(${n} + 1 AS TEXT)`, [5])).toEqual(['6'])
    expect(await store.first(`SELECT ${n}`, [Number.MAX_SAFE_INTEGER])).toEqual([Number.MAX_SAFE_INTEGER])
  })

  test('rows are arrays, and no row is undefined', async () => {
    expect(await store.all(`SELECT ${p(1)}, ${p(2)}`, ['x', null])).toEqual([['x', null]])
    expect(await store.first(`SELECT ${p(1)} WHERE 1 = 0`, ['x'])).toBeUndefined()
  })

  test('a hundred transactions that raise one number raise it by a hundred', async () => {
    await store.writeOne(`INSERT INTO "owners" ("account_id", "id", "n") VALUES ('a', 'counter', 0)`, [])
    const lock = store.dialect.forUpdate
    const raise = () =>
      store.transaction(async (tx) => {
        const [n] = (await tx.first(`SELECT "n" FROM "owners" WHERE "id" = 'counter'${lock}`, [])) ?? []
        const next = store.dialect.param(1, 'integer')
        await tx.first(`UPDATE "owners" SET "n" = ${next} WHERE "id" = 'counter'`, [Number(n) + 1])
      })
    await Promise.all(Array.from({ length: 100 }, raise))
    expect(await store.first(`SELECT "n" FROM "owners" WHERE "id" = 'counter'`, [])).toEqual([100])
  })

  test('the secret is created once, by the first process that asks', async () => {
    const secrets = await Promise.all(Array.from({ length: 10 }, () => ensureSecret(store)))
    expect(new Set(secrets).size).toBe(1)
    expect(secrets[0]).toMatch(/^[0-9a-f]{64}$/)
  })

  test('statement texts are prepared once', async () => {
    const text = `SELECT ${p(1)}, 'prepared once'`
    await store.all(text, ['a'])
    const { prepared } = store.counters
    await store.all(text, ['b'])
    expect(store.counters.prepared).toBe(prepared)
  })
})
