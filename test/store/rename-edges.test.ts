import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import type { Model } from '../../src/compile/model.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { type ApiOptions, api } from '../../src/declare/api.ts'
import * as change from '../../src/declare/change.ts'
import { type FieldDeclarations, states, sum } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { migrate } from '../../src/store/schema/migrate-store.ts'
import { MigrationRefused } from '../../src/store/schema/migration.ts'
import { type Store, StoreRefused } from '../../src/store/store.ts'
import { testApi } from '../../src/testing.ts'
import { nodeScript } from '../support/child.ts'
import shopIn2025 from '../support/shop-in-2025.ts'
import { describeStores } from '../support/stores.ts'

type Changes = readonly change.Change[]

/** The newest version of some resources, and the changes since each older one, newest first. */
const model = (resources: ApiOptions['resources'], ...older: readonly Changes[]): Model =>
  compileApi(
    api('club', {
      resources,
      versions: [
        version(`v${older.length + 1}`),
        ...older.map((changes, at) => version(`v${older.length - at}`, { changes })),
      ],
    }),
  )

const text = z.string().max(50)
const grade = z.enum(['low', 'high'])
const rows = async (store: Store, sql: string) => store.all(sql, [])
const insert = (store: Store, table: string, row: { readonly [column: string]: string }) => {
  const all = { id: 'r1', account_id: 'a', ...row, created_at: '2026-01-01', updated_at: '2026-01-01' }
  const values = Object.values(all).map((value) => `'${value}'`)
  const names = Object.keys(all).map((name) => `"${name}"`)
  return store.session((session) =>
    session.script(`INSERT INTO "${table}" (${names.join(', ')}) VALUES (${values.join(', ')})`),
  )
}
const refusal = async (store: Store, wanted: Model, rename = false): Promise<string> => {
  const error = await migrate(store, wanted, { rename }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(MigrationRefused)
  return (error as MigrationRefused).message
}

describeStores('renames of a store', ({ kind, open, url }) => {
  test('over several versions take one step, from wherever the store is', async () => {
    const v2 = [change.renameResource('people', 'members'), change.renameField('members', 'title', 'name')]
    const v1 = [
      change.renameField('people', 'full_name', 'title'),
      change.renameRelation('people', 'parent', 'sponsor'),
    ]
    const relation = { optional: true } as const
    const then = model([
      resource('people', {
        fields: { full_name: text },
        relations: { parent: belongsTo('people', relation) },
      }),
    ])
    const between = model(
      [
        resource('people', {
          fields: { title: text },
          relations: { sponsor: belongsTo('people', relation) },
        }),
      ],
      v1,
    )
    const now = model(
      [
        resource('members', {
          fields: { name: text },
          relations: { sponsor: belongsTo('members', relation) },
          sort: ['name'],
        }),
      ],
      v2,
      v1,
    )
    const stop: readonly (readonly Model[])[] = [[], [between]]
    for (const stops of stop) {
      const store = await open()
      await migrate(store, then)
      await insert(store, 'people', { full_name: 'Ada' })
      for (const one of stops) await migrate(store, one, { rename: true })
      await migrate(store, now, { rename: true })
      expect(await rows(store, 'SELECT "name", "sponsor_id" FROM "members"')).toEqual([['Ada', null]])
      expect((await migrate(store, now)).steps).toEqual([])
    }
  })

  test('leave alone what is there under both names', async () => {
    const before = [resource('members', { fields: { full_name: text.optional(), name: text.optional() } })]
    const after = [resource('members', { fields: { name: text.optional() } })]
    const store = await open()
    await migrate(store, model(before))
    await insert(store, 'members', { full_name: 'old', name: 'new' })
    const now = model(after, [change.renameField('members', 'full_name', 'name')])
    expect((await migrate(store, now)).steps).toEqual([])
    expect(await rows(store, 'SELECT "full_name", "name" FROM "members"')).toEqual([['old', 'new']])
  })

  test('are refused where values are under the old name only, and go on once they are copied or deleted', async () => {
    const then = (named: string, more = {}) =>
      model([resource(named, { fields: { note: text.optional(), size: text.optional(), ...more } })])
    const fields = { remark: text.optional(), length: text.default('none') }
    const now = model(
      [resource('bookings', { fields })],
      [change.renameField('bookings', 'note', 'remark'), change.renameField('bookings', 'size', 'length')],
    )
    const store = await open()
    // As if the new fields had been declared without a change.
    await migrate(store, then('bookings', fields))
    await insert(store, 'bookings', { id: 'r1', note: 'n1', size: 'long' })
    await insert(store, 'bookings', { id: 'r2', note: 'n2', remark: 'new', length: 'short', size: 'none' })
    await insert(store, 'bookings', { id: 'r3', size: 'none' })
    const refused = async (wanted: Model, options = {}) => {
      const error = await migrate(store, wanted, options).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(StoreRefused)
      return (error as StoreRefused).message
    }
    const message = await refused(now)
    expect(message).toMatch(
      /Nothing was changed\..*\n- bookings\.remark was note in v1: 1 row has a value in note and none in remark\. To copy: UPDATE .*\n- bookings\.length was size in v1: 1 row has/,
    )
    expect(await refused(now, { rename: true })).toBe(message)
    expect(await refused(now, { dryRun: true })).toBe(message)
    const copies = message
      .split('To copy: ')
      .slice(1)
      .map((text) => text.split('\n')[0])
    await store.session(async (session) => {
      for (const copy of copies) await session.script(String(copy))
    })
    expect((await migrate(store, now)).steps).toEqual([])
    expect(await rows(store, 'SELECT "remark", "length" FROM "bookings" ORDER BY "id"')).toEqual([
      ['n1', 'long'],
      ['new', 'short'],
      [null, 'none'],
    ])

    const visits = model([resource('visits', { fields })], [change.renameResource('bookings', 'visits')])
    await migrate(store, model([resource('visits', { fields })]))
    expect(await refused(visits, { rename: true })).toContain(
      '- visits was bookings in v1: 3 rows of bookings are not in visits.',
    )
    await store.session((session) => session.script('DROP TABLE "visits"'))
    await migrate(store, visits, { rename: true })
    expect((await rows(store, 'SELECT 1 FROM "visits"')).length).toBe(3)
  })

  test('make room for something new of the old name', async () => {
    const clients = resource('clients', { fields: { name: text, kind: grade }, unique: ['name'] })
    const v1 = version('v1', {
      changes: [
        change.renameResource('clients', 'customers'),
        change.renameField('customers', 'name', 'title'),
        change.addRequiredField('customers', 'name', { whenAbsent: 'none' }),
      ],
    })
    const fields = { title: text, name: text, kind: grade }
    const customers = resource('customers', { fields, unique: ['title'] })
    const v2 = compileApi(api('club', { resources: [customers], versions: [version('v2'), v1] }))
    const now = compileApi(
      api('club', { resources: [customers, clients], versions: [version('v3'), version('v2'), v1] }),
      { contracts: new Map([['v2', contractOf(v2, v2.head)]]) },
    )
    const store = await open()
    await migrate(store, model([clients]))
    await insert(store, 'clients', { name: 'Ada', kind: 'low' })
    expect(await refusal(store, now)).not.toContain('CREATE TABLE')
    await migrate(store, now, { rename: true })
    const columns = '"title", "name", "kind"'
    expect(await rows(store, `SELECT ${columns} FROM "customers"`)).toEqual([['Ada', 'none', 'low']])
    expect(await rows(store, 'SELECT "name" FROM "clients"')).toEqual([])
    expect((await migrate(store, now)).steps).toEqual([])
    const taken = insert(store, 'customers', { id: 'r2', title: 'Ada', name: 'x', kind: 'low' })
    await expect(taken).rejects.toThrow()
  })

  test('that follow each other in one table keep each column’s values, indexes and checks', async () => {
    const store = await open()
    const then = resource('members', { fields: { a: grade, b: text }, unique: ['b'], sort: ['a'] })
    await migrate(store, model([then]))
    await insert(store, 'members', { a: 'low', b: 'Ada' })
    const now = model(
      [resource('members', { fields: { b: grade, c: text }, unique: ['c'], sort: ['b'] })],
      [change.renameField('members', 'a', 'b'), change.renameField('members', 'b', 'c')],
    )
    await migrate(store, now, { rename: true })
    expect(await rows(store, 'SELECT "b", "c" FROM "members"')).toEqual([['low', 'Ada']])
    expect((await migrate(store, now)).steps).toEqual([])
    await expect(insert(store, 'members', { id: 'r2', b: 'high', c: 'Ada' })).rejects.toThrow()
    await insert(store, 'members', { id: 'r3', b: 'low', c: 'Bob' })
  })

  test('of a sum, of what it adds up and of their resources leave the sum as it was computed', async () => {
    const then = model([
      resource('orders', { fields: { total: sum('lines', 'n') }, relations: { lines: hasMany('lines') } }),
      resource('lines', { fields: { n: z.int() }, relations: { order: belongsTo('orders') } }),
    ])
    const named = (extra: FieldDeclarations) => [
      resource('baskets', {
        fields: { grand: sum('parts', 'count'), ...extra },
        relations: { parts: hasMany('parts') },
      }),
      resource('parts', { fields: { count: z.int() }, relations: { basket: belongsTo('baskets') } }),
    ]
    const changes = [
      change.renameResource('orders', 'baskets'),
      change.renameResource('lines', 'parts'),
      change.renameField('baskets', 'total', 'grand'),
      change.renameField('parts', 'n', 'count'),
      change.renameRelation('parts', 'order', 'basket'),
      change.renameRelation('baskets', 'lines', 'parts'),
    ]
    const now = model(named({ extra: sum('parts', 'count') }), changes)
    const store = await open()
    await migrate(store, then)
    await insert(store, 'orders', { id: 'o1', total: '7' })
    await insert(store, 'lines', { id: 'l1', order_id: 'o1', n: '7' })
    const told = (await migrate(store, now, { rename: true })).steps.map(({ why }) => why)
    expect(told.filter((why) => /sum/.test(why))).toEqual([
      'what sums add up is recorded under the new names',
      'baskets.extra is the sum of count of parts',
    ])
    expect(await rows(store, 'SELECT "grand", "extra" FROM "baskets"')).toEqual([[7, 7]])
    expect((await migrate(store, now)).steps).toEqual([])
    const left = (await migrate(store, model(named({}), changes))).steps.map(({ why }) => why)
    expect(left).toEqual(['baskets.extra is no sum any more'])
  })

  test('of values change the stored ones, and where the store has checks they cannot be stored again', async () => {
    const store = await open()
    await migrate(
      store,
      model([resource('members', { fields: { level: z.enum(['basic', 'silver', 'gold']) } })]),
    )
    const now = model(
      [resource('members', { fields: { level: z.enum(['plain', 'gold']) } })],
      [change.mapValues('members', 'level', { basic: 'plain', silver: 'gold' }, { why: 'fewer' })],
    )
    // No row has an old value: nothing to rename, and the new value is an addition.
    expect((await migrate(store, now, { dryRun: true })).steps.every(({ additive }) => additive)).toBe(true)
    await insert(store, 'members', { id: 'r1', level: 'basic' })
    await insert(store, 'members', { id: 'r2', level: 'silver' })
    await insert(store, 'members', { id: 'r3', level: 'gold' })
    expect(await refusal(store, now)).toContain(`SET "level" = 'plain' WHERE "level" = 'basic'`)
    await migrate(store, now, { rename: true })
    expect(await rows(store, 'SELECT "level" FROM "members" ORDER BY "id"')).toEqual([
      ['plain'],
      ['gold'],
      ['gold'],
    ])
    expect((await migrate(store, now)).steps).toEqual([])
    const late = insert(store, 'members', { id: 'r4', level: 'basic' })
    if (kind === 'postgres') await expect(late).rejects.toThrow(/members__level__check/)
    else {
      await late
      expect(await refusal(store, now)).toContain(`WHERE "level" = 'basic'`)
    }
  })

  test('of the state that rows begin in hold for rows that are created afterwards', async () => {
    const tasks = (first: string) => [
      resource('tasks', { fields: { state: states(first, { [first]: ['done'] }) } }),
    ]
    const databaseUrl = await url()
    const store = await open(databaseUrl)
    await migrate(store, model(tasks('open')))
    await insert(store, 'tasks', { state: 'open' })
    const now = model(tasks('waiting'), [change.mapValues('tasks', 'state', { open: 'waiting' })])
    await migrate(store, now, { rename: true })
    const served = await testApi(now.declaration, { databaseUrl })
    const headers = {
      Authorization: `Bearer ${await served.key('a')}`,
      'Content-Type': 'application/json',
    }
    const shown = async (name: string) =>
      (await served.fetch(`/${name}/tasks`, { method: 'POST', headers, body: '{}' })).json()
    expect(await shown('v2')).toMatchObject({ data: { state: 'waiting' } })
    expect(await shown('v1')).toMatchObject({ data: { state: 'open' } })
    await served.close()
    expect((await migrate(store, now)).steps).toEqual([])
  })

  test('of two fields that were swapped are refused until the operator says which it is', async () => {
    const resources = [resource('members', { fields: { one: text, two: text } })]
    const now = model(resources, [
      change.renameField('members', 'two', 'one'),
      change.renameField('members', 'one', 'two'),
    ])
    const store = await open()
    await migrate(store, model(resources))
    await insert(store, 'members', { one: '1', two: '2' })
    const message = await refusal(store, now, true)
    expect(message).toContain('changed places since v1')
    expect(message).toContain('UPDATE "members" SET "one" = "two", "two" = "one";')
    expect(await rows(store, 'SELECT "one", "two" FROM "members"')).toEqual([['1', '2']])
    await store.session((session) => session.script(message.slice(message.indexOf('--'))))
    expect((await migrate(store, now)).steps).toEqual([])
    expect(await rows(store, 'SELECT "one", "two" FROM "members"')).toEqual([['2', '1']])
    // A store made today has nothing to say.
    const fresh = await open()
    await migrate(fresh, now)
    expect((await migrate(fresh, now)).steps).toEqual([])
  })

  test('of two values or two resources that were swapped are refused as well', async () => {
    const resources = [resource('cats', { fields: { grade } }), resource('dogs', { fields: { grade } })]
    const values = model(resources, [change.mapValues('cats', 'grade', { low: 'high', high: 'low' })])
    const tables = model(resources, [
      change.renameResource('cats', 'dogs'),
      change.renameResource('dogs', 'cats'),
    ])
    const store = await open()
    await migrate(store, model(resources))
    await insert(store, 'cats', { id: 'r1', grade: 'low' })
    await insert(store, 'cats', { id: 'r2', grade: 'high' })
    const message = await refusal(store, values, true)
    await store.session((session) => session.script(message.slice(message.indexOf('--'))))
    await migrate(store, values)
    expect(await rows(store, 'SELECT "grade" FROM "cats" ORDER BY "id"')).toEqual([['high'], ['low']])
    expect((await migrate(store, values)).steps).toEqual([])
    expect(await refusal(store, tables, true)).toContain('through a third name')
    expect((await rows(store, 'SELECT 1 FROM "cats"')).length).toBe(2)
  })

  test('leave tables of another program alone', async () => {
    const store = await open()
    await store.session((session) => session.script('CREATE TABLE "people" ("id" TEXT)'))
    const now = model(
      [resource('members', { fields: { name: text } })],
      [change.renameResource('people', 'members')],
    )
    expect((await migrate(store, now)).applied).toBe(true)
    expect(await rows(store, 'SELECT * FROM "people"')).toEqual([])
  })

  test('that are killed half-way have done nothing, and are done by the next', async () => {
    const at = await url()
    const store = await open(at)
    await migrate(store, compileApi(shopIn2025))
    await insert(store, 'clients', { full_name: 'Ada', email: 'ada@example.com' })
    const child = nodeScript(fileURLToPath(new URL('rename-half.ts', import.meta.url)), [at])
    await child.line(/half-way/)
    await child.kill('SIGKILL')
    expect(await rows(store, 'SELECT "full_name" FROM "clients"')).toEqual([['Ada']])
    await migrate(store, compileApi(shop), { rename: true })
    expect(await rows(store, 'SELECT "name" FROM "customers"')).toEqual([['Ada']])
  })
})
