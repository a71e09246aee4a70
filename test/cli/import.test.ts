import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decimal, states } from 'nounkit'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { api } from '../../src/declare/api.ts'
import { resource } from '../../src/declare/resource.ts'
import type { Store } from '../../src/store/store.ts'
import { type TestApi, testApi } from '../../src/testing.ts'
import { ImportMark } from '../../src/transfer/import-mark.ts'
import { readRow } from '../../src/transfer/read-row.ts'
import { nounkit } from '../support/child.ts'
import { whenOver } from '../support/clean-up.ts'
import { emptyDatabase, temporaryFolder, walkedStores } from '../support/databases.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { openForTest } from '../support/stores.ts'
import { until } from '../support/until.ts'
import { runHere } from './in-process.ts'
import { run } from './run.ts'

type Row = { readonly [name: string]: unknown }

const uuid = (at: number): string => `01900000-0000-7000-8000-${at.toString(16).padStart(12, '0')}`
const jsonl = (rows: readonly Row[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

function fileWith(content: string | Buffer, name = 'rows.jsonl'): string {
  const path = join(temporaryFolder(), name)
  writeFileSync(path, content)
  return path
}

const importing = (url: string, ...args: string[]) =>
  runHere(['import', 'examples/shop', ...args], { env: { DATABASE_URL: url } })
const migrating = (url: string) => runHere(['migrate', 'examples/shop'], { env: { DATABASE_URL: url } })
const exported = async (url: string, ...flags: string[]) =>
  (await runHere(['export', 'examples/shop', ...flags], { env: { DATABASE_URL: url } })).stdout

/** A store that is served, with a caller. */
async function serve(url: string) {
  const api: TestApi = await testApi(shop, { databaseUrl: url })
  whenOver(() => api.close())
  const key = await api.key('acme', { scopes: ['*', 'products:write'] })
  const call = async (method: string, path: string, body?: object) => {
    const response = await api.fetch(path, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const { data } = (await response.json()) as { data: Row }
    return { status: response.status, version: response.headers.get('etag')?.split('.')[0], data }
  }
  const list = async (path: string) => (await call('GET', path)).data as unknown as readonly Row[]
  return { call, list, service: api.service }
}

/** Leaves what an import leaves that was killed after its first row. */
const interruptAfterOneRow = (store: Store) =>
  store.writeOne(
    `UPDATE "nounkit_meta" SET "value" = '${JSON.stringify({ rows: 1, endedAt: null })}' WHERE "key" LIKE 'import %'`,
    [],
  )

describe.each(walkedStores)('nounkit import on %s', (kind) => {
  let url: string
  beforeEach(async () => {
    url = await emptyDatabase(kind)
  })

  test('of an export of another store: the same export, and nothing when it is run again', async () => {
    const source = await emptyDatabase(kind)
    const { call, list } = await serve(source)
    const { data: first } = await call('POST', '/v2/customers', { name: 'Ada', email: 'ada@example.com' })
    const { data: later } = await call('POST', '/v2/customers', { name: 'Bea', email: 'bea@example.com' })
    // A reference to a row that comes later in the export.
    await call('PATCH', `/v2/customers/${first.id}`, { referrer_id: later.id })
    const [product] = await list('/v2/products?limit=1')
    const { data: order } = await call('POST', '/v2/orders', { customer_id: later.id, currency: 'EUR' })
    const item = { product_id: product?.id, quantity: 3, unit_price: 7 }
    await call('POST', `/v2/orders/${order.id}/items`, item)
    await call('PATCH', `/v2/orders/${order.id}`, { status: 'placed' })
    const everything = await exported(source)
    const file = fileWith(everything)
    const rows = everything.split('\n').length - 1

    await migrating(url)
    const dry = await importing(url, file, '--dry-run')
    expect(dry).toMatchObject({
      code: 0,
      stdout: `${rows} rows can be imported. Nothing was written.\n`,
      stderr: '',
    })
    expect(await exported(url)).toBe('')
    const { code, stdout, stderr } = await importing(url, file, '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      rows,
      imported: rows,
      present: 0,
      corrected: 0,
      mistakes: [],
      mistakeCount: 0,
    })
    expect(await exported(url)).toBe(everything)
    const target = await serve(url)
    expect(await target.call('GET', `/v2/orders/${order.id}?include=items`)).toEqual(
      await call('GET', `/v2/orders/${order.id}?include=items`),
    )

    // The server made a key of acme.
    const elsewhere = ['--resource', 'customers', '--account']
    const csv = fileWith('name,email\nIda,ida@example.com\n', '.csv')
    for (const [account, note] of [
      ['acme', ''],
      ['acm', 'Note: the account acm has no API key yet. Did you mean "acme"?\n'],
    ] as const)
      expect(await importing(url, csv, ...elsewhere, account, '--dry-run')).toMatchObject({
        code: 0,
        stdout: '1 row can be imported. Nothing was written.\n',
        stderr: note,
      })

    expect((await importing(url, file)).stdout).toMatch(
      /was imported already, at .*--from 1 imports it once more\.\n$/,
    )
    const again = await importing(url, file, '--from', '1')
    expect(again.stdout).toMatch(`Imported 0 rows. ${rows} rows were there already.\n`)
    expect(await exported(url)).toBe(everything)
  })

  test('computes sums, tells events, and leaves the versions of rows that it does not change', async () => {
    const { call, list } = await serve(url)
    const [customer] = await list('/v2/customers?limit=1')
    const [product] = await list('/v2/products?limit=1')
    const { data: order } = await call('POST', '/v2/orders', { customer_id: customer?.id, currency: 'EUR' })
    const item = { product_id: product?.id, quantity: 2, unit_price: 50 }
    const stated = { '@resource': 'orders', customer_id: customer?.id, currency: 'EUR', status: 'paid' }
    const file = fileWith(
      jsonl([
        { ...stated, id: uuid(1), total: 100, '@version': 7 },
        { ...stated, id: uuid(2), total: 100, '@version': 7 },
        { '@resource': 'order-items', order_id: order.id, ...item },
        { '@resource': 'order-items', order_id: uuid(1), ...item },
      ]),
    )
    const { stdout } = await importing(url, file, '--account', 'acme')
    expect(stdout).toBe('Imported 4 rows.\n1 row had another sum than its rows give; it was corrected.\n')
    const orders = [String(order.id), uuid(1), uuid(2)].map((id) => call('GET', `/v2/orders/${id}`))
    expect(await Promise.all(orders)).toMatchObject([
      { version: '"2', data: { total: 100, status: 'draft' } },
      { version: '"7', data: { total: 100, status: 'paid' } },
      { version: '"8', data: { total: 0, status: 'paid' } },
    ])
    // Sums are looked up by statistics that know the new rows.
    if (kind === 'postgres') {
      const store = await openForTest(url)
      expect(
        await store.all(`SELECT 1 FROM pg_stats WHERE tablename = 'order_items' LIMIT 1`, []),
      ).toHaveLength(1)
    }
    const told = await list('/v2/events?limit=100')
    expect(told.slice(-7).map(({ type }) => type)).toEqual([
      'orders.created',
      'orders.created',
      'orders.created',
      'order-items.created',
      'order-items.created',
      'orders.updated',
      'orders.updated',
    ])
    const quiet = fileWith(jsonl([{ ...stated, '@account': 'acme' }]))
    expect((await importing(url, quiet, '--no-events')).stdout).toBe('Imported 1 row.\n')
    expect(await list('/v2/events?limit=100')).toEqual(told)
  })

  test('lists all mistakes with their lines, and writes nothing', async () => {
    const { call } = await serve(url)
    await call('POST', '/v2/customers', { name: 'Ada', email: 'ada@example.com' })
    const before = await exported(url)
    const ada = { name: 'Ada', email: 'ada@example.com' }
    const order = { '@resource': 'orders', customer_id: uuid(9), currency: 'EUR' }
    const lines: readonly (readonly [string | Row, string])[] = [
      ['not JSON', 'The line is not valid JSON: parsing stopped at column 1.'],
      ['[1]', 'The line must be a JSON object.'],
      [
        { '@resource': 'costumers' },
        'names a resource "costumers" that does not exist. Did you mean "customers"?',
      ],
      [{ '@resource': 'webhook-secrets' }, 'names a resource "webhook-secrets" that does not exist.'],
      [{ nmae: 'Ada', email: 'x@example.com' }, 'nmae is not a field of customers; did you mean "name"?'],
      [{ ...ada, '@account': 'other' }, 'is a row of the account other, and --account is acme'],
      [ada, 'email must be unique, and another row has this value'],
      [{ name: 'Bea', email: 'bea@example.com', id: uuid(1) }, ''],
      [{ name: 'Cleo', email: 'bea@example.com', id: uuid(1) }, 'id is that of line 8 too'],
      [{ name: 'a\0b', email: 'nul@example.com' }, 'name must not contain a NUL character'],
      [{ ...order, status: 'lost' }, 'status must be one of "draft", "placed", "cancelled", "paid"'],
      [{ ...order, customer_id: uuid(1), total: 5 }, 'total is a sum that the service computes'],
      [order, 'customer_id names the row of line 16, which comes later: put that line first'],
      [{ ...order, customer_id: uuid(8) }, 'customer_id names a row of customers that does not exist'],
      [
        { name: 'Dan', email: 'dan@example.com', id: uuid(6), '@version': -1 },
        '@version must be a whole number from 0',
      ],
      [{ name: 'Eve', email: 'eve@example.com', id: uuid(9), referrer_id: uuid(9) }, ''],
      // That the row it names has a mistake is said once.
      [{ ...order, customer_id: uuid(6) }, ''],
      [{ ...order, customer_id: uuid(7) }, 'customer_id names the row of line 19, which comes later'],
      [{ name: 'Fay', id: uuid(7) }, 'email is required'],
    ]
    const text = lines.map(([line]) =>
      typeof line === 'string' ? line : JSON.stringify({ '@resource': 'customers', ...line }),
    )
    const broken = Buffer.concat([
      Buffer.from(`${text.join('\n')}\n{"name":"`),
      Buffer.from([0xff]),
      Buffer.from('"}\n'),
    ])
    const { code, stdout, stderr } = await importing(url, fileWith(broken), '--account', 'acme')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    for (const [at, [, message]] of lines.entries())
      if (message) expect(stderr).toContain(`rows.jsonl:${at + 1}: ${message}`)
    expect(stderr).toContain('rows.jsonl:20: The line is not valid UTF-8.')
    expect(stderr).toContain('rows.jsonl:9: email must be unique, and line 8 has this value')
    expect(stderr).toMatch(/\n\d+ mistakes in 20 rows\. Nothing was imported\.\n$/)
    expect(stderr).not.toMatch(/rows\.jsonl:(8|16|17):/)
    expect(await exported(url)).toBe(before)
  })

  test('of one file by two commands at once: the second is refused', async () => {
    const { store } = (await serve(url)).service
    const [one, other] = [new ImportMark(store, 'same'), new ImportMark(store, 'same')]
    const unended = { endedAt: null }
    const first = { ...unended, rows: 1_000 }
    await store.transaction((tx) => one.replace(tx, null, first))
    const refusal = /Another process imports the same file/
    await expect(store.transaction((tx) => other.replace(tx, null, first))).rejects.toThrow(refusal)
    await store.transaction((tx) => one.replace(tx, first, { ...unended, rows: 2_000 }))
    await expect(store.transaction((tx) => other.replace(tx, first, first))).rejects.toThrow(refusal)
    expect(await other.read()).toEqual({ ...unended, rows: 2_000 })
  })

  test('of one file for two accounts: once for each', async () => {
    await serve(url)
    const file = fileWith('name,email\nIda,ida@example.com\nJon,jon@example.com\n', '.csv')
    const command = [file, '--resource', 'customers', '--account', 'acme'] as const
    expect((await importing(url, ...command)).stdout).toBe('Imported 2 rows.\n')
    const before = await exported(url)

    const quiet = await importing(url, ...command, '--no-events')
    expect(quiet).toMatchObject({ code: 0, stdout: expect.stringMatching(/was imported already, at /) })
    expect(await exported(url)).toBe(before)
    const elsewhere = [file, '--resource', 'customers', '--account', 'beta'] as const
    expect((await importing(url, ...elsewhere)).stdout).toBe('Imported 2 rows.\n')
    expect((await importing(url, ...elsewhere)).stdout).toMatch(/was imported already, at /)
  })

  test('of many rows gathers statistics, so that lists are read by their indexes at once', async () => {
    const { service } = await serve(url)
    const line = (at: number) => ({ name: `C ${at}`, email: `c${at}@example.com` })
    const file = fileWith(jsonl(Array.from({ length: 1_000 }, (_, at) => line(at))))
    expect((await importing(url, file, '--resource', 'customers', '--account', 'acme')).stdout).toBe(
      'Imported 1,000 rows.\n',
    )
    const gathered = {
      sqlite: `SELECT count(*) > 0 FROM sqlite_stat1 WHERE tbl = 'customers'`,
      postgres: `SELECT count(*) > 0 FROM pg_stats WHERE tablename = 'customers'`,
    }
    const { store } = service
    const [isGathered] = (await store.first(gathered[store.dialect.name], [])) ?? []
    expect(Boolean(isGathered)).toBe(true)
  })

  test('interrupted before a release that renames the resource: goes on where it ended', async () => {
    const declared = (name: string, versions: string) =>
      declarationFolder(`import { api, renameResource, resource, version } from 'nounkit'
import { z } from 'zod'
const ${name} = resource('${name}', { fields: { email: z.string() } })
export default api('post', { resources: [${name}], versions: [${versions}] })
`)
    const published = "version('v1', { published: '2025-01-01', changes: "
    const older = declared('clients', `${published}[] })`)
    const newer = declared(
      'customers',
      `version('v2'), ${published}[renameResource('clients', 'customers')] })`,
    )
    const env = { DATABASE_URL: url }
    expect(await runHere(['publish', older, 'v1', '--skip-store'])).toMatchObject({ code: 0 })
    cpSync(join(older, 'contracts'), join(newer, 'contracts'), { recursive: true })
    expect(await runHere(['migrate', older], { env })).toMatchObject({ code: 0 })
    const file = fileWith('email\na@example.com\nb@example.com\n', 'rows.csv')
    const importInto = (folder: string, resource: string) =>
      runHere(['import', folder, file, '--resource', resource, '--account', 'acme'], { env })
    expect((await importInto(older, 'clients')).stdout).toContain('Imported 2 rows.\n')
    await interruptAfterOneRow(await openForTest(url))
    expect(await runHere(['migrate', newer], { env })).toMatchObject({ code: 0 })
    expect((await importInto(newer, 'customers')).stdout).toBe('Imported 1 row. 1 row was there already.\n')
  })

  test('once more, which is refused: the file is still one that was imported', async () => {
    const { call, list } = await serve(url)
    const [customer] = await list('/v2/customers?limit=1')
    const order = { customer_id: customer?.id, currency: 'EUR' }
    const file = fileWith(jsonl([order, { ...order, id: uuid(1), note: 'a' }]))
    const command = [file, '--resource', 'orders', '--account', 'acme'] as const
    expect((await importing(url, ...command)).stdout).toBe('Imported 2 rows.\n')
    expect(await call('PATCH', `/v2/orders/${uuid(1)}`, { note: 'b' })).toMatchObject({ status: 200 })
    expect((await importing(url, ...command, '--from', '1')).stderr).toContain('exists and differs in note')
    const before = await exported(url)
    const after = await importing(url, ...command, '--json')
    expect(JSON.parse(after.stdout)).toEqual({
      rows: 2,
      imported: 0,
      present: 2,
      corrected: 0,
      mistakes: [],
      mistakeCount: 0,
    })
    expect(await exported(url)).toBe(before)
  })

  test('killed in the middle and run again: no row twice, none missing', async () => {
    const { list } = await serve(url)
    const [customer] = await list('/v2/customers?limit=1')
    const count = 6_000
    // Without ids, so that a second insert of a row would succeed.
    const order = (at: number) => ({ customer_id: customer?.id, currency: 'EUR', note: `order ${at}` })
    const file = fileWith(jsonl(Array.from({ length: count }, (_, at) => order(at))))
    const args = ['import', 'examples/shop', file, '--resource', 'orders', '--account', 'acme']
    const child = nounkit(args, { env: { DATABASE_URL: url } })
    const imported = async () => (await list('/v2/orders?limit=1&sort=-created_at'))[0]?.note?.toString()
    await until(async () => (await imported())?.startsWith('order '), { every: 5 })
    await child.kill('SIGKILL')
    const { code, stdout } = await importing(url, ...args.slice(2), '--json')
    const { imported: rest, present } = JSON.parse(stdout)
    expect({ code, all: rest + present }).toEqual({ code: 0, all: count })
    const notes = (await exported(url, '--resource', 'orders', '--account', 'acme'))
      .match(/order \d+/g)
      ?.map((note) => Number(note.slice(6)))
    expect(notes?.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, at) => at))
  })
})

