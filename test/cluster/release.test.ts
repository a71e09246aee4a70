import postgres from 'postgres'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import type { Model } from '../../src/compile/model.ts'
import { contractOf } from '../../src/contract/contract.ts'
import {
  type ApiDeclaration,
  api,
  belongsTo,
  changeType,
  custom,
  hasMany,
  makeRequired,
  mapValues,
  removeField,
  renameField,
  renameResource,
  resource,
  sum,
  version,
} from '../../src/index.ts'
import { completeRequired } from '../../src/lifecycle/complete-required.ts'
import { completeSums } from '../../src/lifecycle/complete-sums.ts'
import { recordRefusedCascades } from '../../src/lifecycle/record-refused-cascades.ts'
import { bindModel } from '../../src/migrate/bind-model.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import type { MigrateOptions } from '../../src/migrate/migration.ts'
import { sqlScript } from '../../src/migrate/sql-script.ts'
import { type Serving, serve } from '../support/serving.ts'
import { openForTest } from '../support/stores.ts'
import { type Cluster, startCluster } from './cluster.ts'

let cluster: Cluster
beforeAll(async () => {
  cluster = await startCluster()
})

const text = z.string().max(40)
const events = { keepDays: 9 }
const v1 = version('v1')
const contractsOf = (declaration: ApiDeclaration) => {
  const model = compileApi(declaration)
  return new Map<string, unknown>([['v1', contractOf(model, model.head)]])
}

/** The URL of a schema of its own on the cluster, with the tables of a declaration. */
async function schemaOf(name: string, declaration: ApiDeclaration): Promise<string> {
  await cluster.sql`CREATE SCHEMA ${cluster.sql(name)}`
  const url = `${cluster.coordinator.url}?search_path=${name}`
  await migrateStore(await openForTest(url), compileApi(declaration), { citus: true })
  return url
}

const members = {
  fields: { full_name: text, level: z.enum(['low', 'high']), phone: text.optional(), fax: text },
}
const older = api('club', { events, resources: [resource('members', members)], versions: [v1] })
const why = 'decided'
const newer = api('club', {
  events,
  resources: [
    resource('people', {
      fields: {
        name: text,
        level: z.enum(['basic', 'high', 'top']),
        phone: text,
        size: sum('notes', 'size'),
      },
      relations: { notes: hasMany('notes') },
      filter: ['phone'],
      sort: ['phone'],
      nameIsPluralBecause: 'it is',
    }),
    resource('notes', {
      fields: { size: z.int() },
      relations: { person: belongsTo('people', { onTargetDelete: 'cascade' }) },
    }),
  ],
  versions: [
    version('v2'),
    version('v1', {
      changes: [
        renameResource('members', 'people'),
        renameField('people', 'full_name', 'name'),
        mapValues('people', 'level', { low: 'basic' }, { onlyInNewer: { top: 'high' }, why }),
        makeRequired('people', 'phone', { whenAbsent: 'none', why }),
        removeField('people', 'fax', { was: text, whenAbsent: 'no fax', why }),
      ],
    }),
  ],
})

const settle = async ({ api: { service } }: Serving): Promise<void> => {
  const { signal } = new AbortController()
  await completeRequired({ ...service, warn: () => {} }, signal)
  await service.lifecycle.beat()
  await completeSums(service.store, service.engine.writer, signal)
  await recordRefusedCascades(service.store)
  await service.lifecycle.beat()
}

