import { randomUUIDv7 } from 'node:crypto'
import pg from 'pg'
import { createEventTable, createKeyTable, eventNames, findCaller } from './common.ts'
import type { Queries, Row } from './fastify.ts'

const order = 'id, customer_id, currency, note, status, total, version, created_at, updated_at'
const texts = {
  caller: `${findCaller} $1`,
  order: `SELECT ${order} FROM orders WHERE account_id = $1 AND id = $2`,
  orders: `SELECT ${order} FROM orders WHERE account_id = $1 ORDER BY id LIMIT $2`,
  customers:
    'SELECT id, referrer_id, name, email, phone, created_at, updated_at FROM customers WHERE account_id = $1 AND id = ANY($2)',
  items:
    'SELECT id, order_id, product_id, quantity, unit_price, created_at, updated_at FROM order_items WHERE account_id = $1 AND order_id = $2 ORDER BY id LIMIT 50',
  products:
    'SELECT id, sku, title, price, currency, active, created_at, updated_at FROM products WHERE id = ANY($1)',
  insert: `INSERT INTO orders (account_id, id, customer_id, currency, note, status, total, version, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, 'draft', 0, 1, $6::timestamptz, $6::timestamptz) RETURNING ${order}`,
  tell: `INSERT INTO bench_events ${eventNames} VALUES ($1, $2, 'created', 'orders', $3, 'v2', $4, $5)`,
  findKey: 'SELECT answer FROM bench_keys WHERE account_id = $1 AND key = $2',
  keepKey: 'INSERT INTO bench_keys (account_id, key, fingerprint, answer) VALUES ($1, $2, $3, $4)',
}

/** node-postgres as most use it: a pool and named statements. */
export async function openPostgresQueries(connectionString: string): Promise<Queries> {
  const pool = new pg.Pool({ connectionString, max: 10 })
  pg.types.setTypeParser(20, Number)
  const on =
    (client: pg.Pool | pg.PoolClient) =>
    async (name: keyof typeof texts, values: unknown[]): Promise<Row[]> =>
      (await client.query({ name, text: texts[name], values })).rows
  const query = on(pool)
  await pool.query(createKeyTable)
  await pool.query(createEventTable.PostgreSQL)
  type Query = typeof query
  const transaction = async (work: (within: Query) => Promise<Row[]>): Promise<Row[]> => {
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      const rows = await work(on(client))
      await client.query('COMMIT')
      return rows
    } catch (error) {
      await client.query('ROLLBACK')
      throw error
    } finally {
      client.release()
    }
  }
  const insertAndTell = async (within: Query, values: readonly (string | null)[]): Promise<Row[]> => {
    const rows = await within('insert', [...values])
    const [account, id] = values
    await within('tell', [randomUUIDv7(), account, id, Date.now(), JSON.stringify(rows[0])])
    return rows
  }
  return {
    caller: (hash) => query('caller', [hash]),
    order: (account, id) => query('order', [account, id]),
    orders: (account, limit) => query('orders', [account, limit]),
    customers: (account, ids) => query('customers', [account, ids]),
    items: (account, id) => query('items', [account, id]),
    products: (ids) => query('products', [ids]),
    insert: (values) => transaction((within) => insertAndTell(within, values)),
    keyed: (account, key, fingerprint, values) =>
      transaction(async (within) => {
        const [known] = await within('findKey', [account, key])
        if (known) return [JSON.parse(String(known.answer))]
        const rows = await insertAndTell(within, values)
        await within('keepKey', [account, key, fingerprint, JSON.stringify(rows[0])])
        return rows
      }),
  }
}
