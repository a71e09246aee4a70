import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import shop from '../../examples/shop/api.ts'
import { exportCommand } from '../../src/cli/export-command.ts'
import { namedResources } from '../../src/cli/named-resources.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { api as declare, resource } from '../../src/index.ts'
import { withSnapshot } from '../../src/store/snapshot.ts'
import { type TestApi, testApi } from '../../src/testing.ts'
import { exportRows } from '../../src/transfer/export-rows.ts'
import { columnFault, readRow } from '../../src/transfer/read-row.ts'
import { shell } from '../support/child.ts'
import { whenOver } from '../support/clean-up.ts'
import { emptyDatabase, walkedStores } from '../support/databases.ts'
import { runHere } from './in-process.ts'
import { run } from './run.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const command = `${process.execPath} --conditions=nounkit-source ${join(root, 'bin/nounkit.js')}`

type Line = { readonly [name: string]: unknown }
const linesOf = (text: string): readonly Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe.each(walkedStores)('nounkit export on %s', (kind) => {
  let url: string
  let api: TestApi
  let key: string
  const get = async (path: string) => {
    const response = await api.fetch(path, { headers: { Authorization: `Bearer ${key}` } })
    return {
      etag: response.headers.get('etag'),
      body: (await response.json()) as { data: Line | readonly Line[] },
    }
  }

  beforeAll(async () => {
    url = await emptyDatabase(kind)
    api = await testApi(shop, { databaseUrl: url })
    whenOver(() => api.close())
    key = await api.key('acme')
  })

  test('writes every row as the newest version shows it, each after the rows that it must name', async () => {
    const { code, stdout, stderr } = await run(['export', 'examples/shop'], { env: { DATABASE_URL: url } })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = linesOf(stdout)
    const ofAcme = (name: string) =>
      lines.filter((line) => line['@resource'] === name && line['@account'] === 'acme')
    for (const name of ['customers', 'orders', 'payments']) {
      const { body } = await get(`/v2/${name}?limit=100&sort=id`)
      const rows = body.data as readonly Line[]
      expect(rows.length).toBeGreaterThan(0)
      expect(ofAcme(name).slice(0, rows.length)).toMatchObject(rows)
    }
    const [order] = ofAcme('orders')
    expect((await get(`/v2/orders/${order?.id}`)).etag).toMatch(new RegExp(`^"${order?.['@version']}\\.`))
    expect(lines.find((line) => line['@resource'] === 'products')).not.toHaveProperty('@account')
    expect(new Set(lines.map((line) => line['@account']))).toEqual(new Set([undefined, 'acme', 'globex']))
    const seen = new Set<unknown>()
    for (const line of lines) {
      for (const name of ['customer_id', 'order_id', 'product_id', 'payment_id', 'order_item_id'])
        if (line[name]) expect(seen).toContain(line[name])
      seen.add(line.id)
    }
  })

  test('reads one moment, and says resource and account only where there are several', async () => {
    const { model, store } = api.service
    const resources = [...model.resources.values()].filter(({ name }) => name === 'customers')
    const read = await withSnapshot(store, async (snapshot) => {
      const one = { resources, saysResource: false, accounts: ['acme'] }
      const before: string[] = []
      for await (const { lines } of exportRows(snapshot, store.dialect, one)) before.push(...lines)
      const made = await api.fetch('/v2/customers', {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'Grace', email: 'grace@example.com' }),
      })
      expect(made.status).toBe(201)
      const after: string[] = []
      for await (const { lines } of exportRows(snapshot, store.dialect, one)) after.push(...lines)
      return { before, after }
    })
    expect(read.after).toEqual(read.before)
    expect(Object.keys(JSON.parse(read.after[0] ?? '{}'))).toEqual([
      '@version',
      'id',
      'referrer_id',
      'name',
      'email',
      'phone',
      'fax',
      'created_at',
      'updated_at',
    ])
  })
})

