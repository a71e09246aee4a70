import { randomUUID } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import library from '../../examples/library/api.ts'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import type { Model } from '../../src/compile/model.ts'
import type { ApiDeclaration } from '../../src/declare/api.ts'
import type { FieldKind } from '../../src/kinds/kinds.ts'
import { writeRecorder } from '../../src/lifecycle/recorder-rows.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { readPostgres } from '../../src/migrate/postgres/read-tables.ts'
import { readSqlite } from '../../src/migrate/sqlite/read-tables.ts'
import { engineTables, notCopied } from '../../src/migrate/wanted/engine-tables.ts'
import type { Column, Table } from '../../src/migrate/wanted/table.ts'
import { wantedTables } from '../../src/migrate/wanted/wanted-tables.ts'
import { openStore } from '../../src/store/open.ts'
import { allRows } from '../../src/store/run-statement.ts'
import type { Store, Value } from '../../src/store/store.ts'
import type { TestApi } from '../../src/testing.ts'
import { boundCells, insertPage, selectPage } from '../../src/transfer/copy-statements.ts'
import { copyStore } from '../../src/transfer/copy-store.ts'
import { runHere } from '../cli/in-process.ts'
import { whenOver } from '../support/clean-up.ts'
import {
  emptyDatabase,
  type StoreKind,
  storeKinds,
  temporaryFolder,
  walkedStores,
} from '../support/databases.ts'
import { openForTest } from '../support/stores.ts'
import { testApi } from '../support/way-in.ts'

/** Of a copy that must succeed in everything. */
const warn = (sentence: string): void => {
  throw new Error(sentence)
}

const compared = [
  'content-type',
  'etag',
  'location',
  'link',
  'deprecation',
  'sunset',
  'idempotent-replayed',
  'cache-control',
  'vary',
]

