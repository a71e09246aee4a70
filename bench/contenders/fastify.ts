import { randomUUIDv7 } from 'node:crypto'
import Fastify from 'fastify'
import {
  type Caller,
  createAuthentication,
  database,
  fingerprintOf,
  headersOf,
  keepAliveMs,
  logAccess,
  nextRequestId,
  port,
} from './common.ts'
import { openPostgresQueries } from './fastify-postgres.ts'
import {
  customerSchema,
  itemSchema,
  listOf,
  newOrderSchema,
  oneOf,
  orderSchema,
  productSchema,
} from './fastify-schemas.ts'
import { openSqliteQueries } from './fastify-sqlite.ts'

export type Row = { [column: string]: unknown }
type Rows = Promise<Row[]> | Row[]

export interface Queries {
  caller(hash: string): Rows
  order(account: string, id: unknown): Rows
  orders(account: string, limit: number): Rows
  customers(account: string, ids: readonly unknown[]): Rows
  items(account: string, order: unknown): Rows
  products(ids: readonly unknown[]): Rows
  insert(values: readonly (string | null)[]): Rows
  /** In one transaction: returns the answer stored under the key, or stores the new one. */
  keyed(account: string, key: string, fingerprint: string, values: readonly (string | null)[]): Rows
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
    startedAt: number
  }
}

/** What a good engineer writes by hand: schemas in and out, prepared queries, one per relation. */
const queries = await (database.startsWith('postgres') ? openPostgresQueries : openSqliteQueries)(database)
const authenticate = createAuthentication(async (hash) => {
  const [row] = await queries.caller(hash)
  return row && { account: String(row.account_id), consumer: String(row.id) }
})

const app = Fastify({ genReqId: nextRequestId, keepAliveTimeout: keepAliveMs })
app.decorateRequest('caller')
app.decorateRequest('startedAt', 0)
app.addHook('onRequest', async (request, reply) => {
  request.startedAt = performance.now()
  const caller = await authenticate(request.headers.authorization)
  if (!caller) return reply.code(401).send({ error: 'unauthorized' })
  request.caller = caller
  reply.headers(headersOf(request.id))
})
app.addHook('onResponse', async ({ id, method, routeOptions, startedAt, caller }, { statusCode }) =>
  logAccess({ ...caller, id, method, route: routeOptions.url ?? '', status: statusCode, startedAt }),
)

const byId = (rows: readonly Row[]) => new Map(rows.map((row) => [row.id, row]))
const distinct = (rows: readonly Row[], column: string) => [...new Set(rows.map((row) => row[column]))]

app.get<{ Params: { id: string }; Querystring: { include?: string } }>(
  '/v2/orders/:id',
  {
    schema: {
      params: { type: 'object', properties: { id: { type: 'string', format: 'uuid' } } },
      querystring: { type: 'object', properties: { include: { type: 'string' } } },
      response: {
        200: oneOf(
          orderSchema({ customer: customerSchema, items: listOf(itemSchema({ product: productSchema })) }),
        ),
      },
    },
  },
  async (request, reply) => {
    const { account } = request.caller
    const [row] = await queries.order(account, request.params.id)
    if (!row) return reply.code(404).send({ error: 'not found' })
    const include = request.query.include?.split(',') ?? []
    if (include.includes('customer')) [row.customer] = await queries.customers(account, [row.customer_id])
    if (include.includes('items')) {
      const items = await queries.items(account, row.id)
      const products = byId(await queries.products(distinct(items, 'product_id')))
      for (const item of items) item.product = products.get(item.product_id)
      row.items = { data: items, page: { limit: 50, has_more: false, next_cursor: null, next: null } }
    }
    reply.header('ETag', `"${row.version}"`)
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
  async (request, reply) => {
    const { account } = request.caller
    const { limit, include } = request.query
    const rows = await queries.orders(account, limit + 1)
    const page = rows.slice(0, limit)
    if (include === 'customer') {
      const customers = byId(await queries.customers(account, distinct(page, 'customer_id')))
      for (const row of page) row.customer = customers.get(row.customer_id)
    }
    const more = rows.length > limit
    const next = more ? String(page.at(-1)?.id) : null
    if (more) reply.header('Link', `<${request.url}&cursor=${next}>; rel="next"`)
    return { data: page, page: { limit, has_more: more, next_cursor: next } }
  },
)

app.post<{ Body: { customer_id: string; currency: string; note?: string } }>(
  '/v2/orders',
  { schema: { body: newOrderSchema, response: { 201: oneOf(orderSchema({})) } } },
  async (request, reply) => {
    const { account } = request.caller
    const { customer_id, currency, note = null } = request.body
    const values = [account, randomUUIDv7(), customer_id, currency, note, new Date().toISOString()]
    const key = request.headers['idempotency-key']
    const [row] = await (typeof key === 'string'
      ? queries.keyed(account, key, fingerprintOf(JSON.stringify(request.body)), values)
      : queries.insert(values))
    reply.code(201).headers({ ETag: '"1"', Location: `/v2/orders/${row?.id}` })
    return { data: row }
  },
)

await app.listen({ port: Number(port), host: '127.0.0.1' })
console.log('ready')
