import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type LanguageServer, languageServer } from '../support/language-server.ts'
import { root, typedFolder } from './typed-folder.ts'

const head = `import { client } from 'nounkit/client'
import type shop from './api.ts'
const api = client<typeof shop>({ url: 'https://shop.example' })
const order = await api.orders.get('1', { include: ['customer', 'items.product'] })
`
let editor: LanguageServer
beforeAll(async () => {
  const folder = typedFolder(['use.ts'])
  cpSync(join(root, 'examples/shop'), folder, { recursive: true })
  writeFileSync(join(folder, 'use.ts'), head)
  editor = await languageServer(folder, 'api.ts')
})

/** A bar marks where the cursor stands. */
const offered = async (typing: string): Promise<string> => {
  const names = await editor.completionsAt(
    'use.ts',
    head + typing.replace('|', ''),
    head.length + typing.indexOf('|'),
  )
  return names.toSorted().join(' ')
}

test.each([
  ['resources', 'api.|', 'adjustments customers events orderItems orders payments products webhookEndpoints'],
  ['calls', 'api.payments.|', 'at create find get list update'],
  ['collections below a row', "api.orders.at('1').|", 'items payments'],
  [
    'paths to include',
    "void api.orders.get('1', { include: ['|'] })",
    'customer items items.product payments',
  ],
  [
    'fields to filter by',
    'void api.orders.list({ filter: { | } })',
    '"customer.email" created_at customer_id or status total',
  ],
  [
    'values to filter by',
    "void api.orders.list({ filter: { status: '|' } })",
    'cancelled draft paid placed refunded shipped',
  ],
  [
    'fields to sort by',
    "void api.orders.list({ sort: ['|'] })",
    '-created_at -id -status -total created_at id status total',
  ],
  [
    'fields of a row, with what was included',
    'order.|',
    'created_at currency customer customer_id id items note status total updated_at',
  ],
  [
    'fields of a row two includes deep',
    'order.items.data[0]?.product.|',
    'active created_at currency id price sku title updated_at',
  ],
  ['fields of a new row', 'void api.orders.create({ | })', 'currency customer_id note status'],
  ['states that a create may have', "void api.orders.create({ status: '|' })", 'draft'],
  [
    'states that a change may have',
    "void api.orders.update('1', { status: '|' })",
    'cancelled draft paid placed refunded shipped',
  ],
])('an editor offers %s', async (_, typing, names) => {
  expect(await offered(typing)).toBe(names)
})

test('an editor offers operators, and the types of events', async () => {
  const operators = await offered('void api.orders.list({ filter: { created_at: { | } } })')
  // Those of a Date are among them.
  for (const one of ['eq', 'gt', 'gte', 'in', 'lt', 'lte', 'ne']) expect(operators.split(' ')).toContain(one)
  expect(await offered('void api.orders.list({ filter: { status: { | } } })')).toBe('eq in ne')
  expect(await offered("void api.events.follow({ filter: { type: '|' } })")).toMatch(
    /^customers\.created customers\.deleted customers\.updated order-items\.created /,
  )
})
