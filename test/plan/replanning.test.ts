import { expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import type { Dialect } from '../../src/plan/dialect.ts'
import { Planner } from '../../src/plan/planner.ts'
import { postgres } from '../../src/plan/postgres.ts'
import { sqlite } from '../../src/plan/sqlite.ts'
import { readListQuery } from '../../src/request/read-query.ts'
import { createRouter } from '../../src/request/route.ts'
import { emptyDatabase } from '../support/databases.ts'
import { shopContracts } from '../support/serving.ts'
import { openForTest } from '../support/stores.ts'
import { toldAll } from '../support/told-all.ts'

const model = compileApi(shop, { contracts: await shopContracts() })
const router = createRouter(model)

const allScopes = new Set(['*'])

const listStatements = (dialect: Dialect, query: string): string[] => {
  const planner = new Planner(dialect)
  return model.versions.flatMap(({ name, views }) =>
    [...views.values()].flatMap((view) => {
      // Of webhook endpoints and events, which have texts without a bound, long pages are planned apart.
      if (view.resource.engineMade || view.serves === 'events') return []
      const target = router.find(`/${name}/${view.name}`)
      return target
        ? [planner.list(target, readListQuery(query, view, 5_000, toldAll).list, null, allScopes).text]
        : []
    }),
  )
}

test('no bare parameter follows LIMIT, because SQLite would plan the statement again for every value', () => {
  const lists = listStatements(sqlite, '')
  expect(lists.length).toBeGreaterThan(4)
  for (const text of lists) {
    expect(text).toContain('LIMIT')
    expect(text).not.toMatch(/LIMIT \?/)
  }
})

test('PostgreSQL keeps one plan of a list, whatever the page size', async () => {
  const store = await openForTest(`${await emptyDatabase('postgres')}?pool=1`)
  await migrateStore(store, model)
  await store.session((session) =>
    session.script(
      `INSERT INTO "customers" ("account_id", "id", "name", "email", "version", "created_at", "updated_at")
       SELECT 'a', n, 'Name', n || '@example.com', 1, now(), now() FROM generate_series(1, 20000) n;
       ANALYZE "customers"`,
    ),
  )
  const target = router.find('/v2/customers')
  if (!target) throw new Error('the shop has no customers')
  const { list } = readListQuery('limit=25', target.view, 5_000, toldAll)
  const { text } = new Planner(postgres).list(target, list, null, allScopes)
  for (let limit = 17; limit <= 31; limit++) {
    const [rows] = (await store.first(text, ['a', limit])) ?? []
    expect(String(rows).split('\n')).toHaveLength(limit)
  }
  const plans = await store.first(
    'SELECT generic_plans::int, custom_plans::int FROM pg_prepared_statements WHERE statement = $1::text',
    [text],
  )
  expect(plans).toEqual([10, 5])
})

test('pages of one shape share a statement, up to twice their length', () => {
  const planned = (limit: number): string => listStatements(postgres, `limit=${limit}`)[0] ?? ''
  expect(planned(25)).toBe(planned(31))
  expect(planned(25)).not.toBe(planned(32))
  expect(listStatements(sqlite, 'limit=1')).toEqual(listStatements(sqlite, 'limit=100'))
})
