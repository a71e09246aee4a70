import { createHash, randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import Fastify from 'fastify'
import {
  customerSchema,
  itemSchema,
  listOf,
  newOrderSchema,
  oneOf,
  orderSchema,
  productSchema,
} from './fastify-schemas.ts'

/** What a good engineer writes by hand: schemas in and out, a token look-up, prepared queries, one per relation. */
const [file = '', port = '0', tokens = ''] = process.argv.slice(2)
const db = new DatabaseSync(file)
db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')

type Row = { [column: string]: unknown }
const order = 'id, customer_id, currency, note, status, total, created_at, updated_at'
const selectToken = db.prepare(
  'SELECT account_id FROM nounkit_api_keys WHERE hash = ? AND revoked_at IS NULL',
)
const selectOrder = db.prepare(`SELECT ${order} FROM orders WHERE account_id = ? AND id = ?`)
const selectOrders = db.prepare(`SELECT ${order} FROM orders WHERE account_id = ? ORDER BY id LIMIT ?`)
const customer = 'id, referrer_id, name, email, phone, created_at, updated_at'
const selectCustomer = db.prepare(`SELECT ${customer} FROM customers WHERE account_id = ? AND id = ?`)
const selectCustomers = db.prepare(
  `SELECT ${customer} FROM customers WHERE account_id = ? AND id IN (SELECT value FROM json_each(?))`,
)
const selectItems = db.prepare(
  'SELECT id, order_id, product_id, quantity, unit_price, created_at, updated_at FROM order_items WHERE account_id = ? AND order_id = ? ORDER BY id LIMIT 50',
)
const selectProducts = db.prepare(
  'SELECT id, sku, title, price, currency, active, created_at, updated_at FROM products WHERE id IN (SELECT value FROM json_each(?))',
)
const insertOrder = db.prepare(
  `INSERT INTO orders (account_id, id, customer_id, currency, note, status, total, version, created_at, updated_at) VALUES (?, ?, ?, ?, ?, 'draft', 0, 1, ?, ?) RETURNING ${order}`,
)

const app = Fastify()
app.decorateRequest('account', '')
// Looked up each time, as it is written by hand; Nounkit believes a key for a second. `keep` has it looked up once.
const keepsTokens = tokens === 'keep'
const accounts = new Map<string, string>()
app.addHook('onRequest', async (request, reply) => {
  const token = request.headers.authorization?.slice(7) ?? ''
  const hash = createHash('sha256').update(token).digest('hex')
  let account = accounts.get(hash)
  if (account === undefined) {
    const row = selectToken.get(hash) as Row | undefined
    if (!row) return reply.code(401).send({ error: 'unauthorized' })
    account = String(row.account_id)
    if (keepsTokens) accounts.set(hash, account)
  }
  request.account = account
})

const byId = (rows: readonly Row[]) => new Map(rows.map((row) => [row.id, row]))
const idList = (rows: readonly Row[], column: string) =>
  JSON.stringify([...new Set(rows.map((row) => row[column]))])

app.get<{ Params: { id: string }; Querystring: { include?: string } }>(
  '/v2/orders/:id',
  {
    schema: {
      querystring: { type: 'object', properties: { include: { type: 'string' } } },
      response: {
        200: oneOf(
          orderSchema({ customer: customerSchema, items: listOf(itemSchema({ product: productSchema })) }),
        ),
      },
    },
  },
  async (request, reply) => {
    const row = selectOrder.get(request.account, request.params.id) as Row | undefined
    if (!row) return reply.code(404).send({ error: 'not found' })
    const include = request.query.include?.split(',') ?? []
    if (include.includes('customer'))
      row.customer = selectCustomer.get(request.account, String(row.customer_id))
    if (include.includes('items')) {
      const items = selectItems.all(request.account, String(row.id)) as Row[]
      const products = byId(selectProducts.all(idList(items, 'product_id')) as Row[])
      for (const item of items) item.product = products.get(item.product_id)
      row.items = { data: items, page: { limit: 50, has_more: false, next_cursor: null, next: null } }
    }
    return { data: row }
  },
)

app.get<{ Querystring: { limit: number; include?: string } }>(
  '/v2/orders',
  {
    schema: {
      querystring: {
        type: 'object',
        properties: {
          limit: { type: 'integer', minimum: 1, maximum: 100, default: 25 },
          include: { type: 'string' },
        },
      },
      response: { 200: listOf(orderSchema({ customer: customerSchema })) },
    },
  },
  async (request) => {
    const { limit, include } = request.query
    const rows = selectOrders.all(request.account, limit + 1) as Row[]
    const page = rows.slice(0, limit)
    if (include === 'customer') {
      const customers = byId(selectCustomers.all(request.account, idList(page, 'customer_id')) as Row[])
      for (const row of page) row.customer = customers.get(row.customer_id)
    }
    const more = rows.length > limit
    return {
      data: page,
      page: { limit, has_more: more, next_cursor: more ? String(page.at(-1)?.id) : null },
    }
  },
)

app.post<{ Body: { customer_id: string; currency: string; note?: string } }>(
  '/v2/orders',
  { schema: { body: newOrderSchema, response: { 201: oneOf(orderSchema({})) } } },
  async (request, reply) => {
    const { customer_id, currency, note = null } = request.body
    const now = new Date().toISOString()
    // Not `get`, after which SQLite never checkpoints: its log would grow for as long as the server runs.
    const [row] = insertOrder.all(request.account, randomUUID(), customer_id, currency, note, now, now)
    reply.code(201).header('Location', `/v2/orders/${row?.id}`)
    return { data: row }
  },
)

declare module 'fastify' {
  interface FastifyRequest {
    account: string
  }
}

await app.listen({ port: Number(port), host: '127.0.0.1' })
console.log('ready')
