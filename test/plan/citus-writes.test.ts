import { expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { postgresOnCitus } from '../../src/plan/postgres.ts'
import { searchIndexOf } from '../../src/plan/search-index.ts'
import { WritePlanner } from '../../src/plan/write-planner.ts'
import { insertedAtOnce } from '../../src/write/inserted-at-once.ts'
import { boundRow } from '../../src/write/row-change.ts'
import { emptyDatabase } from '../support/databases.ts'
import { shopContracts } from '../support/serving.ts'
import { openForTest } from '../support/stores.ts'

const model = async () => compileApi(shop, { contracts: await shopContracts() })
const writes = new WritePlanner(postgresOnCitus)

test('on Citus no write makes JSON in RETURNING, which Citus refuses: functions that are not immutable', async () => {
  const { resources } = await model()
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

test('rows of a list are sent to Citus as VALUES of few statements, each row as it was given', async () => {
  const compiled = await model()
  const store = await openForTest(await emptyDatabase('postgres'))
  await migrateStore(store, compiled)
  const view = compiled.head.views.get('customers')
  if (!view) throw new Error('the shop has no customers')
  const at = '2026-10-01T00:00:00.000Z'
  const rows = Array.from({ length: 100 }, (_, n) => ({
    row: {
      ...Object.fromEntries(view.resource.fields.map(({ name, default: given }) => [name, given ?? null])),
      ...{
        id: String(n).padStart(3, '0'),
        name: `Ada ${n}`,
        email: `${n}@x.example`,
        created_at: at,
        updated_at: at,
      },
    },
    version: n + 1,
  }))
  const parts = [...insertedAtOnce(rows.map((one) => boundRow(view.resource, 'acme', one)))]
  expect(parts.map(({ length }) => length)).toEqual([64, 32, 4])
  for (const part of parts) {
    const { text, bind } = writes.insertWhole(view.resource, part.length)
    expect(text).not.toContain('SELECT')
    await store.transaction((tx) => tx.first(text, bind({ account: 'acme', values: part.flat() })))
  }
  const { words, version } = searchIndexOf(view)
  const stored = await store.all(
    `SELECT "account_id", "id", "name", "email", "version", "${version}", "${words}" LIKE '%ada%' FROM "customers" ORDER BY "id"`,
    [],
  )
  expect(stored).toEqual(
    rows.map(({ row, version }) => ['acme', row.id, row.name, row.email, version, version, 1]),
  )
})