const product = (rest: string) => `sku,title,price,currency,active\r\n${rest}`

const bareReturns = 'ends its lines with CR alone. Save it with line ends of LF or CRLF.'

describe('a CSV file', () => {
  let url: string
  beforeAll(async () => {
    url = await emptyDatabase('sqlite')
    await migrating(url)
  })

  test('has a byte order mark, quotes, line breaks, empty cells and values of all kinds', async () => {
    const text = product(
      'a-1,"Ada\'s ""best"",\r\nor so",100,EUR,false\r\n\r\na-2,"Plain",0,USD,\r\na-3,Last,7,EUR,true',
    )
    const file = fileWith(`\ufeff${text}`, 'products.csv')
    const { code, stdout, stderr } = await importing(url, file, '--resource', 'products')
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'Imported 3 rows.\n', stderr: '' })
    const rows = (await exported(url, '--resource', 'products')).trimEnd().split('\n')
    expect(rows.map((row) => JSON.parse(row))).toMatchObject([
      { sku: 'a-1', title: 'Ada\'s "best",\r\nor so', price: 100, currency: 'EUR', active: false },
      { sku: 'a-2', title: 'Plain', price: 0, currency: 'USD', active: true },
      { sku: 'a-3', title: 'Last', price: 7, currency: 'EUR', active: true },
    ])
  })

  test.each<[string, string | Buffer, string]>([
    ['a cell too many', product('b,B,1,EUR,true,6'), 'csv:2: has 6 cells, and line 1 has 5'],
    ['a cell too few', product('b,B,1'), 'csv:2: has 3 cells, and line 1 has 5'],
    ['a text for a number', product('b,B,one,EUR,true'), 'csv:2: price must be an integer'],
    ['an empty text', product('b,"",1,EUR,true'), 'csv:2: title must have at least 1 character'],
    ['an empty cell', product('b,,1,EUR,true'), 'csv:2: title is required'],
    ['an open quote', product('b,"B,1,EUR,true\n'), 'csv:2: the quote that begins cell 2 is never closed'],
    [
      'a quote within',
      product('b,B"B",1,EUR,true'),
      'csv:2: cell 2 has a quote, and does not begin with one',
    ],
    ['text after a quote', product('b,"B"B,1,EUR,true'), 'csv:2: cell 2 goes on after its closing quote'],
    ['semicolons', 'sku;title;price', 'csv:1: separates its columns by something else than commas'],
    ['a column twice', 'sku,title,sku\n1,2,3', 'csv:1: names the column "sku" twice'],
    ['a column without a name', 'sku,,price\n1,2,3', 'csv:1: has no name for column 2'],
    ['an unknown column', 'sku,titel\n1,2', 'csv:1: titel is not a field of products; did you mean "title"?'],
    [
      'bytes that are not UTF-8',
      Buffer.concat([Buffer.from(product('b,')), Buffer.from([0xe9, 0x0a])]),
      'csv:2: is not valid UTF-8',
    ],
    ['a NUL', product('b,B\0,1,EUR,true'), 'csv:2: title must not contain a NUL character'],
  ])('with %s is refused, with the line', async (_, content, message) => {
    const { code, stderr } = await importing(url, fileWith(content, 'products.csv'), '--resource', 'products')
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) })
  })

  test.each<[string, string, string | Buffer, string]>([
    ['nothing', 'rows.jsonl', '', 'rows.jsonl is empty.'],
    [
      'a JSON array',
      'rows.json',
      '[{}]',
      "is one JSON array. Write each row on a line of its own: jq -c '.[]'",
    ],
    ['UTF-16', 'rows.csv', Buffer.from('\ufeffsku', 'utf16le'), 'is UTF-16. Save it as UTF-8.'],
    ['CR as its line ends', 'rows.csv', product('b,"B",1,EUR,true\r').replace('\r\n', '\r'), bareReturns],
    ['CR between lines of JSON', 'rows.jsonl', '{"sku":"b"}\r{"sku":"c"}\r', bareReturns],
  ])('a file with %s is refused', async (_, name, content, message) => {
    const file = fileWith(content, name)
    for (const flags of [['--resource', 'products'], []]) {
      const { code, stderr } = await importing(url, file, ...flags)
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) })
    }
  })

  test('a mistake in the line of names is counted as no row', async () => {
    const file = fileWith('sku,titel\n1,2\n3,4\n', 'products.csv')
    const { stderr } = await importing(url, file, '--resource', 'products')
    expect(stderr).toMatch(/\n\n1 mistake in the line of names\. Nothing was imported\.\n$/)
  })

  test('a column __proto__ is refused as unknown ones are, whether or not a resource is named', async () => {
    const file = fileWith('@resource,__proto__,sku\nproducts,hello,b\n', 'products.csv')
    const refused = await Promise.all([importing(url, file), importing(url, file, '--resource', 'products')])
    expect(refused.map(({ code, stderr }) => [code, /csv:1: (.*)\n/.exec(stderr)?.[1]])).toEqual([
      [1, '__proto__ is not a field of any resource'],
      [1, expect.stringMatching(/^__proto__ is not a field of products; it has id, sku, /)],
    ])
  })

  test('what is missing or too long is said', async () => {
    const missing = await importing(url, join(temporaryFolder(), 'none.csv'))
    expect(missing.stderr).toMatch(/^There is no file ".*none\.csv"/)
    expect((await importing(url, temporaryFolder())).stderr).toContain('is not a file')
    expect((await runHere(['import'])).stderr).toContain('Which file?')
    const file = fileWith(`{"name":"${'x'.repeat(17 * 1024 * 1024)}"}\n{"name":1}`)
    const { stderr } = await importing(url, file, '--resource', 'customers', '--account', 'acme')
    expect(stderr).toContain('rows.jsonl:1: is longer than 16 MB')
    expect(stderr).toContain('rows.jsonl:2: name must be a string')
    const nobody = fileWith(jsonl(Array.from({ length: 120 }, () => ({ name: 'Ada' }))))
    for (const [flags, what] of [
      [['--resource', 'customers'], 'account'],
      [['--account', 'acme'], 'resource'],
    ] as const)
      expect((await importing(url, nobody, ...flags)).stderr).toMatch(
        new RegExp(
          `^.*rows\\.jsonl:1: says no ${what}: add --${what} to the command, or "@${what}" to the row\\. Nothing was imported\\.\\n$`,
        ),
      )
    const many = await importing(url, nobody, '--resource', 'customers', '--account', 'acme')
    expect(many.stderr).toContain('rows.jsonl:100: email is required')
    expect(many.stderr).toMatch(
      /\nand 20 mistakes more\n\n120 mistakes in 120 rows\. Nothing was imported\.\n$/,
    )
  })

  test('has texts for values of every kind', () => {
    const things = resource('things', {
      fields: {
        amount: decimal({ scale: 2 }),
        ratio: z.number(),
        count: z.int(),
        ok: z.boolean(),
        at: z.iso.datetime(),
        on: z.iso.date(),
        color: z.enum(['red', 'blue']),
        tags: z.array(z.string()),
        state: states('new', { new: ['old'] }),
        text: z.string(),
      },
    })
    const model = compileApi(api('things', { resources: [things] }))
    const target = {
      model,
      format: 'csv' as const,
      resource: model.resources.get('things') ?? null,
      account: 'acme',
      now: Date.now,
    }
    const values = {
      amount: '12.5',
      ratio: '-1.5e3',
      count: '7',
      ok: 'false',
      at: '2026-06-01T12:00:00+02:00',
      on: '2026-06-01',
      color: 'blue',
      tags: '["a","b"]',
      state: 'old',
      text: '7',
    }
    expect(readRow(target, { line: 2, bytes: 0, fault: null, values })).toMatchObject({
      given: {
        amount: '12.50',
        ratio: -1_500,
        count: 7,
        ok: false,
        at: '2026-06-01T10:00:00.000Z',
        on: '2026-06-01',
        color: 'blue',
        tags: ['a', 'b'],
        state: 'old',
        text: '7',
      },
    })
    const wrong = { ...values, amount: '1.234', ok: 'yes', at: 'noon', tags: 'a,b', state: 'lost' }
    const faults = readRow(target, { line: 2, bytes: 0, fault: null, values: wrong })
    expect(Array.isArray(faults) && faults.map(({ field }) => field)).toEqual([
      'amount',
      'ok',
      'at',
      'tags',
      'state',
    ])
    expect(faults).toContainEqual({ field: 'tags', detail: 'must be JSON, such as ["a","b"]' })
  })

  test('has versions that are whole numbers, and so small that the row can still be changed', () => {
    const things = resource('things', { fields: { name: z.string() } })
    const model = compileApi(api('things', { resources: [things] }))
    const read = (format: 'csv' | 'jsonl', version: unknown) => {
      const target = { model, format, resource: null, account: 'acme', now: Date.now }
      const values = { '@resource': 'things', '@version': version, name: 'a' }
      const row = readRow(target, { line: 2, bytes: 0, fault: null, values })
      return 'version' in row ? row.version : row
    }
    const most = 1_000_000_000_000_000
    expect(['0', '7', `${most}`].map((version) => read('csv', version))).toEqual([0, 7, most])
    expect([0, 7, most].map((version) => read('jsonl', version))).toEqual([0, 7, most])
    const refused = [{ field: '@version', detail: `must be a whole number from 0 to ${most}` }]
    for (const version of ['', ' ', '0x10', '1e3', '-1', '1.0', `${most + 1}`])
      expect(read('csv', version)).toEqual(refused)
    for (const version of [-1, 0.5, most + 1, Number.MAX_SAFE_INTEGER, null, '', true, []])
      expect(read('jsonl', version)).toEqual(refused)
  })

  test('from standard input leaves no copy of the data when a signal ends the import', async () => {
    const folder = temporaryFolder()
    const rows = Array.from({ length: 30_000 }, (_, at) => `Ada,ada-${at}@example.org\n`)
    const child = nounkit(['import', 'examples/shop', '-', '--resource', 'customers', '--account', 'acme'], {
      env: { DATABASE_URL: url, TMPDIR: folder },
      input: `name,email\n${rows.join('')}`,
    })
    await until(() => readdirSync(folder).length > 0, { every: 5 })
    expect(await child.kill('SIGINT')).toMatchObject({ signal: 'SIGINT' })
    expect(readdirSync(folder)).toEqual([])
  })

  test('comes from standard input too', async () => {
    const ran = await run(['import', 'examples/shop', '-', '--resource', 'customers', '--account', 'acme'], {
      env: { DATABASE_URL: url },
      input: 'name,email\nAda,ada@example.com\n',
    })
    expect(ran).toEqual({ code: 0, stdout: 'Imported 1 row.\n', stderr: '' })
  })
})

