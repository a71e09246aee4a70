import { expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { postgresOnCitus } from '../../src/plan/postgres.ts'
import { WritePlanner } from '../../src/plan/write-planner.ts'
import { shopContracts } from '../support/serving.ts'

test('on Citus no write makes JSON in RETURNING, which Citus refuses: functions that are not immutable', async () => {
  const { resources } = compileApi(shop, { contracts: await shopContracts() })
  const writes = new WritePlanner(postgresOnCitus)
  const statements = [...resources.values()].flatMap((resource) => [
    writes.insertAndRead(resource),
    writes.update(
      resource,
      resource.fields.map(({ name }) => name),
    ),
    writes.delete(resource),
  ])
  const returned = statements.map(({ text }) => / RETURNING (.*)$/.exec(text)?.[1])
  expect(new Set(returned)).toEqual(new Set(['1']))
})
