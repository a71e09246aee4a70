import { randomUUIDv7 } from 'node:crypto'
import postgres from 'postgres'
import { createEventTable, createKeyTable, eventNames, findCaller } from './common.ts'
import type { Answer, FloorStore } from './floor.ts'

const id = (column: string) => `'"' || ${column} || '"'`
const text = (column: string) => `coalesce(to_json(${column})::text, 'null')`
const plain = (column: string) => `${column}::text`
const time = (column: string) =>
  `'"' || to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'`
/** An object as text, put together as text: json_build_object takes longer and writes more spaces. */
const object = (members: { readonly [name: string]: string }) =>
  `'{' || ${Object.entries(members)
    .map(([name, sql], at) => `'${at ? ',' : ''}"${name}":' || ${sql}`)
    .join(' || ')} || '}'`
const stamps = (alias: string) => ({
  created_at: time(`${alias}.created_at`),
  updated_at: time(`${alias}.updated_at`),
})

const customer = object({
  id: id('c.id'),
  referrer_id: text('c.referrer_id'),
  name: text('c.name'),
  email: text('c.email'),
  phone: text('c.phone'),
  ...stamps('c'),
})
const own = {
  id: id('o.id'),
  customer_id: id('o.customer_id'),
  currency: text('o.currency'),
  note: text('o.note'),
  status: text('o.status'),
  total: plain('o.total'),
  ...stamps('o'),
}
const product = object({
  id: id('p.id'),
  sku: text('p.sku'),
  title: text('p.title'),
  price: plain('p.price'),
  currency: text('p.currency'),
  active: plain('p.active'),
  ...stamps('p'),
})
const item = object({
  id: id('i.id'),
  order_id: id('i.order_id'),
  product_id: id('i.product_id'),
  quantity: plain('i.quantity'),
  unit_price: plain('i.unit_price'),
  ...stamps('i'),
  product,
})
const items = object({
  data: `'[' || (SELECT string_agg(${item}, ',' ORDER BY i.id) FROM order_items i JOIN products p ON p.id = i.product_id WHERE i.account_id = $1 AND i.order_id = o.id) || ']'`,
  page: `'{"limit":50,"has_more":false,"next_cursor":null,"next":null}'`,
})
const joined = 'FROM orders o JOIN customers c ON c.account_id = $1 AND c.id = o.customer_id'
const byId = 'WHERE o.account_id = $1 AND o.id = $2'
// The rows of the page are ordered before they are joined to one text, which then needs no sort of its own.
const listed = (row: string, from: string) =>
  `SELECT '{"data":[' || string_agg(row, ',') || '],"page":{"limit":25,"has_more":true,"next_cursor":"' || max(id) || '"}}', max(id) FROM (SELECT ${row} AS row, o.id ${from} WHERE o.account_id = $1 ORDER BY o.id LIMIT 25) page`

const reads = {
  one: `SELECT ${object({ data: object(own) })}, o.version FROM orders o ${byId}`,
  withCustomer: `SELECT ${object({ data: object({ ...own, customer }) })}, o.version ${joined} ${byId}`,
  withAll: `SELECT ${object({ data: object({ ...own, customer, items }) })}, o.version ${joined} ${byId}`,
  list: listed(object(own), 'FROM orders o'),
  listWithCustomer: listed(object({ ...own, customer }), joined),
}
const inserted = `INSERT INTO orders AS o (account_id, id, customer_id, currency, note, status, total, version, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, 'draft', 0, 1, $6::timestamptz, $6::timestamptz) RETURNING ${object({ data: object(own) })} AS answer`
// One statement, so one round trip.
const made = `WITH made AS (${inserted}), told AS (INSERT INTO bench_events ${eventNames} SELECT $7, $1, 'created', 'orders', $2, 'v2', $8, answer FROM made)`
const insert = `${made} SELECT answer FROM made`
// A key that is known already inserts nothing.
const keyedInsert = `${made}, kept AS (INSERT INTO bench_keys (account_id, key, fingerprint, answer) SELECT $1, $9, $10, answer FROM made) SELECT answer FROM made`
const known = 'SELECT answer FROM bench_keys WHERE account_id = $1 AND key = $2'

/** The settings of Nounkit's sessions, and generic plans, so that each statement is planned once. */
const session = { jit: 'off', random_page_cost: '1.1', plan_cache_mode: 'force_generic_plan' }

export async function openPostgresFloor(url: string): Promise<FloorStore> {
  // One connection per client: postgres.js sends statements of several requests over it without waiting for each answer.
  const clients = Array.from({ length: 10 }, () =>
    postgres(url, { max: 1, fetch_types: false, onnotice: () => {}, connection: session }),
  )
  let turn = 0
  const first = async (sql: string, values: readonly (string | null)[]) => {
    const client = clients[turn++ % clients.length]
    const rows = await client?.unsafe(sql, [...values], { prepare: true }).values()
    return rows?.[0] as string[] | undefined
  }
  await clients[0]?.unsafe(createKeyTable)
  await clients[0]?.unsafe(createEventTable.PostgreSQL)
  return {
    caller: (hash) => first(`${findCaller} $1`, [hash]),
    read: async (name, values) => (await first(reads[name], values)) as unknown as Answer,
    async create(values, keyed) {
      const id = values[1] ?? ''
      const all = [...values, randomUUIDv7(), String(Date.now())]
      if (!keyed) return [(await first(insert, all))?.[0] ?? '', id]
      try {
        const row = await first(keyedInsert, [...all, keyed.key, keyed.fingerprint])
        return [row?.[0] ?? '', id]
      } catch (error) {
        const row = await first(known, [values[0] ?? '', keyed.key])
        if (!row) throw error
        return [row[0] ?? '', '']
      }
    },
  }
}
