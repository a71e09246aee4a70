import { expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { whenOver } from '../support/clean-up.ts'
import { emptyDatabase } from '../support/databases.ts'
import { openForTest } from '../support/stores.ts'
import { testApi } from '../support/way-in.ts'

test('a process starts and serves while its own row cannot be written; the row is written once that is possible', async () => {
  const databaseUrl = await emptyDatabase('postgres')
  const first = await testApi(shop, { databaseUrl })
  const authorization = `Bearer ${await first.key('acme')}`
  await first.close()
  const store = await openForTest(databaseUrl)
  // The error of Citus for a table with a part on a node that is down.
  await store.session((session) =>
    session.script(`CREATE FUNCTION down() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'connection to the remote node failed' USING ERRCODE = '08006'; END $$;
      CREATE TRIGGER down BEFORE INSERT ON "nounkit_recorders" FOR EACH ROW EXECUTE FUNCTION down()`),
  )
  const warnings: string[] = []
  const api = await testApi(shop, { databaseUrl, warn: (message) => void warnings.push(message) })
  whenOver(() => api.close())
  expect(warnings).toEqual([expect.stringMatching(/row of this process cannot be written yet/)])
  expect((await api.fetch('/v2/orders', { headers: { authorization } })).status).toBe(200)
  await api.key('another')
  const serving = async () =>
    (await store.first('SELECT count(*) FROM "nounkit_recorders" WHERE "ended_at" IS NULL', []))?.[0]
  expect(await serving()).toBe(0)
  await store.session((session) => session.script('DROP TRIGGER down ON "nounkit_recorders"'))
  await api.service.lifecycle.beat()
  expect(await serving()).toBe(1)
})
