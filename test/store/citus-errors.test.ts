import { beforeAll, expect, test } from 'vitest'
import { type Store, StoreRefused } from '../../src/store/store.ts'
import { emptyDatabase } from '../support/databases.ts'
import { openForTest } from '../support/stores.ts'

const moved = 'could not find valid entry for shard 102008'
let store: Store

beforeAll(async () => {
  store = await openForTest(`${await emptyDatabase('postgres')}?pool=2`)
  // Fails with the error that Citus has while a shard moves, as often as the sequence says; what it counts survives a rollback.
  await store.session((session) =>
    session.script(`CREATE TABLE "things" ("name" text);
      CREATE SEQUENCE tries;
      CREATE FUNCTION fail(message text, state text, times int) RETURNS text LANGUAGE plpgsql AS $$
        BEGIN
          IF nextval('tries') <= times THEN RAISE EXCEPTION '%', message USING ERRCODE = state; END IF;
          RETURN 'done';
        END $$`),
  )
})

const failing = async (message: string, state: string, times: number): Promise<string> => {
  await store.session((session) => session.script('ALTER SEQUENCE tries RESTART'))
  return `INSERT INTO "things" VALUES (fail('${message}', '${state}', ${times}))`
}

test.each([
  [moved, 'XX000'],
  ['relation "public.things_102008" does not exist', '42P01'],
])('a statement that looks for a shard where it was is sent again: %s', async (message, state) => {
  expect(await store.writeOne(await failing(message, state, 2), [])).toBe(1)
  const again = await failing(message, state, 2)
  await store.transaction((tx) => tx.all(again, []))
  const hopeless = store.writeOne(await failing(message, state, 100), [])
  await expect(hopeless).rejects.toMatchObject({ name: 'StoreError', kind: 'unavailable' })
})

test('an internal error of the server is unavailable, not unexpected', async () => {
  const failed = store.writeOne(await failing('connection to the remote node failed', 'XX000', 1), [])
  await expect(failed).rejects.toMatchObject({ name: 'StoreError', kind: 'unavailable' })
})

test('a node that is down is named', async () => {
  const down = 'connection to the remote node postgres@worker-2:5432 failed'
  const failed = store.writeOne(await failing(down, '08006', 1), [])
  await expect(failed).rejects.toThrow(/worker-2:5432 failed.*A node of the cluster is down/)
})

test('a session that tells of a lost connection to a node is kept, for statements to the others', async () => {
  const one = await openForTest(`${await emptyDatabase('postgres')}?pool=1`)
  const session = async () => (await one.first('SELECT pg_backend_pid()', []))?.[0]
  const raising = (state: string) => `DO $$ BEGIN RAISE 'failed' USING ERRCODE = '${state}'; END $$`
  const before = await session()
  await expect(one.writeOne(raising('08006'), [])).rejects.toMatchObject({ kind: 'unavailable' })
  expect(await session()).toBe(before)
  await expect(one.transaction((tx) => tx.all(raising('08006'), []))).rejects.toMatchObject({
    kind: 'unavailable',
  })
  expect(await session()).toBe(before)
  // After a statement that took too long, Citus may not take another one for as long again.
  await expect(one.writeOne(raising('57014'), [])).rejects.toMatchObject({ kind: 'unavailable' })
  expect(await session()).not.toBe(before)
})

test('a command tells any other error of the server in one sentence', async () => {
  const unsupported = `DO $$ BEGIN RAISE 'this is not supported on distributed tables' USING ERRCODE = '0A000'; END $$`
  const refused = store.session((session) => session.script(unsupported))
  await expect(refused).rejects.toThrow(StoreRefused)
  await expect(refused).rejects.toThrow('PostgreSQL: this is not supported on distributed tables (0A000).')
})

test('what only the coordinator may do is refused with where to do it', async () => {
  const message = 'operation is not allowed on this node'
  const refused = store.writeOne(await failing(message, 'XX000', 1), [])
  await expect(refused).rejects.toThrow(StoreRefused)
  await expect(refused).rejects.toThrow(/Name the coordinator of the cluster in DATABASE_URL/)
})