/** It has another random part each time. */
const eventCursor = /(cursor[=":]+)[\w-]+/g
const requestId = /,"instance":"[^"]*"/

interface Asked {
  readonly key?: string
  readonly method?: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** Everything of an answer that a consumer could see to be another. */
async function answer(api: TestApi, path: string, { key, method = 'GET', body, headers }: Asked = {}) {
  const response = await api.fetch(path, {
    method,
    headers: {
      ...(key && { Authorization: `Bearer ${key}` }),
      ...(body && {
        'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const plain = (text: string | null) =>
    (path.includes('/events') ? text?.replaceAll(eventCursor, '$1…') : text)?.replace(requestId, '') ?? null
  const shown = compared.map((name) => [name, plain(response.headers.get(name))])
  const text = await response.text()
  return { status: response.status, headers: Object.fromEntries(shown), text: String(plain(text)) }
}

const cursorAt = async (api: TestApi, path: string, key: string): Promise<string> => {
  const response = await api.fetch(path, { headers: { Authorization: `Bearer ${key}` } })
  return ((await response.json()) as { page: { next_cursor: string } }).page.next_cursor
}

async function serve(declaration: ApiDeclaration, databaseUrl: string): Promise<TestApi> {
  const api = await testApi(declaration, { databaseUrl })
  whenOver(() => api.close())
  return api
}

const tablesOf = (model: Model): readonly Table[] => wantedTables(model)

/** All rows of a table, as they are bound. */
async function rowsOf(store: Store, table: Table): Promise<readonly (readonly Value[])[]> {
  const rows = await allRows(store, selectPage(table, store.dialect, { after: null, rows: 10_000 }))
  return rows.map((row) => boundCells(table, row))
}

const odd = 'quotes " and \' and \\ and\nlines, é and 𝄞'
const samples: { readonly [K in FieldKind]?: Value } = {
  integer: Number.MAX_SAFE_INTEGER,
  json: '{"n":12345678901234567890,"f":1.0,\n"d":1,"d":2}',
}

/** A row with values that are easily changed on the way, in every table of the engine's own. */
async function addOddRows(store: Store): Promise<void> {
  const value = ({ kind, nullable, name }: Column, isNull: boolean): Value =>
    isNull && nullable ? null : (samples[kind] ?? `${name} ${isNull} ${odd}`)
  for (const table of engineTables) {
    if (notCopied.has(table.name) || table.name === 'nounkit_event_heads') continue
    const rows = [true, false].map((isNull) =>
      table.columns.map((column) =>
        column.kind === 'integer' && table.primaryKey.includes(column.name)
          ? Number.MAX_SAFE_INTEGER - Number(isNull)
          : value(column, isNull),
      ),
    )
    const { text, values } = insertPage(table, store.dialect, rows)
    await store.session((session) => session.all(text, values))
  }
}

/** The rows of every table are the same, but for those that are not to be copied. */
async function compareTables(model: Model, from: Store, to: Store): Promise<void> {
  for (const table of tablesOf(model)) {
    const rows = await rowsOf(to, table)
    if (notCopied.has(table.name)) expect(rows).toEqual([])
    else if (table.name !== 'nounkit_event_heads') expect(rows, table.name).toEqual(await rowsOf(from, table))
  }
}

const copying = (example: string, from: string, to: string) =>
  runHere(['copy', `examples/${example}`, '--from', from, '--to', to, '--json'])

const ways: readonly (readonly [StoreKind, StoreKind])[] = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
  ...(walkedStores.length > 1
    ? ([
        ['sqlite', 'sqlite'],
        ['postgres', 'postgres'],
      ] as const)
    : []),
]

describe.each(ways)('nounkit copy from %s to %s', (first, second) => {
  test('the shop answers with the same bytes, and old keys, cursors, replays and positions still work', async () => {
    const urls = [await emptyDatabase(first), await emptyDatabase(second)] as const
    const source = await serve(shop, urls[0])
    const key = await source.key('acme')
    const name = 'Ada "\\ \u2028 𝄞'
    const keyed = { key, method: 'POST', headers: { 'Idempotency-Key': 'first' } }
    const made = await answer(source, '/v2/customers', { ...keyed, body: { name, email: 'ada@example.com' } })
    const { id } = JSON.parse(made.text).data
    await answer(source, `/v2/customers/${id}`, { key, method: 'PATCH', body: { referrer_id: id } })
    const order = await answer(source, '/v2/orders', {
      key,
      method: 'POST',
      body: { customer_id: id, currency: 'EUR' },
    })
    const endpoint = { url: 'https://receiver.example/', event_types: ['*'], active: false }
    await answer(source, '/v2/webhook-endpoints', { key, method: 'POST', body: endpoint })
    const nextEvents = await cursorAt(source, '/v2/events?limit=100', key)
    const pages = [
      '/v2/customers?limit=2',
      '/v1/clients?limit=2',
      '/v2/orders?limit=2&sort=-total',
      '/v2/events?limit=2',
    ]
    const followed = await Promise.all(
      pages.map(async (path) => `${path}&cursor=${await cursorAt(source, path, key)}`),
    )
    await addOddRows(source.service.store)

    const ran = await copying('shop', ...urls)
    // One of the odd rows is that of a process that serves the store.
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Warning: .* is being served/) })
    expect(JSON.parse(ran.stdout).tables).toMatchObject({
      products: 40,
      webhook_endpoints: 1,
      nounkit_retirements: 2,
    })
    const copied = await openStore(urls[1])
    await compareTables(source.service.model, source.service.store, copied)
    await copied.close()

    const target = await serve(shop, urls[1])
    const battery: readonly (readonly [string, Asked?])[] = [
      ...[...pages, ...followed].map((path) => [path, { key }] as const),
      [`/v2/customers/${id}?include=orders,referrer`, { key }],
      ['/v2/orders?limit=50&include=items.product,customer,payments', { key }],
      ['/v1/orders?limit=50&include=items', { key }],
      ['/v2/webhook-endpoints', { key }],
      [`/v2/customers/${id}`, { key, headers: { 'If-None-Match': `${made.headers.etag}` } }],
      ['/v2/customers', { ...keyed, body: { name, email: 'ada@example.com' } }],
      ['/v2/customers', { ...keyed, body: { name, email: 'other@example.com' } }],
      ['/v2/customers', { key, method: 'POST', body: { name, email: 'ada@example.com' } }],
      ['/v2/orders', {}],
    ]
    for (const [path, asked] of battery)
      expect(await answer(target, path, asked), path).toEqual(await answer(source, path, asked))

    const patch = {
      key,
      method: 'PATCH',
      body: { note: 'moved' },
      headers: { 'If-Match': `${order.headers.etag}` },
    }
    const { status } = await answer(target, `/v2/orders/${JSON.parse(order.text).data.id}`, patch)
    expect(status).toBe(200)
    const since = await answer(target, `/v2/events?cursor=${nextEvents}`, { key })
    expect(JSON.parse(since.text).data).toMatchObject([{ type: 'orders.updated', data: { note: 'moved' } }])
    const again = await copying('shop', ...urls)
    expect(again.code).toBe(1)
    expect(again.stderr).toMatch(/The store to copy to is not empty: there are rows in /)
  })

  test('the library shows each caller the same', async () => {
    const urls = [await emptyDatabase(first), await emptyDatabase(second)] as const
    const source = await serve(library, urls[0])
    const { members } = Object.fromEntries(
      [...source.service.model.resources].map(([resource, { table }]) => [resource, table]),
    )
    const rows = await source.service.store.all(
      `SELECT "id" FROM "${members}" WHERE "account_id" = 'riverside' ORDER BY "id"`,
      [],
    )
    const callers = [
      { scopes: ['*'] },
      { scopes: ['members:read', 'loans:read', 'fines:read'], claims: { member_id: String(rows[0]?.[0]) } },
    ]
    const keys = await Promise.all(callers.map((caller) => source.key('riverside', caller)))
    expect(await copying('library', ...urls)).toMatchObject({ code: 0, stderr: '' })
    const target = await serve(library, urls[1])
    const [version] = source.service.model.versions.map(({ name }) => name)
    for (const path of ['members', 'books', 'copies', 'loans', 'fines'].map(
      (name) => `/${version}/${name}?limit=3`,
    ))
      for (const key of keys) {
        const shown = await answer(source, path, { key })
        expect(await answer(target, path, { key })).toEqual(shown)
        const next = shown.status === 200 && JSON.parse(shown.text).page.next
        if (next) expect(await answer(target, next, { key })).toEqual(await answer(source, next, { key }))
      }
  })

  test('a copy that ends in the middle leaves an empty store, and can be run again', async () => {
    const { model, store: from } = (await serve(shop, await emptyDatabase(first))).service
    const url = await emptyDatabase(second)
    const to = await openStore(url)
    whenOver(() => to.close())
    const killed = new Error('killed')
    const progress = (table: string) => {
      if (table === 'orders') throw killed
    }
    await expect(copyStore({ model, from, to, progress, warn })).rejects.toBe(killed)
    // A migration alone records how sums are computed.
    const fresh = await openStore(await emptyDatabase(second))
    whenOver(() => fresh.close())
    await migrateStore(fresh, model, { decider: { by: 'nobody' } })
    for (const table of tablesOf(model))
      expect(await rowsOf(to, table), table.name).toEqual(await rowsOf(fresh, table))
    const copied = await copyStore({ model, from, to, progress: () => {}, warn })
    expect(copied.find(({ table }) => table === 'orders')?.rows).toBeGreaterThan(10)
    await compareTables(model, from, to)
  })
})

test('statistics that fail after the commit are no failure of the copy', async () => {
  const [source, url] = [await emptyDatabase('sqlite'), await emptyDatabase('postgres')]
  await serve(shop, source)
  const env = { DATABASE_URL: url }
  expect(await runHere(['migrate', 'examples/shop'], { env })).toMatchObject({ code: 0 })
  const to = await openForTest(url)
  await to.session((session) =>
    session.script(`CREATE FUNCTION unless_counted(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$
          BEGIN
            IF current_query() LIKE 'ANALYZE%' THEN RAISE 'no statistics today'; END IF;
            RETURN $1;
          END $$;
        CREATE INDEX by_name ON "customers" (unless_counted("name"))`),
  )
  expect(await copying('shop', source, url)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /^Warning: All rows are written, but ANALYZE failed: .*no statistics today/,
    ),
  })
})

test('on PostgreSQL, an event that comes in while a copy begins is in it, with its position', async () => {
  const url = await emptyDatabase('postgres')
  const env = { DATABASE_URL: url }
  await runHere(['migrate', 'examples/shop'], { env })
  const [store, to] = [await openForTest(url), await openForTest(await emptyDatabase('sqlite'))]
  const model = compileApi(shop, {})
  // No process serves the store, so that nobody but the copy gives positions.
  const write = async (name: string) => {
    const file = join(temporaryFolder(), 'one.csv')
    writeFileSync(file, `name,email\n${name},${name}@example.com\n`)
    const flags = ['--resource', 'customers', '--account', 'acme']
    expect(await runHere(['import', 'examples/shop', file, ...flags], { env })).toMatchObject({ code: 0 })
  }
  let snapshots = 0
  const from: Store = {
    ...store,
    session: async (work) => {
      if (++snapshots <= 2) await write(`ida${snapshots}`)
      return store.session(work)
    },
  }
  const copied = await copyStore({ model, from, to, progress: () => {}, warn })
  expect(snapshots).toBe(3)
  const positions = 'SELECT "position", "id" FROM "nounkit_events" WHERE "account_id" = \'acme\' ORDER BY 1'
  const events = (await to.all(positions, [])).map(String)
  expect(events).toEqual((await store.all(positions, [])).map(String))
  expect(copied.find(({ table }) => table === 'nounkit_events')?.rows).toBe(2)
})

test.each(storeKinds)('values that are no longer declared are not copied, and named (%s)', async (kind) => {
  const url = await emptyDatabase(kind)
  const source = await serve(shop, url)
  await source.service.store.session(async (session) => {
    await session.script('ALTER TABLE "customers" ADD COLUMN "nick" TEXT')
    await session.script('ALTER TABLE "customers" ADD COLUMN "unused" TEXT')
    await session.script(`UPDATE "customers" SET "nick" = 'x' WHERE "account_id" = 'acme'`)
    await session.script(
      'CREATE TABLE "drafts" AS SELECT "id", "created_at", "updated_at", "version" FROM "orders"',
    )
  })
  const ran = await copying('shop', url, await emptyDatabase('sqlite'))
  expect(ran).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /^Warning: the declaration does not have customers\.nick \(values in \d+ rows\), drafts \(\d+ rows\)\. That is not copied: /,
    ),
  })
})

