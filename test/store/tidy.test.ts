import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { readContracts } from '../../src/contract/contract-files.ts'
import { api as declare } from '../../src/declare/api.ts'
import { mapValues } from '../../src/declare/change.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { migrationSql } from '../../src/migrate/migration.ts'
import type { Store } from '../../src/store/store.ts'
import { type TestApi, testApi } from '../../src/testing.ts'
import { nodeScript, nounkit } from '../support/child.ts'
import shopIn2025 from '../support/shop-in-2025.ts'
import { describeWalked } from '../support/stores.ts'

const { contracts } = await readContracts(new URL('../../examples/shop/contracts', import.meta.url).pathname)
const today = compileApi(shop, { contracts })
type Row = { readonly id: string; readonly [field: string]: unknown }

const caller = (api: TestApi, key: string) => async (method: string, path: string, body?: object) => {
  const headers = {
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    ...(method === 'POST' && { 'Idempotency-Key': `${path} ${JSON.stringify(body)}`.replaceAll(/\W/g, '.') }),
  }
  const response = await api.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
  return { text, replayed: response.headers.get('Idempotent-Replayed'), etag: response.headers.get('ETag') }
}
type Calls = ReturnType<typeof caller>
const made = async (call: Calls, path: string, body: object): Promise<Row> =>
  JSON.parse((await call('POST', path, body)).text).data

/** Three clients, one with a fax; an order in each of v1's states, with lines and a payment. */
async function fill(call: Calls): Promise<readonly string[]> {
  const ada = await made(call, '/v1/clients', { full_name: 'Ada', email: 'ada@example.com', fax: '12' })
  await made(call, '/v1/clients', { full_name: 'Bob', email: 'bob@example.com' })
  const lamp = { sku: 'lamp', title: 'Lamp', price: 100, currency: 'EUR' }
  const { id: product } = await made(call, '/v1/products', lamp)
  const paths: string[] = []
  for (const status of ['draft', 'open', 'paid', 'cancelled']) {
    const { id } = await made(call, '/v1/orders', { client_id: ada.id, note: status })
    await made(call, `/v1/orders/${id}/items`, { product_id: product, quantity: 2, unit_price: 100 })
    const moves =
      { draft: [], open: ['open'], paid: ['open', 'paid'], cancelled: ['cancelled'] }[status] ?? []
    for (const to of moves) await call('PATCH', `/v1/orders/${id}`, { status: to })
    if (status === 'paid')
      await made(call, `/v1/orders/${id}/payments`, { amount: 200, currency: 'EUR', reference: 'r' })
    paths.push(`/v1/orders/${id}`)
  }
  return [
    ...paths,
    `/v1/clients/${ada.id}?include=orders`,
    '/v1/clients?sort=full_name',
    '/v1/clients?filter[email]=bob@example.com',
    '/v1/orders?sort=status&include=client,items.product,payments',
    '/v1/orders?filter[status]=open',
    `/v1/orders?filter[client_id]=${ada.id}`,
    '/v1/payments?include=order.client',
    '/v1/products',
  ]
}

const answers = async (call: Calls, paths: readonly string[]) =>
  Promise.all(paths.map(async (path) => ({ path, ...(await call('GET', path)) })))

