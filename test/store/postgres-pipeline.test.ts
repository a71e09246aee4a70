import { expect, test } from 'vitest'
import { StoreError } from '../../src/store/store.ts'
import { emptyDatabase } from '../support/databases.ts'
import { openForTest } from '../support/stores.ts'

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
      if (at % 3 === 0) return store.writeOne(insert, [`${at}`, at])
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
    at % 3 === 0 ? `${at}` : at % 3 === 1 ? 'out-of-range' : at === 2 ? 'the same' : 'unique',
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