test('an older and a newer declaration serve the cluster side by side, and what a release leaves is done once the older one has ended', async () => {
  const url = await schemaOf('rolling', older)
  const contracts = contractsOf(older)
  const old = await serve('postgres', url, { declaration: older, contracts })
  const row = { full_name: 'Ada', level: 'low', fax: '1' }
  const { id } = await old.make('/v1/members', row)
  const now = await serve('postgres', url, { declaration: newer, contracts })
  await old.api.service.lifecycle.beat()
  await old.make('/v1/members', row, { as: 'beta' })
  const top = await now.make('/v2/people', { name: 'Top', level: 'top', phone: '3' })
  await now.make('/v2/notes', { size: 2, person_id: id })
  for (const path of ['/v1/members', `/v1/members/${id}`, `/v1/members/${top.id}`])
    expect((await old.get(path)).text).toBe((await now.get(path)).text)
  expect((await now.get('/v2/people?filter[phone]=none')).rows).toMatchObject([{ name: 'Ada', size: 2 }])
  const remove = (serving: Serving) => serving.call('DELETE', `/v1/members/${id}`)
  for (const serving of [old, now]) expect((await remove(serving)).refusal).toEqual([409, 'still-referenced'])
  await old.api.close()
  await settle(now)
  const { model, store } = now.api.service
  expect(model.stored.get('people')?.field.get('phone')?.mayLack).toBe(false)
  await expect(store.writeOne(`UPDATE "members" SET "phone" = NULL`, [])).rejects.toThrow()
  expect((await now.get(`/v2/people/${id}`)).data).toMatchObject({ phone: 'none', size: 2, level: 'basic' })
  // The older declaration is deployed again.
  const again = await serve('postgres', url, { declaration: older, contracts })
  await now.api.service.lifecycle.beat()
  const late = await again.make('/v1/members', row)
  expect((await now.get(`/v1/members/${late.id}`)).data).toMatchObject({ phone: null, fax: '1' })
  expect((await remove(now)).status).toBe(409)
  await again.api.close()
  await settle(now)
  expect((await remove(now)).status).toBe(204)
  const told = (await now.get('/v2/events?limit=100')).rows.map(({ type }) => type)
  expect(told.slice(-2).toSorted()).toEqual(['notes.deleted', 'people.deleted'])
})

const cost = z.string().regex(/^[0-9]{1,9}\.[0-9]{2}$/)
const addressed = { place: text, code: z.string().regex(/^[0-9]+$/) }
const located = {
  at: z.object({ street: text, city: z.array(text) }),
  number: z.int(),
  note: text.optional(),
}
const split = (name: string) =>
  custom(name, {
    fields: addressed,
    replaces: ['at', 'number'],
    up: ({ place, code }) => {
      const [street = '', ...city] = String(place).split(', ')
      if (street === '') throw new Error('no street')
      return { at: { street, city }, number: Number(code) }
    },
    down: ({ at, number }) => {
      const { street, city } = at as { street: string; city: string[] }
      return { place: [street, ...city].join(', '), code: String(number) }
    },
    samples: [
      {
        older: { place: 'High St, Leeds', code: '3' },
        newer: { at: { street: 'High St', city: ['Leeds'] }, number: 3 },
      },
    ],
  })
/** The declarations of a release with a stop: a type, values that are joined, and columns that code makes. */
const before = api('shop', {
  resources: [
    resource('orders', { fields: { ...addressed, cost, level: z.enum(['low', 'high', 'top']) } }),
    resource('depots', { fields: addressed, shared: true }),
  ],
  versions: [v1],
})
const after = api('shop', {
  resources: [
    resource('orders', {
      fields: { ...located, cost: z.int(), level: z.enum(['low', 'high']) },
      filter: ['number'],
    }),
    resource('depots', { fields: located, shared: true, filter: ['number'] }),
    resource('trucks', { fields: { name: text } }),
  ],
  versions: [
    version('v2'),
    version('v1', {
      changes: [
        split('orders'),
        split('depots'),
        changeType('orders', 'cost', { was: cost, codec: 'cents-as-decimal-string' }),
        mapValues('orders', 'level', { top: 'high', high: 'high', low: 'low' }, { why }),
      ],
    }),
  ],
})
const contracts = contractsOf(before)
const newest = compileApi(after, { contracts })
const accounts = ['acme', 'beta', 'gamma', 'delta']
const order = { cost: '12.50', level: 'top', place: 'High St, Leeds', code: '7' }

/** What v1 shows to each account, with the values that are joined. */
async function shownIn(serving: Serving): Promise<readonly string[]> {
  const texts = [(await serving.get('/v1/depots')).text]
  for (const as of accounts) texts.push((await serving.get('/v1/orders', { as })).text)
  return texts.map((shown) => shown.replaceAll('"top"', '"high"'))
}

