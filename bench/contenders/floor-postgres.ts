import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import postgres from 'postgres'

/** The floor on PostgreSQL: node:http and postgres.js, one connection a client, SQL that returns the JSON. */
const [url = '', port = '0'] = process.argv.slice(2)
const clients = Array.from({ length: 10 }, () =>
  postgres(url, { max: 1, fetch_types: false, onnotice: () => {} }),
)
let turn = 0

const time = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const stamps = (alias: string) =>
  `'created_at', ${time(`${alias}.created_at`)}, 'updated_at', ${time(`${alias}.updated_at`)}`
const customer = `json_build_object('id', c.id, 'referrer_id', c.referrer_id, 'name', c.name, 'email', c.email, 'phone', c.phone, ${stamps('c')})`
const own = `'id', o.id, 'customer_id', o.customer_id, 'currency', o.currency, 'note', o.note, 'status', o.status, 'total', o.total, ${stamps('o')}`
const product = `json_build_object('id', p.id, 'sku', p.sku, 'title', p.title, 'price', p.price, 'currency', p.currency, 'active', p.active, ${stamps('p')})`
const item = `json_build_object('id', i.id, 'order_id', i.order_id, 'product_id', i.product_id, 'quantity', i.quantity, 'unit_price', i.unit_price, ${stamps('i')}, 'product', ${product})`
const items = `json_build_object('data', (SELECT json_agg(${item} ORDER BY i.id) FROM order_items i JOIN products p ON p.id = i.product_id WHERE i.account_id = 'bench' AND i.order_id = o.id), 'page', json_build_object('limit', 50, 'has_more', false, 'next_cursor', null, 'next', null))`
const joined = `FROM orders o JOIN customers c ON c.account_id = 'bench' AND c.id = o.customer_id WHERE o.account_id = 'bench' AND o.id = $1`
const page = `json_build_object('limit', 25, 'has_more', true, 'next_cursor', 'x')`

const statements = {
  one: `SELECT json_build_object('data', json_build_object(${own}))::text FROM orders o WHERE o.account_id = 'bench' AND o.id = $1`,
  withCustomer: `SELECT json_build_object('data', json_build_object(${own}, 'customer', ${customer}))::text ${joined}`,
  withAll: `SELECT json_build_object('data', json_build_object(${own}, 'customer', ${customer}, 'items', ${items}))::text ${joined}`,
  list: `SELECT json_build_object('data', json_agg(j), 'page', ${page})::text FROM (SELECT json_build_object(${own}) AS j FROM orders o WHERE o.account_id = 'bench' ORDER BY o.id LIMIT 25) p`,
  listWithCustomer: `SELECT json_build_object('data', json_agg(j), 'page', ${page})::text FROM (SELECT json_build_object(${own}, 'customer', ${customer}) AS j FROM orders o JOIN customers c ON c.account_id = 'bench' AND c.id = o.customer_id WHERE o.account_id = 'bench' ORDER BY o.id LIMIT 25) p`,
  insert: `INSERT INTO orders AS o (account_id, id, customer_id, currency, note, status, total, version, created_at, updated_at) VALUES ('bench', $1, $2, $3, $4, 'draft', 0, 1, $5::timestamptz, $5::timestamptz) RETURNING json_build_object('data', json_build_object(${own}))::text`,
}

const text = async (sql: string, values: (string | number | null)[]): Promise<string> => {
  const client = clients[turn++ % clients.length]
  const rows = await client
    ?.unsafe(sql, values, { prepare: true, simple: false } as { prepare: true })
    .values()
  return String(rows?.[0]?.[0])
}

createServer(async (request, response) => {
  const path = request.url ?? ''
  const send = (status: number, body: string) => {
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    })
    response.end(body)
  }
  if (request.method === 'POST') {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', async () => {
      const order = JSON.parse(body)
      send(
        201,
        await text(statements.insert, [
          randomUUID(),
          order.customer_id,
          order.currency,
          order.note ?? null,
          new Date().toISOString(),
        ]),
      )
    })
    return
  }
  if (path.startsWith('/v2/orders?'))
    return send(200, await text(path.includes('include') ? statements.listWithCustomer : statements.list, []))
  const sql =
    path.length === 47
      ? statements.one
      : path.includes('items')
        ? statements.withAll
        : statements.withCustomer
  send(200, await text(sql, [path.slice(11, 47)]))
}).listen(Number(port), '127.0.0.1', () => console.log('ready'))
