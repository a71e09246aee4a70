import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { api } from '../../src/declare/api.ts'
import { changeType, renameField, renameResource } from '../../src/declare/change.ts'
import type { FieldDeclarations } from '../../src/declare/field.ts'
import { belongsTo } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { MigrationRefused } from '../../src/migrate/migration.ts'
import { type Store, StoreRefused } from '../../src/store/store.ts'
import { type TestApi, testApi } from '../../src/testing.ts'
import { describeStores } from '../support/stores.ts'

const lists = {
  unique: ['count'],
  sort: ['label', 'at'],
  filter: ['count', 'active', 'at', 'ended'],
} as const
const notes = (target: string) =>
  resource('notes', {
    fields: { text: z.string() },
    relations: { of: belongsTo(target, { onTargetDelete: 'cascade' }) },
    include: ['of'],
  })

/** As v1 was when it was the only version: numbers as text, times as seconds, a flag as 0 and 1. */
const then = api('market', {
  resources: [
    resource('things', {
      fields: {
        label: z.string().max(50),
        count: z.string().max(20),
        cost: z.string().max(20).default('1.50'),
        active: z.int().default(1),
        at: z.int(),
        ended: z.int().optional(),
        bonus: z.string().optional(),
      },
      ...lists,
    }),
    notes('things'),
  ],
})

const market = (more: FieldDeclarations = {}) =>
  api('market', {
    resources: [
      resource('items', {
        fields: {
          label: z.string().max(50),
          count: z.int(),
          price: z.int().default(150),
          active: z.boolean().default(true),
          at: z.iso.datetime(),
          ended: z.iso.datetime().optional(),
          bonus: z.int().optional(),
          ...more,
        },
        ...lists,
      }),
      notes('items'),
    ],
    versions: [
      version('v2'),
      version('v1', {
        changes: [
          renameResource('things', 'items'),
          renameField('items', 'cost', 'price'),
          changeType('items', 'count', { was: z.string().max(20), codec: 'integer-as-string' }),
          changeType('items', 'price', { was: z.string().max(20), codec: 'cents-as-decimal-string' }),
          changeType('items', 'active', { was: z.int(), codec: 'boolean-as-integer' }),
          changeType('items', 'at', { was: z.int(), codec: 'datetime-as-unix-seconds', why: 'precision' }),
          changeType('items', 'ended', {
            was: z.int().optional(),
            codec: 'datetime-as-unix-seconds',
            why: 'precision',
          }),
          changeType('items', 'bonus', { was: z.string().optional(), codec: 'cents-as-decimal-string' }),
        ],
      }),
    ],
  })

const now = market()

const caller = (served: TestApi, key: string) => async (method: string, path: string, body?: object) => {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const response = await served.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
  return text
}

const rows = [
  { label: 'a', count: '12', cost: '12.00', active: 0, at: 1_700_000_000, ended: 0, bonus: '-0.05' },
  { label: 'b', count: '-9007199254740991', cost: '-90071992547409.91', at: -62_135_596_800, bonus: '0.00' },
  { label: 'c', count: '0', active: 1, at: 253_402_300_799, ended: -1 },
]