describe('JSON within a row', () => {
  const folder = declarationFolder(`
import { api, resource } from 'nounkit'
import { z } from 'zod'
let deep = z.number()
for (let level = 0; level < 31; level++) deep = z.record(z.string(), deep)
const nodes = resource('nodes', { fields: { deep: deep.optional(), meta: z.record(z.string(), z.array(z.number())).optional() } })
export default api('nodes', { resources: [nodes] })
`)
  let env: { readonly DATABASE_URL: string }
  beforeAll(async () => {
    env = { DATABASE_URL: await emptyDatabase('sqlite') }
    await runHere(['migrate', folder], { env })
  })
  const importFile = (content: string, name: string, ...flags: string[]) =>
    runHere(
      ['import', folder, fileWith(content, name), '--resource', 'nodes', '--account', 'acme', ...flags],
      {
        env,
      },
    )
  /** The same row as CSV and as a line of JSON. */
  const importBoth = async (field: string, value: string, ...flags: string[]) => [
    await importFile(`${field}\n"${value.replaceAll('"', '""')}"\n`, 'nodes.csv', ...flags),
    await importFile(`{"${field}":${value}}\n`, 'nodes.jsonl', ...flags),
  ]
  const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

  test('is refused in a cell where it is refused in a line: deep nesting, a key __proto__', async () => {
    expect(await importBoth('deep', nested(31), '--dry-run')).toMatchObject([{ code: 0 }, { code: 0 }])
    expect(await importBoth('deep', nested(32))).toMatchObject([
      { code: 1, stderr: expect.stringContaining('csv:2: deep is nested more than 31 levels deep\n') },
      { code: 1, stderr: expect.stringContaining('jsonl:1: The line is nested more than 32 levels deep.\n') },
    ])
    const key = 'has the key "__proto__", which is not allowed'
    expect(await importBoth('meta', '{"__proto__":[1]}')).toMatchObject([
      { code: 1, stderr: expect.stringContaining(`csv:2: meta ${key}\n`) },
      { code: 1, stderr: expect.stringContaining(`jsonl:1: The line ${key}.\n`) },
    ])
  })

  test('may have -0, which is stored as 0: the row is the same when it is imported again', async () => {
    const line = `{"id":"${uuid(1)}","meta":{"a":[-0,-0.0]}}\n`
    const cell = `id,meta\n${uuid(1)},"{""a"":[-0,0]}"\n`
    expect((await importFile(line, 'nodes.jsonl')).stdout).toBe('Imported 1 row.\n')
    const again = 'Imported 0 rows. 1 row was there already.\n'
    expect((await importFile(line, 'nodes.jsonl', '--from', '1')).stdout).toBe(again)
    expect((await importFile(cell, 'nodes.csv')).stdout).toBe(again)
    // An export says the resource also where the API has one only, so that it can be imported as it is.
    const { stdout: lines } = await runHere(['export', folder], { env })
    expect((await runHere(['import', folder, fileWith(lines)], { env })).stdout).toBe(again)
  })
})
