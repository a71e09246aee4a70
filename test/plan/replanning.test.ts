import { expect, test } from 'vitest'
import { z } from 'zod'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { api, resource } from '../../src/index.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import type { Dialect } from '../../src/plan/dialect.ts'
import { takenValues } from '../../src/plan/judge-values.ts'
import { Planner } from '../../src/plan/planner.ts'
import { postgres } from '../../src/plan/postgres.ts'
import { lockRows, passingIds } from '../../src/plan/row-statements.ts'
import { searchIndexOf } from '../../src/plan/search-index.ts'
import { sqlite } from '../../src/plan/sqlite.ts'
import { readListQuery } from '../../src/request/read-query.ts'
import { createRouter } from '../../src/serve/route.ts'
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

test('PostgreSQL keeps one plan of a list, whatever the page size, and of a search, whatever is searched for', async () => {
  const store = await openForTest(`${await emptyDatabase('postgres')}?pool=1`)
  await migrateStore(store, model)
  const target = router.find('/v2/customers')
  if (!target) throw new Error('the shop has no customers')
  const { words, version } = searchIndexOf(target.view)
  await store.session((session) =>
    session.script(
      `INSERT INTO "customers" ("account_id", "id", "name", "email", "version", "created_at", "updated_at", "${words}", "${version}")
       SELECT 'a', n, 'Name', n || '@example.com', 1, now(), now(), 'w' || n / 10, 1 FROM generate_series(1, 40000) n;
       ANALYZE "customers"`,
    ),
  )
  const statementOf = (query: string) => {
    const { list } = readListQuery(query, target.view, 5_000, toldAll)
    return new Planner(postgres).list(target, list, null, allScopes).text
  }
  const [list, search] = [statementOf('limit=25'), statementOf('search=word&sort=name')]
  for (let limit = 17; limit <= 31; limit++) {
    const [rows] = (await store.first(list, ['a', limit])) ?? []
    expect(String(rows).split('\n')).toHaveLength(limit)
    const word = `w9${limit}`
    const [found] = (await store.first(search, ['a', ` ${word}`, 25])) ?? []
    expect(String(found).match(/\d+@example/g)).toHaveLength(10)
  }
  const plans = await store.all(
    'SELECT generic_plans::int, custom_plans::int FROM pg_prepared_statements WHERE statement = ANY(ARRAY[$1::text, $2::text])',
    [list, search],
  )
  expect(plans).toEqual([
    [10, 5],
    [10, 5],
  ])
})

test('PostgreSQL reads few entries of each index for a search, for ids and for unique values, where one account is large and all others are small', async () => {
  const store = await openForTest(`${await emptyDatabase('postgres')}?pool=1`)
  await migrateStore(store, model)
  const target = router.find('/v2/customers')
  if (!target) throw new Error('the shop has no customers')
  const { words, version } = searchIndexOf(target.view)
  const { searches, byIds } = await store.session(async (session) => {
    await session.script(
      `INSERT INTO "customers" ("account_id", "id", "name", "email", "version", "created_at", "updated_at", "${words}", "${version}")
       SELECT CASE WHEN n > 6000 THEN 'a' ELSE 'small' || n / 2 END, n, 'Name', n || '@example.com', 1, now(), now(), 'w' || n / 10, 1 FROM generate_series(1, 20000) n`,
    )
    // As sessions of requests have it.
    await session.script(
      'ANALYZE "customers"; SET plan_cache_mode = force_generic_plan; SET random_page_cost = 1.1',
    )
    const planOf = async (text: string, values: string) => {
      await session.script(`DEALLOCATE ALL; PREPARE planned AS ${text}`)
      return (await session.all(`EXPLAIN EXECUTE planned(${values})`)).map(String).join('\n')
    }
    const searches: string[] = []
    for (const query of ['search=word', 'search=word&sort=name']) {
      const { list } = readListQuery(query, target.view, 5_000, toldAll)
      const { text } = new Planner(postgres).list(target, list, null, allScopes)
      searches.push(await planOf(text, `'a', ' w1234', 25`))
    }
    const byIds: string[] = []
    const { resource } = target.view
    for (const { text, slots } of [
      lockRows(resource, postgres),
      passingIds(resource, null, 'many', postgres),
      takenValues(resource, ['email'], postgres),
    ]) {
      const values = slots.map((slot) => (slot === 'account' ? `'a'` : `'[]'`))
      byIds.push(await planOf(text, values.join(', ')))
    }
    return { searches, byIds }
  })
  for (const plan of byIds) {
    expect(plan).toMatch(/Scan using customers__(primary__key|account_id__email__key)/)
    expect(plan).toMatch(/Index Cond: .*account_id = .* AND \((id|email) = /)
  }
  for (const plan of searches) {
    // The ids of a page are looked up one by one, and words by their index alone.
    expect(plan).not.toMatch(/BitmapAnd|= ANY|Seq Scan on customers/)
    const bitmaps = [...plan.matchAll(/Bitmap Index Scan on (\S+)/g)].map(([, index]) => index)
    expect(new Set(bitmaps)).toEqual(new Set([searchIndexOf(target.view).index]))
  }
})

test('a page of a search asks the index of words once, also where its bytes are measured', () => {
  const notes = resource('notes', { fields: { text: z.string() }, search: ['text'], sort: ['text'] })
  const target = createRouter(compileApi(api('notes', { resources: [notes] }))).find('/v1/notes')
  if (!target) throw new Error('there are no notes')
  const { list } = readListQuery('search=word&sort=text', target.view, 5_000, toldAll)
  for (const [dialect, asked] of [
    [sqlite, / MATCH /g],
    [postgres, / @@ /g],
  ] as const) {
    const { text, measured } = new Planner(dialect).list(target, list, null, allScopes)
    expect(measured).not.toBe(null)
    expect(text.match(asked)).toHaveLength(1)
  }
})

test('pages of one shape share a statement, up to twice their length', () => {
  const planned = (limit: number): string => listStatements(postgres, `limit=${limit}`)[0] ?? ''
  expect(planned(25)).toBe(planned(31))
  expect(planned(25)).not.toBe(planned(32))
  expect(listStatements(sqlite, 'limit=1')).toEqual(listStatements(sqlite, 'limit=100'))
})
