import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import type { Model } from '../../src/compile/model.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { type ApiOptions, api } from '../../src/declare/api.ts'
import * as change from '../../src/declare/change.ts'
import { states, sum } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { forgetLostNames } from '../../src/migrate/bind-model.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { type Store, StoreRefused } from '../../src/store/store.ts'
import { testApi } from '../../src/testing.ts'
import { describeWalked } from '../support/stores.ts'

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
const refused = async (store: Store, wanted: Model): Promise<string> => {
  const error = await migrateStore(store, wanted).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(StoreRefused)
  return (error as StoreRefused).message
}
const whys = async (store: Store, wanted: Model) =>
  (await migrateStore(store, wanted, { dryRun: true })).steps.map(({ why }) => why)
const record = `SELECT "value" FROM "nounkit_meta" WHERE "key" = 'names'`

describeWalked('names of a store', ({ kind, open, url }) => {
  test('stay over several versions, from wherever the store is', async () => {
    const v2 = [change.renameResource('people', 'members'), change.renameField('members', 'title', 'name')]
    const v1 = [
      change.renameField('people', 'full_name', 'title'),
      change.renameRelation('people', 'parent', 'sponsor'),
    ]
    const relation = { optional: true } as const
    const people = (field: string, relationName: string) => [
      resource('people', {
        fields: { [field]: text },
        relations: { [relationName]: belongsTo('people', relation) },
      }),
    ]
    const then = model(people('full_name', 'parent'))
    const between = model(people('title', 'sponsor'), v1)
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
      await migrateStore(store, then)
      await insert(store, 'people', { full_name: 'Ada' })
      for (const one of stops) expect((await migrateStore(store, one)).steps).toEqual([])
      const { model: bound } = await migrateStore(store, now)
      const { table, field } = bound.resources.get('members') ?? {}
      expect([table, field?.get('name')?.column, field?.get('sponsor_id')?.column]).toEqual([
        'people',
        'full_name',
        'parent_id',
      ])
      expect((await migrateStore(store, now)).steps).toEqual([])
      expect(await rows(store, 'SELECT "full_name", "parent_id" FROM "people"')).toEqual([['Ada', null]])
      // The version in between starts later, and takes no harm.
      expect((await migrateStore(store, between)).steps).toEqual([])
    }
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
    await migrateStore(store, model([clients]))
    await insert(store, 'clients', { name: 'Ada', kind: 'low' })
    await migrateStore(store, now)
    expect(await rows(store, 'SELECT "name", "name_v3", "kind" FROM "clients"')).toEqual([
      ['Ada', 'none', 'low'],
    ])
    expect(await rows(store, 'SELECT "name" FROM "clients_v3"')).toEqual([])
    expect((await migrateStore(store, now)).steps).toEqual([])
    const tidied = await migrateStore(store, now, { stops: true, tidy: true })
    expect(tidied.model.resources.get('customers')?.table).toBe('customers')
    expect(await rows(store, 'SELECT "title", "name" FROM "customers"')).toEqual([['Ada', 'none']])
    expect(await rows(store, 'SELECT "name" FROM "clients"')).toEqual([])
    expect((await migrateStore(store, now)).steps).toEqual([])
  })

  test('that follow each other in one table are followed', async () => {
    const store = await open()
    const then = resource('members', { fields: { a: grade, b: text }, unique: ['b'], sort: ['a'] })
    await migrateStore(store, model([then]))
    await insert(store, 'members', { a: 'low', b: 'Ada' })
    const now = model(
      [resource('members', { fields: { b: grade, c: text }, unique: ['c'], sort: ['b'] })],
      [change.renameField('members', 'a', 'b'), change.renameField('members', 'b', 'c')],
    )
    expect((await migrateStore(store, now)).steps).toEqual([])
    await migrateStore(store, now, { stops: true, tidy: true })
    expect(await rows(store, 'SELECT "b", "c" FROM "members"')).toEqual([['low', 'Ada']])
    expect((await migrateStore(store, now)).steps).toEqual([])
    await expect(insert(store, 'members', { id: 'r2', b: 'high', c: 'Ada' })).rejects.toThrow()
    await insert(store, 'members', { id: 'r3', b: 'low', c: 'Bob' })
  })

  test('of a sum, of what it adds up and of their resources leave the sum as it was computed', async () => {
    const then = model([
      resource('orders', { fields: { total: sum('lines', 'n') }, relations: { lines: hasMany('lines') } }),
      resource('lines', { fields: { n: z.int() }, relations: { order: belongsTo('orders') } }),
    ])
    const now = model(
      [
        resource('baskets', {
          fields: { grand: sum('parts', 'count') },
          relations: { parts: hasMany('parts') },
        }),
        resource('parts', { fields: { count: z.int() }, relations: { basket: belongsTo('baskets') } }),
      ],
      [
        change.renameResource('orders', 'baskets'),
        change.renameResource('lines', 'parts'),
        change.renameField('baskets', 'total', 'grand'),
        change.renameField('parts', 'n', 'count'),
        change.renameRelation('parts', 'order', 'basket'),
        change.renameRelation('baskets', 'lines', 'parts'),
      ],
    )
    const store = await open()
    await migrateStore(store, then)
    await insert(store, 'orders', { id: 'o1', total: '7' })
    await insert(store, 'lines', { id: 'l1', order_id: 'o1', n: '7' })
    expect((await migrateStore(store, now)).steps).toEqual([])
    await migrateStore(store, now, { stops: true, tidy: true })
    expect(await rows(store, 'SELECT "grand" FROM "baskets"')).toEqual([[7]])
    expect((await migrateStore(store, now)).steps).toEqual([])
  })

  test('of the state that rows begin in hold for rows that are created afterwards', async () => {
    const tasks = (first: string) => [
      resource('tasks', { fields: { state: states(first, { [first]: ['done'] }) } }),
    ]
    const databaseUrl = await url()
    const store = await open(databaseUrl)
    await migrateStore(store, model(tasks('open')))
    await insert(store, 'tasks', { state: 'open' })
    const now = model(tasks('waiting'), [change.mapValues('tasks', 'state', { open: 'waiting' })])
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
    expect(await rows(store, 'SELECT DISTINCT "state" FROM "tasks"')).toEqual([['open']])
    expect((await migrateStore(store, now)).steps).toEqual([])
  })

  test('of values that become one are joined with every process stopped, and an older declaration is refused then', async () => {
    const store = await open()
    const then = model([resource('members', { fields: { level: z.enum(['basic', 'silver', 'gold']) } })])
    const now = model(
      [resource('members', { fields: { level: z.enum(['plain', 'gold']) } })],
      [
        change.mapValues(
          'members',
          'level',
          { basic: 'plain', silver: 'gold', gold: 'gold' },
          { why: 'fewer' },
        ),
      ],
    )
    await migrateStore(store, then)
    await insert(store, 'members', { id: 'r1', level: 'basic' })
    await insert(store, 'members', { id: 'r2', level: 'silver' })
    await insert(store, 'members', { id: 'r3', level: 'gold' })
    expect(await refused(store, now)).toContain('run `nounkit migrate`')
    expect(await whys(store, now)).toContain('silver is gold now in members.level')
    // Until then, the older declaration can be served again.
    expect((await migrateStore(store, then)).steps).toEqual([])
    await migrateStore(store, now, { stops: true })
    expect(await rows(store, 'SELECT "level" FROM "members" ORDER BY "id"')).toEqual([
      ['basic'],
      ['gold'],
      ['gold'],
    ])
    expect((await migrateStore(store, now)).steps).toEqual([])
    expect(await refused(store, then)).toBe(
      'The store was migrated past this declaration, whose newest version is v1: members.level for v2 was converted. Nothing was changed. Start the newer release, or restore a backup from before it.',
    )
    if (kind === 'postgres')
      await expect(insert(store, 'members', { id: 'r4', level: 'silver' })).rejects.toThrow(/check/)
  })

  test('that change places in one version are a mistake', async () => {
    const both = [
      resource('cats', { fields: { one: text, two: text, grade } }),
      resource('dogs', { fields: { grade } }),
    ]
    const mistake =
      (...changes: Changes) =>
      () =>
        model(both, changes)
    expect(
      mistake(change.renameField('cats', 'two', 'one'), change.renameField('cats', 'one', 'two')),
    ).toThrow('fields of cats change places: two became one, one became two.')
    expect(mistake(change.renameResource('cats', 'dogs'), change.renameResource('dogs', 'cats'))).toThrow(
      'resources change places',
    )
    expect(mistake(change.mapValues('cats', 'grade', { low: 'high', high: 'low' }))).toThrow(
      'values of cats.grade change places',
    )
  })

  test('leave tables of another program alone', async () => {
    const store = await open()
    await store.session((session) => session.script('CREATE TABLE "people" ("id" TEXT)'))
    const now = model(
      [resource('members', { fields: { name: text } })],
      [change.renameResource('people', 'members')],
    )
    expect((await migrateStore(store, now)).applied).toBe(true)
    expect(await rows(store, 'SELECT * FROM "people"')).toEqual([])
  })

  test('are found again where the record was lost, and refused where it says what is not there', async () => {
    const then = model([resource('people', { fields: { full_name: text, grade } })])
    const now = model(
      [resource('members', { fields: { name: text, grade: z.enum(['less', 'high']) } })],
      [
        change.renameResource('people', 'members'),
        change.renameField('members', 'full_name', 'name'),
        change.mapValues('members', 'grade', { low: 'less' }),
      ],
    )
    const store = await open()
    await migrateStore(store, then)
    await insert(store, 'people', { full_name: 'Ada', grade: 'low' })
    await migrateStore(store, now)
    const [before] = await rows(store, record)
    const set = (sql: string) => store.session((session) => session.script(sql))
    await set(`DELETE FROM "nounkit_meta" WHERE "key" = 'names'`)
    expect((await migrateStore(store, now)).steps).toEqual([])
    const found = JSON.parse(String((await rows(store, record))[0]?.[0]))
    expect(found).toEqual(JSON.parse(String(before?.[0])))
    await set(
      `UPDATE "nounkit_meta" SET "value" = replace("value", 'full_name"}', 'fullname"}') WHERE "key" = 'names'`,
    )
    expect(await refused(store, now)).toContain('the column fullname of people, and there is none')
    for (const edited of [
      '{',
      '{"versions":{},"moves":[],"converted":[],"counting":{}}',
      '{"versions":{},"moves":[],"converted":[],"absent":{"people.grade":{"value":1}}}',
    ]) {
      await set(`UPDATE "nounkit_meta" SET "value" = '${edited}' WHERE "key" = 'names'`)
      expect(await refused(store, now)).toContain('cannot be read')
    }
    // Not of a person who writes SQL: what a command does is said, and done.
    expect(await refused(store, now)).toMatch(/run nounkit migrate --find-names, which [^"]*\.$/)
    await forgetLostNames(store, now)
    await migrateStore(store, now)
    expect(JSON.parse(String((await rows(store, record))[0]?.[0]))).toEqual(found)
    await expect(forgetLostNames(store, now)).rejects.toThrow('Leave --find-names out.')
  })

  test('are not guessed where a declaration leaves out the version that was served last', async () => {
    const people = (field: string) => [resource('people', { fields: { [field]: text } })]
    const two = model(people('title'), [change.renameField('people', 'full_name', 'title')])
    const store = await open()
    await migrateStore(store, model(people('full_name')))
    await migrateStore(store, two)
    const three = api('club', { resources: people('label'), versions: [version('v3')] })
    expect(await refused(store, compileApi(three))).toContain(
      'was last served with v2, which this declaration does not have',
    )
    const whole = model(
      people('label'),
      [change.renameField('people', 'title', 'label')],
      [change.renameField('people', 'full_name', 'title')],
    )
    await migrateStore(store, whole)
    // Once it was served, its versions can be taken out.
    expect((await migrateStore(store, compileApi(three))).steps).toEqual([])
  })

  test('of two declarations that rename one field differently are those of each', async () => {
    const people = (...names: string[]) => [
      resource('people', { fields: Object.fromEntries(names.map((name) => [name, text.optional()])) }),
    ]
    const store = await open()
    await migrateStore(store, model(people('full_name')))
    await insert(store, 'people', { full_name: 'Ada' })
    const one = model(people('name'), [change.renameField('people', 'full_name', 'name')])
    const other = model(people('title', 'name'), [change.renameField('people', 'full_name', 'title')])
    const columnOf = async (wanted: Model, name: string) =>
      (await migrateStore(store, wanted)).model.resources.get('people')?.field.get(name)?.column
    expect(await columnOf(one, 'name')).toBe('full_name')
    expect(await columnOf(other, 'title')).toBe('full_name')
    expect(await columnOf(other, 'name')).toBe('name')
    expect(await columnOf(one, 'name')).toBe('full_name')
    expect(await rows(store, 'SELECT "full_name" FROM "people"')).toEqual([['Ada']])
  })
})