describeStores('a store with types of an older version', ({ kind, open, url }) => {
  const leftByV1 = async (given: readonly object[] = rows) => {
    const databaseUrl = await url()
    const served = await testApi(then, { databaseUrl })
    const key = await served.key('acme')
    const call = caller(served, key)
    for (const row of given) {
      const { data } = JSON.parse(await call('POST', '/v1/things', row))
      await call('POST', '/v1/notes', { of_id: data.id, text: `of ${data.label}` })
    }
    const paths = ['/v1/things?sort=label', '/v1/things?filter[count]=12', '/v1/notes?include=of']
    const before = await Promise.all(paths.map((path) => call('GET', path)))
    await served.close()
    return { databaseUrl, key, paths, before }
  }
  const model = compileApi(now)

  const refusal = async (store: Store, stops = false): Promise<StoreRefused> => {
    const error = await migrateStore(store, model, { stops }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(StoreRefused)
    return error as StoreRefused
  }

  const expectBothVersions = async (left: Awaited<ReturnType<typeof leftByV1>>) => {
    const served = await testApi(now, { databaseUrl: left.databaseUrl })
    const call = caller(served, left.key)
    expect(await Promise.all(left.paths.map((path) => call('GET', path)))).toEqual(left.before)
    expect(JSON.parse(await call('GET', '/v2/items?sort=label')).data).toMatchObject([
      {
        count: 12,
        price: 1200,
        active: false,
        at: '2023-11-14T22:13:20.000Z',
        ended: '1970-01-01T00:00:00.000Z',
        bonus: -5,
      },
      {
        count: -9007199254740991,
        price: -9007199254740991,
        active: true,
        at: '0001-01-01T00:00:00.000Z',
        ended: null,
        bonus: 0,
      },
      {
        count: 0,
        price: 150,
        active: true,
        at: '9999-12-31T23:59:59.000Z',
        ended: '1969-12-31T23:59:59.000Z',
        bonus: null,
      },
    ])
    // Both versions write on, and the unique set holds over them.
    await call('POST', '/v1/things', { label: 'd', count: '13', at: 5 })
    await expect(
      call('POST', '/v2/items', { label: 'e', count: 13, at: '2026-01-01T00:00:00Z' }),
    ).rejects.toThrow(/409/)
    expect(JSON.parse(await call('GET', '/v2/items?filter[count]=13')).data).toMatchObject([
      { price: 150, active: true },
    ])
    await served.close()
  }

  test('is refused, and nounkit migrate converts it: v1 shows the same bytes, v2 the new form', async () => {
    const left = await leftByV1()
    const store = await open(left.databaseUrl)
    const refused = await refusal(store)
    expect(refused).toBeInstanceOf(MigrationRefused)
    expect(refused.message).toContain('run `nounkit migrate`')
    expect(refused.message).toContain('things.cost was text in v1')
    await migrateStore(store, model, { stops: true })
    expect((await migrateStore(store, model)).steps).toEqual([])
    await expectBothVersions(left)
  })

  test('ends with the same tables as one that was made with the new types', async () => {
    const { databaseUrl } = await leftByV1()
    const store = await open(databaseUrl)
    await migrateStore(store, model, { stops: true })
    await migrateStore(store, model, { stops: true, tidy: true })
    const fresh = await open()
    await migrateStore(fresh, model)
    const sql =
      kind === 'sqlite'
        ? `SELECT name, sql FROM sqlite_schema WHERE tbl_name = 'items' ORDER BY name`
        : `SELECT column_name::text, data_type::text, column_default::text, is_nullable::text, collation_name::text FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = 'items' UNION ALL SELECT indexname::text, split_part(indexdef, 'USING', 2), NULL, NULL, NULL FROM pg_indexes WHERE schemaname = current_schema() AND tablename = 'items' ORDER BY 1`
    expect(await store.all(sql, [])).toEqual(await fresh.all(sql, []))
  })

  describe('values that would not come back the same are refused before anything is changed', () => {
    const base = { label: 'x', count: '1', cost: '1.00', at: 1 }
    const cases: [string, object, string][] = [
      [
        'cents with one decimal',
        { cost: '12.5' },
        'things.cost: 1 row has a value that cents-as-decimal-string',
      ],
      ['text that is no number', { cost: 'free' }, 'such as "free" in the row with the id'],
      ['a leading zero', { count: '007' }, 'such as "007"'],
      ['a number past what JSON holds', { count: '9007199254740992' }, 'integer-as-string'],
      [
        'a flag that is neither 0 nor 1',
        { active: 5 },
        'things.active: 1 row has a value that boolean-as-integer',
      ],
      ['a time past the year 9999', { at: 253_402_300_800 }, 'datetime-as-unix-seconds'],
    ]
    test.each(cases)('%s', async (_, value, message) => {
      const left = await leftByV1([base, { ...base, count: '2', ...value }])
      const store = await open(left.databaseUrl)
      for (const rename of [false, true]) expect((await refusal(store, rename)).message).toContain(message)
      const served = await testApi(then, { databaseUrl: left.databaseUrl })
      const call = caller(served, left.key)
      expect(await Promise.all(left.paths.map((path) => call('GET', path)))).toEqual(left.before)
      await served.close()
    })

    test('and are all counted, with the first of each field', async () => {
      const wrong = ['1', '2', '3'].map((count) => ({ ...base, count: `0${count}`, cost: count }))
      const { databaseUrl } = await leftByV1(wrong)
      const { message } = await refusal(await open(databaseUrl), true)
      expect(message).toContain('things.count: 3 rows have')
      expect(message).toContain('things.cost: 3 rows have')
      expect(message.split('\n')).toHaveLength(3)
    })

    test('in the SQL too, should such a value be written while it runs', async () => {
      const { databaseUrl } = await leftByV1([base])
      const store = await open(databaseUrl)
      const { steps } = await migrateStore(store, model, { dryRun: true, stops: true })
      await store.session((session) => session.script(`UPDATE "things" SET "cost" = '1.5'`))
      const run = store.session(async (session) => {
        try {
          for (const { sql } of steps) await session.script(sql)
        } finally {
          await session.script('SELECT 1')
        }
      })
      await expect(run).rejects.toThrow()
      expect(await store.all('SELECT "cost" FROM "things"', [])).toEqual([['1.5']])
    })
  })

  test('beside a required field that rows have no value for it is not made', async () => {
    const { databaseUrl } = await leftByV1()
    const store = await open(databaseUrl)
    const shelved = compileApi(market({ shelf: z.string() }))
    await expect(migrateStore(store, shelved, { stops: true })).rejects.toThrow(
      'things.shelf is new and required',
    )
    expect(await store.all('SELECT "count" FROM "things" WHERE "label" = \'a\'', [])).toEqual([['12']])
  })

  test('a conversion that no change describes is refused, and nothing is changed', async () => {
    const before = resource('logs', { fields: { at: z.int(), flag: z.string() } })
    const after = resource('logs', { fields: { at: z.iso.datetime(), flag: z.string() } })
    const store = await open()
    await migrateStore(store, compileApi(api('market', { resources: [before] })))
    const wanted = compileApi(api('market', { resources: [after] }))
    const error = await migrateStore(store, wanted, { stops: true }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(MigrationRefused)
    expect((error as MigrationRefused).message).toMatch(
      /declare what becomes of the values that are stored.*\n- logs\.at is (integer|bigint), and should be/,
    )
    expect((await migrateStore(store, compileApi(api('market', { resources: [before] })))).steps).toEqual([])
  })
})