test.each(storeKinds)(
  'a store of another API, or with rows, is refused and left as it was (%s)',
  async (kind) => {
    const from = await emptyDatabase('sqlite')
    const migrating = (example: string, url: string) =>
      runHere(['migrate', `examples/${example}`], { env: { DATABASE_URL: url } })
    await migrating('shop', from)
    const read = kind === 'sqlite' ? readSqlite : readPostgres
    const url = await emptyDatabase(kind)
    const store = await openForTest(url)
    const found = async () => ({
      tables: [...(await store.session(read)).keys()].sort(),
      meta: await store.all('SELECT "key", "value" FROM "nounkit_meta" ORDER BY "key"', []),
    })
    const refused = async (why: RegExp) => {
      const before = await found()
      const ran = await copying('shop', from, url)
      expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(why) })
      expect(await found()).toEqual(before)
    }
    await migrating('library', url)
    await refused(
      /^The store to copy to has tables of another API: .*books.*\. Nothing was copied\. Name an empty database/,
    )
    const drop = (other: Store, kept: RegExp) =>
      other.session(async (session) => {
        const names = [...(await read(session)).keys()].filter((table) => !kept.test(table))
        const cascade = kind === 'postgres' ? ' CASCADE' : ''
        // An index of words takes the tables of its own along.
        for (const table of names) await session.script(`DROP TABLE IF EXISTS "${table}"${cascade}`)
      })
    await drop(store, /^(nounkit|sqlite)_/)
    await store.session(async (session) => {
      await session.script(`INSERT INTO "nounkit_signals" ("version", "first_sent_at") VALUES ('v1', 1)`)
    })
    await refused(/is not empty: there are rows in nounkit_signals\. Nothing was copied/)

    const empty = await emptyDatabase(kind)
    await migrating('shop', empty)
    expect(await copying('shop', from, empty)).toMatchObject({ code: 0, stderr: '' })

    // A store whose API had events once still has the tables of webhooks.
    const [books, once] = [await emptyDatabase('sqlite'), await emptyDatabase(kind)]
    await migrating('library', books)
    await migrating('shop', once)
    await drop(await openForTest(once), /^(nounkit|sqlite|webhook)_/)
    expect(await copying('library', books, once)).toMatchObject({ code: 0, stderr: '' })
  },
)