test('types are converted, values joined, and columns that code makes computed on every shard, also where that was killed before any of its steps', async () => {
  const url = await schemaOf('converting', before)
  const old = await serve('postgres', url, { declaration: before })
  for (const as of accounts)
    for (const place of ['High St', 'Low Rd, Bath'])
      await old.make('/v1/orders', { ...order, place: `${place}, ${as}` }, { as })
  await old.make('/v1/depots', { place: 'Elm St, York', code: '9' })
  const { id } = await old.make('/v1/orders', { ...order, place: ', Leeds' })
  const store = await openForTest(url)
  const columns = () =>
    store.all(
      `SELECT attname::text FROM pg_attribute WHERE attrelid = 'orders'::regclass AND attnum > 0 ORDER BY 1`,
      [],
    )
  const found = await columns()
  await expect(migrateStore(store, newest)).rejects.toThrow(/"up" of custom throws/)
  await expect(migrateStore(store, newest, { stops: true })).rejects.toThrow(
    new RegExp(`Nothing was changed\\..*of 1 row, such as the one with the id ${id}\\.`, 's'),
  )
  expect(await columns()).toEqual(found)
  await old.call('PATCH', `/v1/orders/${id}`, { body: { place: 'Road' } })
  const shown = await shownIn(old)
  let at = 0
  const stepping = (_: string, done: number) => {
    if (done === at) throw new Error('killed')
  }
  const isKilled = () =>
    migrateStore(store, newest, { stops: true, stepping }).then(
      () => false,
      (error: Error) => {
        if (error.message !== 'killed') throw error
        return true
      },
    )
  for (; await isKilled(); at++) {
    await old.api.service.lifecycle.beat()
    const { status } = await old.call('PATCH', `/v1/orders/${id}`, { body: { place: 'Road' } })
    expect(status).toBe(at === 0 ? 200 : 503)
    const again = bindModel(store, compileApi(before, { contracts }))
    if (at === 0) await again
    else await expect(again).rejects.toThrow('migrated past this declaration')
  }
  expect(at).toBeGreaterThan(accounts.length)
  await old.api.close()
  const now = await serve('postgres', url, { declaration: after, contracts })
  expect(await shownIn(now)).toEqual(shown)
  for (const as of accounts)
    expect((await now.get('/v2/orders?filter[number]=7', { as })).rows.slice(0, 2)).toMatchObject([
      { cost: 1250, level: 'high', at: { street: 'High St', city: [as] } },
      { cost: 1250, level: 'high', at: { street: 'Low Rd', city: ['Bath', as] } },
    ])
  expect((await now.get('/v2/depots?filter[number]=9')).rows).toHaveLength(1)
  await now.make('/v1/orders', order, { as: 'beta' })
  await now.make('/v2/trucks', { name: 'big' })
})

test('what migrate --sql prints of the tables, and of a release with a stop, is run by another client and recognised', async () => {
  await cluster.sql`CREATE SCHEMA printed`
  const url = `${cluster.coordinator.url}?search_path=printed`
  const store = await openForTest(url)
  const another = postgres(url, { max: 1, onnotice: () => {} })
  const changedElsewhere = async (model: Model, options: MigrateOptions) => {
    const { plan } = await migrateStore(store, model, { ...options, dryRun: true })
    for (const statement of (await sqlScript(store, plan)).split(/;$/m))
      if (statement.trim()) await another.unsafe(statement)
    expect((await migrateStore(store, model, options)).steps).toEqual([])
  }
  await changedElsewhere(compileApi(before), { citus: true })
  const old = await serve('postgres', url, { declaration: before })
  for (const as of accounts) await old.make('/v1/orders', order, { as })
  await old.make('/v1/depots', { place: 'Elm St, York', code: '9' })
  const shown = await shownIn(old)
  await old.api.close()
  await changedElsewhere(newest, { stops: true })
  await another.end()
  const now = await serve('postgres', url, { declaration: after, contracts })
  expect(await shownIn(now)).toEqual(shown)
})
