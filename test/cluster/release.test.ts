import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
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
import { settleCascades } from '../../src/lifecycle/settle-cascades.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
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
  await settleCascades(service.store)
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

test('types are converted and values joined on every shard, with a stop; columns made by code are refused with what to do', async () => {
  const cost = z.string().regex(/^[0-9]{1,9}\.[0-9]{2}$/)
  const before = api('shop', {
    resources: [resource('orders', { fields: { cost, level: z.enum(['low', 'high', 'top']), place: text } })],
    versions: [v1],
  })
  const url = await schemaOf('converting', before)
  const old = await serve('postgres', url, { declaration: before })
  const order = { cost: '12.50', level: 'top', place: 'High St, Leeds' }
  for (const as of ['acme', 'beta', 'gamma', 'delta']) await old.make('/v1/orders', order, { as })
  await old.api.close()
  const contracts = contractsOf(before)
  const place = custom('orders', {
    fields: { place: text },
    replaces: ['street', 'city'],
    up: ({ place: all }) => {
      const [street = '', city = ''] = String(all).split(', ')
      return { street, city }
    },
    down: ({ street, city }) => ({ place: `${street}, ${city}` }),
    samples: [{ older: { place: 'High St, Leeds' }, newer: { street: 'High St', city: 'Leeds' } }],
  })
  const byCode = api('shop', {
    resources: [
      resource('orders', {
        fields: { cost, level: z.enum(['low', 'high', 'top']), street: text, city: text },
      }),
    ],
    versions: [version('v2'), version('v1', { changes: [place] })],
  })
  const store = await openForTest(url)
  await expect(migrateStore(store, compileApi(byCode, { contracts }), { stops: true })).rejects.toThrow(
    /by custom, which is not done on Citus\. Nothing was changed\. Add the columns and fill them/,
  )
  const after = api('shop', {
    resources: [
      resource('orders', { fields: { cost: z.int(), level: z.enum(['low', 'high']), place: text } }),
    ],
    versions: [
      version('v2'),
      version('v1', {
        changes: [
          changeType('orders', 'cost', { was: cost, codec: 'cents-as-decimal-string' }),
          mapValues('orders', 'level', { top: 'high', high: 'high', low: 'low' }, { why }),
        ],
      }),
    ],
  })
  const newest = compileApi(after, { contracts })
  await expect(migrateStore(store, newest)).rejects.toThrow('run `nounkit migrate`')
  await migrateStore(store, newest, { stops: true })
  const now = await serve('postgres', url, { declaration: after, contracts })
  for (const as of ['acme', 'beta', 'gamma', 'delta']) {
    expect((await now.get('/v2/orders', { as })).rows).toMatchObject([{ cost: 1250, level: 'high' }])
    expect((await now.get('/v1/orders', { as })).rows).toMatchObject([{ cost: '12.50' }])
  }
  await expect(serve('postgres', url, { declaration: before })).rejects.toThrow(
    'migrated past this declaration',
  )
})
