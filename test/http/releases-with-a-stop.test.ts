import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { api, changeType, custom, makeRequired, mapValues, resource, version } from '../../src/index.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { releaseOf } from '../../src/migrate/release.ts'
import type { Store } from '../../src/store/store.ts'
import { emptyDatabase } from '../support/databases.ts'
import { serve } from '../support/serving.ts'
import { describeStores } from '../support/stores.ts'

const levels = ['basic', 'silver', 'gold'] as const
const older = api('club', {
  resources: [resource('members', { fields: { level: z.enum(levels) }, filter: ['level'] })],
  versions: [version('v1')],
})
const newer = api('club', {
  resources: [resource('members', { fields: { level: z.enum(['plain', 'gold']) }, filter: ['level'] })],
  versions: [
    version('v2'),
    version('v1', {
      changes: [
        mapValues('members', 'level', { basic: 'plain', silver: 'gold', gold: 'gold' }, { why: 'fewer' }),
      ],
    }),
  ],
})
const model = compileApi(older)
const contracts = new Map<string, unknown>([['v1', contractOf(model, model.head)]])

describeStores('a declaration that joins two values', (store) => {
  test.each(['silver', null])(
    'is refused before the store is converted, and the older one afterwards (a row: %s)',
    async (level) => {
      const url = await store.url()
      const old = await serve(store.kind, url, { declaration: older, contracts })
      const row = level === null ? null : await old.make('/v1/members', { level })
      const begun = serve(store.kind, url, { declaration: newer, contracts })
      await expect(begun).rejects.toThrow(
        /run `nounkit migrate`.*\n- silver is gold now in members\.level\.$/s,
      )
      // Nothing was changed by that.
      await old.make('/v1/members', { level: 'silver' })
      await migrateStore(await store.open(url), compileApi(newer, { contracts }), { stops: true })
      await old.api.service.lifecycle.beat()
      const refused = await old.call('POST', '/v1/members', { body: { level: 'silver' } })
      expect(refused.refusal).toEqual([503, 'shutting-down'])
      const again = serve(store.kind, url, { declaration: older, contracts })
      await expect(again).rejects.toThrow(
        /migrated past this declaration.*members\.level for v2 was converted/,
      )
      const now = await serve(store.kind, url, { declaration: newer, contracts })
      if (row) expect((await now.get(`/v1/members/${row.id}`)).data).toMatchObject({ level: 'gold' })
      expect((await now.get('/v2/members?filter[level]=gold')).rows).toHaveLength(row ? 2 : 1)
      await now.make('/v1/members', { level: 'silver' })
    },
  )
})

describeStores('a field of a unique set that becomes required', (store) => {
  const text = z.string().max(40)
  const code = (given: { readonly code: string }) => ({ code: given.code === '' ? newId() : given.code })
  let ids = 0
  const newId = () => `c${++ids}`
  const before = api('club', {
    resources: [resource('members', { fields: { code: text.optional() }, unique: ['code'] })],
    versions: [version('v1')],
  })
  const after = (hooks: object) =>
    api('club', {
      resources: [resource('members', { fields: { code: text }, unique: ['code'], hooks })],
      versions: [
        version('v2'),
        version('v1', {
          changes: [makeRequired('members', 'code', { whenAbsent: '', why: 'all have one' })],
        }),
      ],
    })

  test('is a mistake unless a hook gives each row a value of its own', () => {
    expect(() => compileApi(after({}))).toThrow(/v1 may leave out code, so each row without it has ""/)
  })

  test('needs a stop then, and is refused while several rows have no value, which stay as they are', async () => {
    const url = await store.url()
    const newest = compileApi(after({ beforeCreate: code }))
    const old = await serve(store.kind, url, { declaration: before })
    const [one] = [await old.make('/v1/members', {}), await old.make('/v1/members', {})]
    const opened = await store.open(url)
    const { steps } = await migrateStore(opened, newest, { dryRun: true, stops: true })
    expect(releaseOf(steps)).toEqual({
      release: 'needs-a-stop',
      because: ['members.code allows NULL, and the field is required'],
    })
    const refused = migrateStore(opened, newest, { stops: true })
    await expect(refused).rejects.toThrow(
      /Nothing was changed\. Change the rows .* and try again:\n- values must be unique now, but rows of members would share values of code\.$/,
    )
    await old.call('PATCH', `/v1/members/${one?.id}`, { body: { code: 'mine' } })
    await old.api.close()
    await migrateStore(opened, newest, { stops: true })
    const now = await serve(store.kind, url, { declaration: after({ beforeCreate: code }) })
    for (const path of ['/v1/members', '/v1/members', '/v2/members'])
      await now.make(path, path === '/v2/members' ? { code: '' } : {})
    const codes = (await now.get('/v2/members')).rows.map((row) => row.code)
    expect(codes).toEqual(['mine', '', 'c1', 'c2', 'c3'])
  })
})

