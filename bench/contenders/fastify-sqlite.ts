import { randomUUIDv7 } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { createEventTable, createKeyTable, eventNames, findCaller } from './common.ts'
import type { Queries, Row } from './fastify.ts'

const order = 'id, customer_id, currency, note, status, total, version, created_at, updated_at'

export function openSqliteQueries(file: string): Queries {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
  db.exec(createKeyTable)
  db.exec(createEventTable.SQLite)
  const query = (sql: string) => {
    const statement = db.prepare(sql)
    // Not `get`, after which SQLite never checkpoints: its log would grow for as long as the server runs.
    return (...values: (string | number | null)[]) => statement.all(...values) as Row[]
  }
  const findKey = query('SELECT answer FROM bench_keys WHERE account_id = ? AND key = ?')
  const keepKey = query('INSERT INTO bench_keys (account_id, key, fingerprint, answer) VALUES (?, ?, ?, ?)')
  const caller = query(`${findCaller} ?`)
  const oneOrder = query(`SELECT ${order} FROM orders WHERE account_id = ? AND id = ?`)
  const orders = query(`SELECT ${order} FROM orders WHERE account_id = ? ORDER BY id LIMIT ?`)
  const customers = query(
    'SELECT id, referrer_id, name, email, phone, created_at, updated_at FROM customers WHERE account_id = ? AND id IN (SELECT value FROM json_each(?))',
  )
  const items = query(
    'SELECT id, order_id, product_id, quantity, unit_price, created_at, updated_at FROM order_items WHERE account_id = ? AND order_id = ? ORDER BY id LIMIT 50',
  )
  const products = query(
    'SELECT id, sku, title, price, currency, active, created_at, updated_at FROM products WHERE id IN (SELECT value FROM json_each(?))',
  )
  const insert = query(
    `INSERT INTO orders (account_id, id, customer_id, currency, note, status, total, version, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, 'draft', 0, 1, ?6, ?6) RETURNING ${order}`,
  )
  const tell = query(
    `INSERT INTO bench_events ${eventNames} VALUES (?, ?, 'created', 'orders', ?, 'v2', ?, ?)`,
  )
  const insertAndTell = (values: readonly (string | null)[]) => {
    const rows = insert(...values)
    const [account = null, id = null] = values
    tell(randomUUIDv7(), account, id, Date.now(), JSON.stringify(rows[0]))
    return rows
  }
  return {
    caller,
    orders,
    order: (account, id) => oneOrder(account, String(id)),
    customers: (account, ids) => customers(account, JSON.stringify(ids)),
    items: (account, id) => items(account, String(id)),
    products: (ids) => products(JSON.stringify(ids)),
    insert(values) {
      db.exec('BEGIN IMMEDIATE')
      const rows = insertAndTell(values)
      db.exec('COMMIT')
      return rows
    },
    keyed(account, key, fingerprint, values) {
      const [known] = findKey(account, key)
      if (known) return [JSON.parse(String(known.answer))]
      db.exec('BEGIN IMMEDIATE')
      const rows = insertAndTell(values)
      keepKey(account, key, fingerprint, JSON.stringify(rows[0]))
      db.exec('COMMIT')
      return rows
    },
  }
}
