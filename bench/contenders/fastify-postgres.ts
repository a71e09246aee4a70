import { createHash, randomUUID } from 'node:crypto'
import Fastify from 'fastify'
import pg from 'pg'
import {
  customerSchema,
  itemSchema,
  listOf,
  newOrderSchema,
  oneOf,
  orderSchema,
  productSchema,
} from './fastify-schemas.ts'

/** Fastify with node-postgres, as most are written: a pool, named statements, one query per relation. */
const [connectionString = '', port = '0', tokens = ''] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString, max: 10 })
pg.types.setTypeParser(20, Number)

type Row = { [column: string]: unknown }
const query = async (name: string, text: string, values: unknown[]): Promise<Row[]> =>
  (await pool.query({ name, text, values })).rows
const order = 'id, customer_id, currency, note, status, total, created_at, updated_at'
const customer = 'id, referrer_id, name, email, phone, created_at, updated_at'

const app = Fastify()
app.decorateRequest('account', '')
// Looked up each time, as it is written by hand; Nounkit believes a key for a second. `keep` has it looked up once.
const keepsTokens = tokens === 'keep'
const accounts = new Map<string, string>()
app.addHook('onRequest', async (request, reply) => {
  const hash = createHash('sha256')
    .update(request.headers.authorization?.slice(7) ?? '')
    .digest('hex')
  let account = accounts.get(hash)
  if (account === undefined) {
    const [row] = await query(
      'token',
      'SELECT account_id FROM nounkit_api_keys WHERE hash = $1 AND revoked_at IS NULL',
      [hash],
    )
    if (!row) return reply.code(401).send({ error: 'unauthorized' })
    account = String(row.account_id)
    if (keepsTokens) accounts.set(hash, account)
  }
  request.account = account
})

const byId = (rows: readonly Row[]) => new Map(rows.map((row) => [row.id, row]))
const ids = (rows: readonly Row[], column: string) => [...new Set(rows.map((row) => row[column]))]

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
    const { account } = request
    const [row] = await query('order', `SELECT ${order} FROM orders WHERE account_id = $1 AND id = $2`, [
      account,
      request.params.id,
    ])
    if (!row) return reply.code(404).send({ error: 'not found' })
    const include = request.query.include?.split(',') ?? []
    if (include.includes('customer')) {
      const [found] = await query(
        'customer',
        `SELECT ${customer} FROM customers WHERE account_id = $1 AND id = $2`,
        [account, row.customer_id],
      )
      row.customer = found
    }
    if (include.includes('items')) {
      const items = await query(
        'items',
        'SELECT id, order_id, product_id, quantity, unit_price, created_at, updated_at FROM order_items WHERE account_id = $1 AND order_id = $2 ORDER BY id LIMIT 50',
        [account, row.id],
      )
      const products = byId(
        await query(
          'products',
          'SELECT id, sku, title, price, currency, active, created_at, updated_at FROM products WHERE id = ANY($1)',
          [ids(items, 'product_id')],
        ),
      )
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
    const rows = await query(
      'orders',
      `SELECT ${order} FROM orders WHERE account_id = $1 ORDER BY id LIMIT $2`,
      [request.account, limit + 1],
    )
    const page = rows.slice(0, limit)
    if (include === 'customer') {
      const customers = byId(
        await query('customers', `SELECT ${customer} FROM customers WHERE account_id = $1 AND id = ANY($2)`, [
          request.account,
          ids(page, 'customer_id'),
        ]),
      )
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
    const [row] = await query(
      'insert',
      `INSERT INTO orders (account_id, id, customer_id, currency, note, status, total, version, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, 'draft', 0, 1, $6, $6) RETURNING ${order}`,
      [request.account, randomUUID(), customer_id, currency, note, now],
    )
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