describeStores('a custom change, in a store with rows of the version before it', (store) => {
  const text = z.string().max(40)
  const addressed = { name: text, address: text }
  const before = api('club', {
    resources: [
      resource('members', { fields: addressed }),
      resource('places', { fields: addressed, shared: true }),
    ],
    versions: [version('v1')],
  })
  const split = (name: string) =>
    custom(name, {
      fields: { address: text },
      replaces: ['street', 'city'],
      up: ({ address }) => {
        const [street, city] = String(address).split(', ')
        if (street === '') throw new Error('no street')
        return { street, city }
      },
      down: ({ street, city }) => ({ address: city ? `${street}, ${city}` : `${street}` }),
      samples: [
        { older: { address: 'High St, Leeds' }, newer: { street: 'High St', city: 'Leeds' } },
        { older: { address: 'High St' }, newer: { street: 'High St' } },
      ],
    })
  const located = { name: text, street: text, city: text.optional(), note: text.optional() }
  const after = api('club', {
    resources: [
      resource('members', { fields: located, filter: ['street'] }),
      resource('places', { fields: located, shared: true }),
    ],
    versions: [version('v2'), version('v1', { changes: [split('members'), split('places')] })],
  })
  const frozen = compileApi(before)
  const contracts = new Map<string, unknown>([['v1', contractOf(frozen, frozen.head)]])
  const newest = compileApi(after, { contracts })

  test('is carried out by migrate: the new columns are computed with its "up", and v1 shows the same bytes', async () => {
    const url = await store.url()
    const old = await serve(store.kind, url, { declaration: before })
    for (const address of ['High St, Leeds', 'Low Rd']) await old.make('/v1/members', { name: 'a', address })
    await old.make('/v1/members', { name: 'b', address: 'Elm St, York' }, { as: 'beta' })
    const shown = (await old.get('/v1/members')).text
    const opened = await store.open(url)
    await expect(serve(store.kind, url, { declaration: after, contracts })).rejects.toThrow(
      /run `nounkit migrate`.*street, city of members in v2 are made from address of v1 by custom/s,
    )
    const { steps } = await migrateStore(opened, newest, { dryRun: true, stops: true })
    expect(releaseOf(steps).release).toBe('needs-a-stop')
    await migrateStore(opened, newest, { stops: true })
    expect((await migrateStore(opened, newest)).steps).toEqual([])
    const now = await serve(store.kind, url, { declaration: after, contracts })
    expect((await now.get('/v1/members')).text).toBe(shown)
    expect((await now.get('/v2/members')).rows).toMatchObject([
      { street: 'High St', city: 'Leeds' },
      { street: 'Low Rd', city: null },
    ])
    expect((await now.get('/v2/members', { as: 'beta' })).rows).toMatchObject([{ street: 'Elm St' }])
    await now.make('/v1/members', { name: 'c', address: 'New St, Bath' })
    await expect(serve(store.kind, url, { declaration: before })).rejects.toThrow(
      'members.street for v2, members.city for v2, places.street for v2, places.city for v2 was converted',
    )
  })

  test('changes nothing where its "up" fails for a row, which is named', async () => {
    const url = await store.url()
    const old = await serve(store.kind, url, { declaration: before })
    await old.make('/v1/members', { name: 'a', address: 'High St, Leeds' })
    const { id } = await old.make('/v1/members', { name: 'b', address: ', York' })
    const shown = (await old.get('/v1/members')).text
    await expect(migrateStore(await store.open(url), newest, { stops: true })).rejects.toThrow(
      new RegExp(`Nothing was changed\\..*address of 1 row, such as the one with the id ${id}\\.`, 's'),
    )
    expect((await old.get('/v1/members')).text).toBe(shown)
    await old.make('/v1/members', { name: 'c', address: 'New St, Bath' })
  })

  test('finds the older column also where the new field has its name', async () => {
    const place = z.object({ street: text, city: text })
    const named = api('club', {
      resources: [
        resource('members', { fields: { name: text, address: place } }),
        resource('places', { fields: addressed, shared: true }),
      ],
      versions: [
        version('v2'),
        version('v1', {
          changes: [
            custom('members', {
              fields: { address: text },
              replaces: ['address'],
              up: ({ address }) => {
                const [street = '', city = ''] = String(address).split(', ')
                return { address: { street, city } }
              },
              down: ({ address }) => {
                const { street, city } = address as { street: string; city: string }
                return { address: `${street}, ${city}` }
              },
              samples: [
                {
                  older: { address: 'High St, Leeds' },
                  newer: { address: { street: 'High St', city: 'Leeds' } },
                },
              ],
            }),
          ],
        }),
      ],
    })
    const url = await store.url()
    const old = await serve(store.kind, url, { declaration: before })
    await old.make('/v1/members', { name: 'a', address: 'High St, Leeds' })
    const shown = (await old.get('/v1/members')).text
    await old.api.close()
    await migrateStore(await store.open(url), compileApi(named, { contracts }), { stops: true })
    const now = await serve(store.kind, url, { declaration: named, contracts })
    expect((await now.get('/v1/members')).text).toBe(shown)
    expect((await now.get('/v2/members')).rows).toMatchObject([
      { address: { street: 'High St', city: 'Leeds' } },
    ])
  })

  if (store.kind === 'sqlite') return

  /** Marks the tables that are there as distributed, by the catalogue that Citus has. */
  const distribute = (opened: Store) =>
    opened.session((session) =>
      session.script(
        `INSERT INTO "pg_dist_partition" SELECT oid, 'h' FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`,
      ),
    )

  test('is carried out in steps as on Citus, with changes of types and values: killed before any of them and run again, it goes on, and no older declaration starts from the first one on', async () => {
    const [paid, count] = [z.string().regex(/^[0-9]{1,9}$/), z.string().regex(/^[0-9]{1,9}$/)]
    const earlier = api('club', {
      resources: [
        resource('members', { fields: { ...addressed, paid, count, level: z.enum(levels) } }),
        resource('places', { fields: addressed, shared: true }),
      ],
      versions: [version('v1')],
    })
    const later = api('club', {
      resources: [
        resource('members', {
          fields: { ...located, paid: z.int(), count: z.int(), level: z.enum(['plain', 'gold']) },
          filter: ['street'],
        }),
        resource('places', { fields: located, shared: true }),
      ],
      versions: [
        version('v2'),
        version('v1', {
          changes: [
            split('members'),
            split('places'),
            changeType('members', 'paid', { was: paid, codec: 'integer-as-string' }),
            changeType('members', 'count', { was: count, codec: 'integer-as-string' }),
            mapValues('members', 'level', { basic: 'plain', silver: 'gold', gold: 'gold' }, { why: 'fewer' }),
          ],
        }),
      ],
    })
    const served = compileApi(earlier)
    const known = new Map<string, unknown>([['v1', contractOf(served, served.head)]])
    const url = await emptyDatabase('postgres as on Citus')
    const old = await serve(store.kind, url, { declaration: earlier })
    const opened = await store.open(url)
    await distribute(opened)
    const member = { name: 'a', address: 'Road, Bath', paid: '7', count: '8', level: 'silver' }
    const { id } = await old.make('/v1/members', member)
    await old.make('/v1/members', { ...member, name: 'b', address: 'Low Rd' }, { as: 'beta' })
    await old.make('/v1/places', { name: 'c', address: 'Elm St, York' })
    const kept = (await old.get('/v1/members', { as: 'beta' })).rows
    let at = 0
    const stepping = (_: string, done: number) => {
      if (done === at) throw new Error('killed')
    }
    const isKilled = () =>
      migrateStore(opened, compileApi(later, { contracts: known }), { stops: true, stepping }).then(
        () => false,
        (error: Error) => {
          if (error.message !== 'killed') throw error
          return true
        },
      )
    const write = () => old.call('PATCH', `/v1/members/${id}`, { body: { address: `Road ${at}, Bath` } })
    for (; await isKilled(); at++) {
      await old.api.service.lifecycle.beat()
      const again = serve(store.kind, url, { declaration: earlier, contracts: known })
      if (at === 0) {
        expect((await write()).status).toBe(200)
        await (await again).api.close()
        continue
      }
      expect((await write()).refusal).toEqual([503, 'shutting-down'])
      await expect(again).rejects.toThrow(
        'members.level for v2, members.paid for v2, members.count for v2, members.street for v2',
      )
    }
    expect(at).toBeGreaterThan(5)
    const now = await serve(store.kind, url, { declaration: later, contracts: known })
    const shown = async (path: string, as = 'acme') => (await now.get(path, { as })).rows
    expect(await shown('/v1/members')).toMatchObject([{ address: 'Road 0, Bath', paid: '7', count: '8' }])
    expect(await shown('/v1/members', 'beta')).toMatchObject([{ ...kept[0], level: 'gold' }])
    expect(await shown('/v2/members')).toMatchObject([{ street: 'Road 0', city: 'Bath', level: 'gold' }])
    expect(await shown('/v2/members', 'beta')).toMatchObject([{ street: 'Low Rd', city: null, paid: 7 }])
    expect(await shown('/v2/places')).toMatchObject([{ street: 'Elm St', city: 'York' }])
  })

  test('is refused along with the first distribution of its tables, and nothing is changed', async () => {
    const url = await store.url()
    const old = await serve(store.kind, url, { declaration: before })
    await old.make('/v1/members', { name: 'a', address: 'High St, Leeds' })
    const opened = await store.open(url)
    await expect(migrateStore(opened, newest, { stops: true, citus: true })).rejects.toThrow(
      /Nothing was changed\. First run nounkit migrate --citus with the declaration that serves it now/,
    )
    await old.make('/v1/members', { name: 'b', address: 'Low Rd' })
  })
})
