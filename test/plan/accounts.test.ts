import { expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import type { Grants } from '../../src/call/grants.ts'
import { noInclude } from '../../src/call/included.ts'
import type { Target } from '../../src/call/target.ts'
import { compileApi } from '../../src/compile/compile.ts'
import type { Model, View } from '../../src/compile/model.ts'
import type { Bound } from '../../src/plan/bound-statement.ts'
import type { Dialect } from '../../src/plan/dialect.ts'
import * as steps from '../../src/plan/event-moves-in-steps.ts'
import { Planner } from '../../src/plan/planner.ts'
import { postgres, postgresOnCitus } from '../../src/plan/postgres.ts'
import { sqlite } from '../../src/plan/sqlite.ts'
import { WritePlanner } from '../../src/plan/write-planner.ts'
import { readListQuery } from '../../src/request/read-query.ts'
import { lending } from '../support/lending.ts'
import { sampleOf } from '../support/sample-value.ts'
import { shopContracts } from '../support/serving.ts'
import { tableReferences } from '../support/table-references.ts'
import { includeOf, toldAll } from '../support/told-all.ts'

const target = (view: View, sub: Target['sub'] = null): Target => ({
  version: view.version,
  view,
  sub,
  ownerId: sub ? 'x' : null,
  id: 'x',
  unversioned: false,
  template: '',
})

const allScopes: Grants = new Set(['*'])
const noScopes: Grants = new Set()

/** The shop has no rules. The statements of the lending API have those of a caller without scopes, which nothing shortens. */
const models = async (): Promise<readonly (readonly [Model, Grants])[]> => [
  [compileApi(shop, { contracts: await shopContracts() }), allScopes],
  [compileApi(lending), noScopes],
]

/** The statements of every shape that the shop's requests can take, more or less: each clause that exists is in one of them. */
function shapes(model: Model, dialect: Dialect, grants: Grants): readonly string[] {
  const planner = new Planner(dialect)
  const writes = new WritePlanner(dialect)
  const views = model.versions.flatMap((version) => [...version.views.values()])
  const reads = views.flatMap((view) => {
    const everything = view.includePaths.join(',')
    const includes = [...view.includePaths, ...(everything ? [everything] : [])]
    const sorts = [...view.sorts].flatMap((sort) => [`sort=${sort}`, `sort=-${sort}`])
    const filters = [...view.filters].map((name) => `filter[${name}][in]=${sampleOf(view, name)}`)
    const queries = ['', ...sorts, ...filters, ...includes.map((include) => `limit=1&include=${include}`)]
    return [null, ...view.under].flatMap((sub) => [
      planner.one(target(view, sub), noInclude, grants).text,
      ...includes.map((include) => planner.one(target(view, sub), includeOf(include, view), grants).text),
      ...queries.flatMap((text) => {
        const { list: query } = readListQuery(text, view, 1e9, toldAll)
        const after = query.sort.map((_, at) => (at === 0 ? null : 'x'))
        return [null, after].map((position) => planner.list(target(view, sub), query, position, grants).text)
      }),
    ])
  })
  const changes = views.flatMap((view) => {
    const fields = view.resource.fields.map((field) => field.name)
    return [
      writes.insert(view.resource),
      writes.insertAndRead(view.resource),
      writes.insertWhole(view.resource, 2),
      writes.insertAlong(view.resource, { key: true, event: false, entry: false }),
      writes.update(view.resource, fields),
    ]
  })
  const onRows = [...model.resources.values()].flatMap((resource) => {
    const where = [
      { field: 'id', operator: 'eq', values: 1, withNull: false },
      { field: 'updated_at', operator: 'ne', values: 0, withNull: true },
    ] as const
    return [
      writes.delete(resource),
      planner.lock(resource, 'to-change'),
      planner.lockAll(resource),
      planner.passing(resource, null, 'many'),
      planner.passing(resource, null, 'one'),
      ...resource.uniques.map((set) => planner.taken(resource, set)),
      ...[grants, null].flatMap((sight) => [
        planner.find(resource, { where, order: [{ field: 'updated_at', descending: true }], most: 8 }, sight),
        planner.count(resource, where, sight),
        planner.any(resource, where, sight),
        ...resource.fields
          .filter(({ kind }) => kind === 'integer')
          .map(({ name }) => planner.sum(resource, name, where, sight)),
      ]),
      ...Object.values(resource.rules).flatMap((rule) =>
        rule
          ? [
              planner.judge(resource, [{ rule, grants }]),
              planner.judgeValues(resource, { rule, grants }),
              planner.passing(resource, { rule, grants }, 'many'),
            ]
          : [],
      ),
      ...resource.belongsTo.flatMap((relation) => [
        planner.naming(resource, relation.field, 'all'),
        planner.lockNaming(resource, relation.field, 'first'),
        planner.lockNaming(resource, relation.field, 'rest'),
        planner.measureNaming(resource, relation.field, 10),
      ]),
      ...resource.feeds.map((feed) => writes.countSum(feed, resource)),
    ]
  })
  return [...reads, ...[...changes, ...onRows].map(({ text }) => text)]
}

test.each([sqlite, postgres])('every table reference binds the account itself ($name)', async (dialect) => {
  const all = await models()
  const shared = new Set(
    all.flatMap(([{ resources }]) =>
      [...resources.values()].filter((one) => one.shared).map((one) => one.table),
    ),
  )
  const statements = new Set(all.flatMap(([model, grants]) => shapes(model, dialect, grants)))
  expect(statements.size).toBeGreaterThan(300)
  const spreadBy = (table: string) => (shared.has(table) ? null : 'account_id')
  for (const sql of statements)
    for (const { table, parameter } of tableReferences(sql, spreadBy))
      expect(parameter, `${table} in\n${sql}`).not.toBe(null)
})

test('the account is bound, never compared with that of another row', async () => {
  for (const [model, grants] of await models())
    for (const sql of shapes(model, postgres, grants)) expect(sql).not.toMatch(/"account_id" = [^$]/)
})

type StepOfMove = (dialect: Dialect, of: steps.ListedEvents | string, last: number) => Bound

test('on a cluster events get their positions on the node of their account: every table is filtered by it', () => {
  for (const make of Object.values(steps)) {
    const { text } = (make as StepOfMove)(postgresOnCitus, { account: 'acme', numbers: ['1'] }, 0)
    const tables = text.match(/(FROM|UPDATE) "nounkit_event\w*"/g) ?? []
    expect(text.match(/"account_id" = \$1::text|VALUES \(\$1::text/g), text).toHaveLength(tables.length || 1)
  }
})

test('one statement serves all callers with the same scopes, and scopes take their part of a rule out of it', () => {
  const model = compileApi(lending)
  const view = model.head.views.get('loans')
  if (!view) throw new Error('there are no loans')
  const planner = new Planner(postgres)
  const { list } = readListQuery('', view, 1e9, toldAll)
  const plan = (...scopes: readonly string[]) => planner.list(target(view), list, null, new Set(scopes))
  expect(plan('loans:read')).toBe(plan('members:read'))
  expect(plan('loans:read').text).toMatch(/"member_id" = \$\d+::text OR EXISTS \(SELECT 1 FROM "copies"/)
  expect(plan('lending:all').text).not.toContain('copies')
  expect(plan('lending:all').slots).toEqual(['account', 'limit'])
  const claims = plan().slots.flatMap((slot) => (typeof slot === 'object' ? [slot.name] : []))
  expect(claims).toEqual(['member_id', 'city'])
})
