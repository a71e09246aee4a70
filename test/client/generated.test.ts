import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { clientParts } from '../../src/contract/typescript/client-file.ts'
import { runHere } from '../cli/in-process.ts'
import { describeClients } from '../support/client-shop.ts'
import { typedFolder } from '../types/typed-folder.ts'

const root = resolve(import.meta.dirname, '../..')
const versions = [
  ['examples/shop', 'v1'],
  ['examples/shop', 'v2'],
  ['examples/library', 'v1'],
] as const
const fileOf = (api: string, version: string): string => `${api.replace('examples/', '')}-${version}.ts`

/** Programs of consumers of the generated files. Each marked line must be a mistake. */
const use = `
import { client, type Event, isProblem, ProblemError, type Row, verifyWebhook } from './shop-v1.ts'
import * as head from './shop-v2.ts'

const api = client({ url: 'https://shop.example', key: 'nk_x' })
const order = await api.orders.get('1', { include: ['client'] })
export const name: string = order.client.full_name
export const status: 'draft' | 'open' | 'paid' | 'shipped' | 'cancelled' = order.status
export const one: Row<'orders', 'client'> = order
await api.clients.create({ full_name: 'Ada', email: 'ada@example.com', fax: null })
await api.orders.create({ client_id: '1' })
await api.orders.list({ filter: { 'client.email': { gte: 'a', ne: 'b' } }, count: true })
await api.orderItems.createMany([{ order_id: '1', product_id: '2', quantity: 1, unit_price: 2 }])
// @ts-expect-error: no list is taken
await api.orders.createMany([])
// @ts-expect-error: a text is wanted
await api.orders.list({ filter: { 'client.email': 5 } })
// @ts-expect-error: the head's word
await api.orders.list({ filter: { 'customer.email': 'a' } })
// @ts-expect-error: the head's word
api.customers
// @ts-expect-error: the version has no currency
order.currency
// @ts-expect-error: it is a value of the head alone
await api.orders.update(order, { status: 'placed' })
// @ts-expect-error: not included
order.items
const event: Event = await verifyWebhook('whsec_', new Headers(), '')
if (event.type === 'clients.created') event.data.full_name
try {
  await head.client({ url: 'https://shop.example', version: 'v2' }).payments.at('1').refunds.create({ amount: 1 })
} catch (error) {
  if (head.isProblem(error, 'refund-exceeds-payment')) error.status satisfies number
  if (isProblem(error, 'transition-not-allowed')) error.body.allowed satisfies readonly string[]
  if (error instanceof ProblemError) error.requestId satisfies string
}
for await (const followed of head.client({ url: '' }).events.follow()) followed.cursor satisfies string
`

describe('the file of nounkit client', () => {
  let folder: string
  const texts = new Map<string, string>()

  beforeAll(async () => {
    folder = typedFolder([])
    for (const [api, version] of versions) {
      const { code, stdout, stderr } = await runHere(['client', api, version])
      expect([code, stderr]).toEqual([0, ''])
      writeFileSync(join(folder, fileOf(api, version)), stdout)
      texts.set(fileOf(api, version), stdout)
    }
    writeFileSync(join(folder, 'use.ts'), use)
  })

  test.each([
    ['in a browser', ['--lib', 'es2022,dom,dom.iterable']],
    ['on Node', ['--lib', 'es2022', '--types', 'node']],
  ])('compiles alone, %s, under the strictest settings, and knows its version', (_, args) => {
    const strict = [
      '--strict',
      '--noUncheckedIndexedAccess',
      '--exactOptionalPropertyTypes',
      '--erasableSyntaxOnly',
    ]
    const target = [
      '--target',
      'es2022',
      '--module',
      'nodenext',
      '--allowImportingTsExtensions',
      '--skipLibCheck',
    ]
    const tsc = spawnSync(
      join(root, 'node_modules/.bin/tsc'),
      [
        '--ignoreConfig',
        '--noEmit',
        '--checkers',
        '1',
        ...strict,
        ...target,
        ...args,
        ...texts.keys(),
        'use.ts',
      ],
      { cwd: folder, encoding: 'utf8' },
    )
    expect(tsc.stdout).toBe('')
    expect(tsc.status).toBe(0)
  })

  test('needs no other file, and is the same text for the same contract', async () => {
    for (const text of texts.values()) expect(text).not.toMatch(/^(?:import|export .* from)\b/m)
    const again = await runHere(['client', 'examples/shop'])
    expect(again.stdout).toBe(texts.get('shop-v2.ts'))
    expect(clientParts.length).toBeGreaterThan(5)
  })

  describeClients('calls the version it was made for', (served) => {
    test('in its words', async () => {
      const { client, isProblem } = await import(
        /* @vite-ignore */ pathToFileURL(join(folder, 'shop-v1.ts')).href
      )
      const api = client({ url: served.proxy.url, key: served.shop.key, onDeprecated: () => {} })
      const made = await api.clients.create({ full_name: 'Ada', email: 'generated@example.com' })
      const order = await api.orders.create({ client_id: made.id })
      expect(await api.orders.get(order.id, { include: ['client'] })).toEqual({ ...order, client: made })
      const twice = await api.clients
        .create({ full_name: 'Ada', email: made.email })
        .catch((error: unknown) => error)
      expect(isProblem(twice, 'unique-conflict')).toBe(true)
    })
  })
})