describeWalked('a store that an older declaration made', ({ kind, open, url }) => {
  /** The shop's store as the declaration of 2025 left it. */
  const leftIn2025 = async () => {
    const databaseUrl = await url()
    const api = await testApi(shopIn2025, { databaseUrl })
    const key = await api.key('acme', { scopes: ['*', 'products:write'] })
    const call = caller(api, key)
    const paths = await fill(call)
    const before = await answers(call, paths)
    await api.close()
    return { databaseUrl, key, paths, before }
  }

  const names = async (store: Store): Promise<readonly string[]> => {
    const sql =
      kind === 'sqlite'
        ? `SELECT name FROM sqlite_schema`
        : `SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace UNION ALL SELECT conname::text FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND contype <> 'n'`
    return (await store.all(sql, [])).map(([name]) => String(name)).sort()
  }

  const tidied = { stops: true, tidy: true }
  const leftOver = async (store: Store) =>
    // What a search of the former names had stays, as with any search that is no longer declared.
    (await names(store)).filter((name) => /client|full_name/.test(name) && !name.includes('__search__'))

  test('is served with the names that it has, and keeps them: every row is there, in both versions', async () => {
    const { databaseUrl, key, paths, before } = await leftIn2025()
    const api = await testApi(shop, { databaseUrl, contracts })
    const call = caller(api, key)
    expect(await answers(call, paths)).toEqual(before)
    expect(JSON.parse((await call('GET', '/v2/orders?filter[status]=placed')).text).data).toMatchObject([
      { note: 'open', status: 'placed', currency: 'EUR', customer_id: expect.any(String) },
    ])
    expect(JSON.parse((await call('GET', '/v2/customers?sort=name')).text).data).toMatchObject([
      { name: 'Ada', email: 'ada@example.com', phone: null },
      { name: 'Bob' },
    ])
    // A row that was created under a key is still replayed by it, and unique sets and references still hold.
    const again = await call('POST', '/v1/clients', { full_name: 'Bob', email: 'bob@example.com' })
    expect(again.replayed).toBe('true')
    await expect(call('POST', '/v2/customers', { name: 'B', email: 'bob@example.com' })).rejects.toThrow(
      /409/,
    )
    const nobody = { customer_id: '019b8000-0000-7000-8000-000000000000', currency: 'EUR' }
    await expect(call('POST', '/v2/orders', nobody)).rejects.toThrow(/customer_id/)
    await api.close()
    const store = await open(databaseUrl)
    expect(await store.all('SELECT "full_name" FROM "clients" ORDER BY 1', [])).toEqual([['Ada'], ['Bob']])
    expect((await names(store)).filter((name) => /customer/.test(name))).toEqual([])
  })

  test('gets the declared names when it is tidied up, and both declarations go on', async () => {
    const { databaseUrl, key, paths, before } = await leftIn2025()
    const store = await open(databaseUrl)
    const planned = await migrateStore(store, today, { ...tidied, dryRun: true })
    expect(planned.applied).toBe(false)
    const sql = migrationSql(planned.steps)
    for (const statement of [
      'ALTER TABLE "clients" RENAME TO "customers"',
      'ALTER TABLE "customers" RENAME COLUMN "full_name" TO "name"',
      'ALTER TABLE "orders" RENAME COLUMN "client_id" TO "customer_id"',
      `SET "status" = CASE "status" WHEN 'open' THEN 'placed' END`,
    ])
      expect(sql).toContain(statement)
    expect(sql).not.toMatch(/CREATE TABLE "customers"/)
    expect((await migrateStore(store, today, tidied)).applied).toBe(true)
    expect((await migrateStore(store, today, tidied)).steps).toEqual([])
    expect(await leftOver(store)).toEqual([])
    expect(await store.all('SELECT "name" FROM "customers" ORDER BY 1', [])).toEqual([['Ada'], ['Bob']])
    for (const declaration of [shop, shopIn2025]) {
      const api = await testApi(declaration, {
        databaseUrl,
        ...(declaration === shop && { contracts }),
      })
      const call = caller(api, key)
      expect(await answers(call, paths)).toEqual(before)
      await api.close()
    }
    expect(await leftOver(store)).toEqual([])
  })

  test('ends with the same tables and names as one that was made today', async () => {
    const { databaseUrl } = await leftIn2025()
    const store = await open(databaseUrl)
    await migrateStore(store, today, tidied)
    const fresh = await open()
    await migrateStore(fresh, today)
    expect(await names(store)).toEqual(expect.arrayContaining([...(await names(fresh))]))
  })

  test('is as it was where that is killed half-way, and the next one does it', async () => {
    const { databaseUrl, key, paths, before } = await leftIn2025()
    const child = nodeScript(fileURLToPath(new URL('tidy-half.ts', import.meta.url)), [databaseUrl])
    await child.line(/half-way/)
    await child.kill('SIGKILL')
    const store = await open(databaseUrl)
    expect(await store.all('SELECT "full_name" FROM "clients" ORDER BY 1', [])).toEqual([['Ada'], ['Bob']])
    await migrateStore(store, today, tidied)
    const api = await testApi(shop, { databaseUrl, contracts })
    expect(await answers(caller(api, key), paths)).toEqual(before)
    await api.close()
  })

  test('keeps values apart that move on, one to the name of the next', async () => {
    const orders = (values: [string, ...string[]]) =>
      resource('orders', { fields: { status: z.enum(values) }, sort: ['status'] })
    const older = declare('market', { resources: [orders(['a', 'b'])] })
    const newer = declare('market', {
      resources: [orders(['b', 'c'])],
      versions: [
        version('v2'),
        version('v1', { changes: [mapValues('orders', 'status', { a: 'b', b: 'c' })] }),
      ],
    })
    const databaseUrl = await url()
    const first = await testApi(older, { databaseUrl })
    const key = await first.key('acme')
    for (const status of ['a', 'b']) await made(caller(first, key), '/v1/orders', { status })
    await first.close()
    const served = await testApi(newer, { databaseUrl })
    const shown = await caller(served, key)('GET', '/v1/orders?sort=status')
    await served.close()
    const store = await open(databaseUrl)
    await migrateStore(store, compileApi(newer), tidied)
    expect(await store.all('SELECT "status" FROM "orders" ORDER BY 1', [])).toEqual([['b'], ['c']])
    const again = await testApi(newer, { databaseUrl })
    expect((await caller(again, key)('GET', '/v1/orders?sort=status')).text).toBe(shown.text)
    await again.close()
  })

  test('is tidied up from the command line, and a dry run says that no release needs it', async () => {
    const { databaseUrl } = await leftIn2025()
    const run = async (...flags: string[]) => {
      const child = nounkit(['migrate', 'examples/shop', ...flags], { env: { DATABASE_URL: databaseUrl } })
      return { ...(await child.ended), output: child.output }
    }
    const dry = await run('--dry-run', '--json')
    expect(dry.code).toBe(0)
    expect(JSON.parse(dry.output)).toMatchObject({ release: 'rolling', because: [] })
    expect(await run('--tidy')).toMatchObject({
      code: 0,
      output: expect.stringContaining('ALTER TABLE "clients" RENAME TO "customers"'),
    })
    expect(await run('--tidy')).toMatchObject({ output: expect.stringContaining('Nothing to do') })
  })
})
