import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'

/**
 * The floor: node:http and node:sqlite with SQL written by hand that returns the JSON. No routing to speak of, no
 * validation, no authentication, no problems: what the machine gives when nothing is asked of the code.
 */
const [file = '', port = '0'] = process.argv.slice(2)
const db = new DatabaseSync(file)
db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')

const customer = `json_object('id', c.id, 'referrer_id', c.referrer_id, 'name', c.name, 'email', c.email, 'phone', c.phone, 'created_at', c.created_at, 'updated_at', c.updated_at)`
const own = `'id', o.id, 'customer_id', o.customer_id, 'currency', o.currency, 'note', o.note, 'status', o.status, 'total', o.total, 'created_at', o.created_at, 'updated_at', o.updated_at`
const product = `json_object('id', p.id, 'sku', p.sku, 'title', p.title, 'price', p.price, 'currency', p.currency, 'active', json(iif(p.active, 'true', 'false')), 'created_at', p.created_at, 'updated_at', p.updated_at)`
const item = `json_object('id', i.id, 'order_id', i.order_id, 'product_id', i.product_id, 'quantity', i.quantity, 'unit_price', i.unit_price, 'created_at', i.created_at, 'updated_at', i.updated_at, 'product', ${product})`
const items = `json_object('data', (SELECT json_group_array(${item}) FROM order_items i JOIN products p ON p.id = i.product_id WHERE i.account_id = 'bench' AND i.order_id = o.id), 'page', json('{"limit":50,"has_more":false,"next_cursor":null,"next":null}'))`
const joined = `FROM orders o JOIN customers c ON c.account_id = 'bench' AND c.id = o.customer_id WHERE o.account_id = 'bench' AND o.id = ?`
// Joined as text: json_group_array would parse every row again, and take twice as long.
const listed = (rows: string) =>
  `'{"data":[' || group_concat(${rows}) || '],"page":{"limit":25,"has_more":true,"next_cursor":"x"}}'`

const prepare = (sql: string) => {
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  return statement
}
const one = prepare(
  `SELECT json_object('data', json_object(${own})) FROM orders o WHERE o.account_id = 'bench' AND o.id = ?`,
)
const withCustomer = prepare(
  `SELECT json_object('data', json_object(${own}, 'customer', ${customer})) ${joined}`,
)
const withAll = prepare(
  `SELECT json_object('data', json_object(${own}, 'customer', ${customer}, 'items', ${items})) ${joined}`,
)
const list = prepare(
  `SELECT ${listed('j')} FROM (SELECT json_object(${own}) AS j FROM orders o WHERE o.account_id = 'bench' ORDER BY o.id LIMIT 25)`,
)
const listWithCustomer = prepare(
  `SELECT ${listed(`json_object(${own}, 'customer', ${customer})`)} FROM (SELECT * FROM orders WHERE account_id = 'bench' ORDER BY id LIMIT 25) o JOIN customers c ON c.account_id = 'bench' AND c.id = o.customer_id`,
)
const insert = prepare(
  `INSERT INTO orders AS o (account_id, id, customer_id, currency, note, status, total, version, created_at, updated_at) VALUES ('bench', ?1, ?2, ?3, ?4, 'draft', 0, 1, ?5, ?5) RETURNING json_object('data', json_object(${own.replaceAll('o.', '')}))`,
)

const text = (row: unknown): string => (row as string[])[0] ?? ''

createServer((request, response) => {
  const url = request.url ?? ''
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
    request.on('end', () => {
      const order = JSON.parse(body)
      const now = new Date().toISOString()
      // Not `get`, after which SQLite never checkpoints: its log would grow for as long as the server runs.
      const [row] = insert.all(randomUUID(), order.customer_id, order.currency, order.note ?? null, now)
      send(201, text(row))
    })
    return
  }
  if (url.startsWith('/v2/orders?'))
    return send(200, text((url.includes('include') ? listWithCustomer : list).get()))
  const id = url.slice(11, 47)
  const statement = url.length === 47 ? one : url.includes('items') ? withAll : withCustomer
  send(200, text(statement.get(id)))
}).listen(Number(port), '127.0.0.1', function (this: { address(): unknown }) {
  console.log('ready')
})
