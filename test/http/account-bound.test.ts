import { beforeAll, describe, expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { moveEvents } from '../../src/plan/event-moves.ts'
import { writeAlone } from '../../src/store/run-statement.ts'
import { AccountBound } from '../support/account-bound.ts'
import { emptyDatabase } from '../support/databases.ts'
import { serve } from '../support/serving.ts'
import { openForTest } from '../support/stores.ts'

/*
 * Every statement that a test of this folder sends for an account is looked at (`serve` in support/serving.ts). This shows that the look
 * finds what it is for.
 */
describe('a statement for an account is a mistake', () => {
  const model = compileApi(shop)
  let url = ''
  beforeAll(async () => {
    url = await emptyDatabase('postgres as on Citus')
    await serve('postgres', url)
  })

  const mistakesOf = async (sql: string, values: readonly string[]): Promise<readonly string[]> => {
    const watch = new AccountBound()
    const store = watch.watchStore(await openForTest(url))
    await store.all(sql, values, 'acme')
    const outside = watch.mistakes(model)
    await store.transaction((tx) => tx.first(sql, values), 'acme')
    expect(watch.mistakes(model)).toEqual(outside)
    return outside
  }
  const one = ['acme']

  test.each([
    ['it asks for all rows', 'SELECT 1 FROM "customers" WHERE "name" = $1::text', one],
    ['the account is that of another', 'SELECT 1 FROM "customers" WHERE "account_id" = $1::text', ['globex']],
    [
      'a joined table has all rows',
      'SELECT 1 FROM "orders" o JOIN "customers" t1 ON t1."id" = o."customer_id" WHERE o."account_id" = $1::text',
      one,
    ],
    [
      'a query within it has all rows',
      'SELECT 1 FROM "orders" o WHERE o."account_id" = $1::text AND EXISTS (SELECT 1 FROM "payments" t1 WHERE t1."order_id" = o."id")',
      one,
    ],
    ['it changes all rows', `UPDATE "customers" SET "name" = $1::text`, one],
    ['it deletes all rows', 'DELETE FROM "nounkit_events" WHERE "id" = $1::text', one],
    [
      'a row that it inserts is of another',
      'INSERT INTO "nounkit_event_heads" ("account_id", "last", "swept") VALUES ($1::text, 0, 0), ($2::text, 0, 0) ON CONFLICT ("account_id") DO NOTHING',
      ['acme', 'globex'],
    ],
    [
      'it looks for a key of the account',
      'SELECT 1 FROM "nounkit_api_keys" WHERE "account_id" = $1::text',
      one,
    ],
    [
      'a part of it writes',
      'WITH gone AS (DELETE FROM "nounkit_events" WHERE "account_id" = $1::text RETURNING "id") SELECT * FROM gone',
      one,
    ],
  ])('where %s', async (_, sql, values) => {
    expect(await mistakesOf(sql, values)).toHaveLength(1)
  })

  test('and the one that gives positions to the events of many accounts would be', async () => {
    const watch = new AccountBound()
    const store = watch.watchStore(await openForTest(url))
    await writeAlone(store, moveEvents(store.dialect, ['acme']), 'acme')
    expect(watch.mistakes(model)).toHaveLength(1)
  })

  test('but not where it has rows of the account alone, or rows that every node has', async () => {
    expect(await mistakesOf('SELECT 1 FROM "customers" WHERE "account_id" = $1::text', one)).toEqual([])
    expect(await mistakesOf('SELECT 1 FROM "products" WHERE "id" = $1::text', one)).toEqual([])
  })
})