test('a copy of a store that another process serves is made, and it is said what will be missing in it', async () => {
  const url = await emptyDatabase('sqlite')
  await runHere(['migrate', 'examples/shop'], { env: { DATABASE_URL: url } })
  const store = await openForTest(url)
  const now = Date.now()
  const written = { id: `web-1 4711 ${randomUUID()}`, startedAt: now, at: now, endedAt: null, requires: [] }
  await store.transaction((tx) => writeRecorder(tx, written))
  const ran = await copying('shop', url, await emptyDatabase('sqlite'))
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('"tables"') })
  expect(ran.stderr).toMatch(
    /^Warning: the store to copy from is being served, by process 4711 on web-1\. What is written to it from now on is not in the copy\. .*\n$/,
  )
  await store.transaction((tx) => writeRecorder(tx, { ...written, endedAt: now }))
  expect(await copying('shop', url, await emptyDatabase('sqlite'))).toMatchObject({ code: 0, stderr: '' })
})

test('a store that does not fit the declaration is not copied, nor one that is not there', async () => {
  const url = await emptyDatabase('sqlite')
  const to = await emptyDatabase('sqlite')
  const missing = await copying('shop', url, to)
  expect(missing).toMatchObject({ code: 1, stdout: '' })
  expect(missing.stderr).toMatch(/^There is no store to copy from: .* does not exist/)
  await (await testApi(library, { databaseUrl: url })).close()
  expect((await copying('shop', url, to)).stderr).toMatch(/does not fit the declaration: .*nounkit migrate/)
  expect(existsSync(to.slice('sqlite:'.length))).toBe(false)
  expect((await copying('shop', url, url)).stderr).toMatch(/^--from and --to name the same store\.\n/)
  expect((await runHere(['copy', 'examples/shop'])).stderr).toContain('Where to?')
})

test('every table of the engine’s own is copied, or it is said why not', () => {
  expect(engineTables.length).toBeGreaterThan(10)
  expect([...notCopied]).toEqual([
    ['nounkit_event_inbox', expect.stringMatching(/positions/)],
    ['nounkit_operator_sessions', expect.stringMatching(/sign in/)],
    ['nounkit_job_runners', expect.stringMatching(/processes/)],
    ['nounkit_process_figures', expect.stringMatching(/processes/)],
    ['nounkit_marks', expect.stringMatching(/housekeeping/)],
  ])
})
