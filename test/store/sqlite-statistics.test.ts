import { expect, test } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { whenOver } from '../support/clean-up.ts'
import { emptyDatabase } from '../support/databases.ts'

const byMember = 'SELECT "note" FROM "loans" WHERE "account_id" = ?1 AND "member" = ?2 ORDER BY "id" LIMIT 26'

let explained = 0
const planOf = async (store: Store): Promise<string> => {
  // EXPLAIN does not look whether the schema has changed, as the statement itself does. A new text is not taken from the cache.
  await store.all(byMember, ['a', 'm1'])
  const steps = await store.all(`EXPLAIN QUERY PLAN ${byMember} /* ${++explained} */`, ['a', 'm1'])
  return steps.map((step) => step[3]).join('\n')
}

const fill = (store: Store, count: number): Promise<unknown> =>
  store.session((session) =>
    session.script(
      `INSERT INTO "loans" WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
       SELECT 'a', printf('%08d', i), 'm' || (i % 500), '' FROM n`,
    ),
  )

test('a list of a large account is read by the index of its filter, as soon as statistics are refreshed', async () => {
  const store = await openStore(await emptyDatabase('sqlite'))
  whenOver(() => store.close())
  await store.session((session) =>
    session.script(`
      CREATE TABLE "loans" ("account_id" TEXT, "id" TEXT, "member" TEXT, "note" TEXT, PRIMARY KEY ("account_id", "id")) WITHOUT ROWID;
      CREATE INDEX "by_member" ON "loans" ("account_id", "member", "id")`),
  )
  // Another table has statistics already, so that those of this one are no change of the schema by themselves.
  await store.session((session) =>
    session.script(
      'CREATE TABLE "others" ("x" INTEGER PRIMARY KEY, "y" UNIQUE); INSERT INTO "others" VALUES (1, 2); ANALYZE',
    ),
  )
  await fill(store, 20_000)
  expect(await planOf(store)).toContain('PRIMARY KEY')
  await store.refreshStatistics?.()
  expect(await planOf(store)).toContain('by_member (account_id=? AND member=?)')
})
