import { spawnSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { root, typedFolder } from './typed-folder.ts'

// The most common mistakes of programs that use the client of the shop, and what TypeScript says of each.

const mistakes: { readonly [what: string]: { readonly code: string; readonly says: readonly string[] } } = {
  'a wrong field': {
    code: 'order.totl',
    says: ["Property 'totl' does not exist", 'total: number', "Did you mean 'total'?"],
  },
  'a field of what was not included': {
    code: 'order.items',
    says: ["Property 'items' does not exist", 'customer: {', 'total: number'],
  },
  'a wrong include': {
    code: "api.orders.get('1', { include: ['custommer'] })",
    says: [
      'Type \'"custommer"\' is not assignable to type \'"customer" | "items" | "items.product" | "payments"\'.',
      'Did you mean \'"customer"\'?',
    ],
  },
  'a wrong include, two deep': {
    code: "api.orders.list({ include: ['items.prodct'] })",
    says: ['"items.prodct"', 'Did you mean \'"items.product"\'?'],
  },
  'a missing field': {
    code: "api.orders.create({ currency: 'EUR' })",
    says: ["Property 'customer_id' is missing", 'customer_id: string'],
  },
  'a wrong value': {
    code: "api.orders.create({ currency: 'EURO', customer_id: '1' })",
    says: ['Type \'"EURO"\' is not assignable to type \'"EUR" | "USD"\'.'],
  },
  'a wrong operator': {
    code: "api.orders.list({ filter: { status: { inn: ['paid'] } } })",
    says: ["'inn' does not exist in type", '"eq" | "in" | "ne"'],
  },
  'a wrong operator of an order': {
    code: "api.orders.list({ filter: { created_at: { after: '2026-01-01' } } })",
    says: ["'after' does not exist in type", '"eq" | "gt" | "gte" | "in" | "lt" | "lte" | "ne"'],
  },
  'a wrong value of a filter': {
    code: "api.orders.list({ filter: { status: 'payed' } })",
    says: ['"payed"', '"cancelled" | "draft" | "paid" | "placed" | "refunded" | "shipped"'],
  },
  'a wrong sort': {
    code: "api.orders.list({ sort: ['-created'] })",
    says: ['"-created"', '"created_at" | "status" | "total"'],
  },
  'a state that a create may not send': {
    code: "api.orders.create({ currency: 'EUR', customer_id: '1', status: 'paid' })",
    says: ['Type \'"paid"\' is not assignable to type \'"draft"\'.'],
  },
  'a method that the resource does not have': {
    code: "api.payments.delete('1')",
    says: ["Property 'delete' does not exist", '"at" | "create" | "find" | "get" | "list" | "update"'],
  },
  'an unknown resource': {
    code: 'api.orderz.list()',
    says: [
      "Property 'orderz' does not exist",
      '"orderItems" | "orders" | "payments"',
      "Did you mean 'orders'?",
    ],
  },
  'an unknown resource below a row': {
    code: "api.orders.at('1').itemz.list()",
    says: ["Property 'itemz' does not exist", '"items" | "payments"', "Did you mean 'items'?"],
  },
  'another version': {
    code: "client<typeof shop>({ url: '', version: 'v1' })",
    says: ['Type \'"v1"\' is not assignable to type \'"v2"\'.'],
  },
}
const lines = Object.values(mistakes).map(({ code }) => code)
const head = `import { client } from 'nounkit/client'
import type shop from './api.ts'
const api = client<typeof shop>({ url: '' })
const order = await api.orders.get('1', { include: ['customer'] })
`

/** Three lines of a wide terminal. */
const mostCharacters = 3 * 140

let told: readonly string[]
beforeAll(() => {
  const folder = typedFolder(['use.ts'])
  cpSync(join(root, 'examples/shop'), folder, { recursive: true })
  writeFileSync(join(folder, 'use.ts'), `${head}${lines.join('\n')}\n`)
  const tsc = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder, '--checkers', '1'], {
    cwd: folder,
    encoding: 'utf8',
  })
  told = tsc.stdout.split(/\n(?=\S)/).map((one) => one.trim())
})

describe.each(Object.entries(mistakes))('%s', (what, { says }) => {
  test('is told once, in at most three lines that have the right words', () => {
    const line = head.split('\n').length + Object.keys(mistakes).indexOf(what)
    const here = told.filter((one) => one.startsWith(`use.ts(${line},`))
    expect(here).toHaveLength(1)
    const [message = ''] = here
    for (const words of says) expect(message).toContain(words)
    expect(message.split('\n').length).toBeLessThanOrEqual(3)
    expect(message.length).toBeLessThanOrEqual(mostCharacters)
  })
})