test('an export that is not read to its end, or cannot be written, ends with 1', async () => {
  const env = { DATABASE_URL: await emptyDatabase('sqlite') }
  const api = await testApi(shop, { databaseUrl: env.DATABASE_URL })
  await api.close()
  const closed = shell(`(${command} export examples/shop; echo "code $?" >&2) | true`, { env })
  await closed.ended
  expect(closed.stderr).toBe('code 1\n')
  const full = shell(`${command} export examples/shop > /dev/full`, { env })
  expect(await full.ended).toMatchObject({ code: 1 })
  expect(full.stderr).toBe(
    'The output could not be written: the disk is full. What was written so far is not complete.\n',
  )
})

test('an account without rows is noted, and one without an API key with the name that was probably meant', async () => {
  const env = { DATABASE_URL: await emptyDatabase('sqlite') }
  const api = await testApi(shop, { databaseUrl: env.DATABASE_URL })
  await api.key('acme')
  await api.key('newcomer')
  await api.close()
  const told = async (...args: string[]) => {
    const [command = '', ...rest] = args
    const { code, stdout, stderr } = await runHere([command, 'examples/shop', ...rest], { env })
    expect(code).toBe(0)
    return [stdout === '' ? 'nothing' : 'rows', stderr]
  }
  const unknown = (what: string, account: string) =>
    `Note: the account ${account} has no ${what}. It has no API key either. Did you mean "acme"?\n`
  expect(await told('export', '--account', 'acme')).toEqual(['rows', ''])
  // An account of the seed without a key.
  expect(await told('export', '--account', 'globex')).toEqual(['rows', ''])
  expect(await told('export', '--account', 'acme', '--account', 'acmee')).toEqual([
    'rows',
    unknown('rows', 'acmee'),
  ])
  expect(await told('export', '--account', 'acm', '--resource', 'orders')).toEqual([
    'nothing',
    unknown('rows of orders', 'acm'),
  ])
  expect(await told('export', '--account', 'newcomer')).toEqual([
    'nothing',
    'Note: the account newcomer has no rows.\n',
  ])
  expect(await told('export', '--account', 'acm', '--resource', 'products')).toEqual(['rows', ''])
  expect(await told('events', '--account', 'acm')).toEqual(['nothing', unknown('events', 'acm')])
  expect(await told('events', '--account', 'acme')).toEqual(['nothing', ''])
})

test('an unknown resource, and one of the engine itself, are refused with what to write', async () => {
  const url = await emptyDatabase('sqlite')
  await (await testApi(shop, { databaseUrl: url })).close()
  vi.stubEnv('DATABASE_URL', url)
  onTestFinished(() => void vi.unstubAllEnvs())
  const exporting = (resource: string) =>
    exportCommand({ flags: { resource: [resource] }, words: ['examples/shop'] })
  await expect(exporting('order')).rejects.toThrow('There is no resource "order". Did you mean "orders"?')
  await expect(exporting('webhook-endpoints')).rejects.toThrow(/belongs to the engine itself/)
})

test('totals are told what they count, by the command and of a line of a file, and columns that are no fields which there are', () => {
  const books = resource('books', { fields: { pages: z.int() } })
  const totals = resource('book-totals', { totals: { of: 'books', by: ['pages'], sums: [] } })
  const model = compileApi(declare('library', { resources: [books, totals] }))
  expect(() => namedResources(model, ['book-totals'])).toThrow(
    'book-totals counts rows of books, and has none of its own. Name books.',
  )
  const target = { model, format: 'jsonl', resource: null, account: 'acme', now: () => 0 } as const
  const record = { line: 1, bytes: 9, values: { '@resource': 'book-totals' }, fault: null }
  expect(readRow(target, record)).toEqual([
    expect.objectContaining({
      detail: 'is a row of book-totals, which counts rows of books and has none of its own',
    }),
  ])
  const ofBooks = { ...target, format: 'csv', resource: model.stored.get('books') ?? null } as const
  expect(columnFault(ofBooks, 'pagse')).toBe('pagse is not a field of books; did you mean "pages"?')
  expect(columnFault(ofBooks, 'weight')).toBe(
    'weight is not a field of books; it has id, pages, created_at, updated_at',
  )
})
