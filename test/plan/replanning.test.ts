import { expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { Planner } from '../../src/plan/planner.ts'
import { sqlite } from '../../src/plan/sqlite.ts'
import { readListQuery } from '../../src/request/query.ts'
import { createRouter } from '../../src/request/route.ts'
import { shopContracts } from '../support/serving.ts'

test('no parameter stands bare after LIMIT: SQLite would plan the statement anew whenever one is bound', async () => {
  const model = compileApi(shop, { contracts: await shopContracts() })
  const router = createRouter(model)
  const planner = new Planner(sqlite)
  const lists = model.versions.flatMap(({ name, views }) =>
    [...views.values()].flatMap((view) => {
      const target = router.find(`/${name}/${view.name}`)
      return target ? [planner.list(target, readListQuery('', view, 5_000).list, null).text] : []
    }),
  )
  expect(lists.length).toBeGreaterThan(4)
  for (const text of lists) {
    expect(text).toContain('LIMIT')
    expect(text).not.toMatch(/LIMIT \?/)
  }
})
