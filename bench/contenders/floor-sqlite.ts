import { randomUUIDv7 } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { createEventTable, createKeyTable, eventNames, findCaller } from './common.ts'
import type { Answer, FloorStore } from './floor.ts'

const customer = `json_object('id', c.id, 'referrer_id', c.referrer_id, 'name', c.name, 'email', c.email, 'phone', c.phone, 'created_at', c.created_at, 'updated_at', c.updated_at)`
const own = `'id', o.id, 'customer_id', o.customer_id, 'currency', o.currency, 'note', o.note, 'status', o.status, 'total', o.total, 'created_at', o.created_at, 'updated_at', o.updated_at`
const product = `json_object('id', p.id, 'sku', p.sku, 'title', p.title, 'price', p.price, 'currency', p.currency, 'active', json(iif(p.active, 'true', 'false')), 'created_at', p.created_at, 'updated_at', p.updated_at)`
const item = `json_object('id', i.id, 'order_id', i.order_id, 'product_id', i.product_id, 'quantity', i.quantity, 'unit_price', i.unit_price, 'created_at', i.created_at, 'updated_at', i.updated_at, 'product', ${product})`
const items = `json_object('data', (SELECT json_group_array(${item}) FROM order_items i JOIN products p ON p.id = i.product_id WHERE i.account_id = ?1 AND i.order_id = o.id), 'page', json('{"limit":50,"has_more":false,"next_cursor":null,"next":null}'))`
const joined = 'FROM orders o JOIN customers c ON c.account_id = ?1 AND c.id = o.customer_id'
const byId = 'WHERE o.account_id = ?1 AND o.id = ?2'
// Joined as text: json_group_array would parse every row again, and take twice as long.
const listed = (row: string) =>
  `'{"data":[' || group_concat(${row}) || '],"page":{"limit":25,"has_more":true,"next_cursor":"' || max(o.id) || '"}}', max(o.id)`
const firstPage = '(SELECT * FROM orders WHERE account_id = ?1 ORDER BY id LIMIT 25) o'

const reads = {
  one: `SELECT json_object('data', json_object(${own})), o.version FROM orders o ${byId}`,
  withCustomer: `SELECT json_object('data', json_object(${own}, 'customer', ${customer})), o.version ${joined} ${byId}`,
  withAll: `SELECT json_object('data', json_object(${own}, 'customer', ${customer}, 'items', ${items})), o.version ${joined} ${byId}`,
  list: `SELECT ${listed(`json_object(${own})`)} FROM ${firstPage}`,
  listWithCustomer: `SELECT ${listed(`json_object(${own}, 'customer', ${customer})`)} FROM ${firstPage} JOIN customers c ON c.account_id = ?1 AND c.id = o.customer_id`,
}

export function openSqliteFloor(file: string): FloorStore {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
  // The same settings as Nounkit: a page cache of 4 MB, the file memory-mapped, a checkpoint at 16 MB of write-ahead log.
  db.exec('PRAGMA cache_size = -4000; PRAGMA mmap_size = 2147418112; PRAGMA wal_autocheckpoint = 4000')
  db.exec(createKeyTable)
  db.exec(createEventTable.SQLite)
  const prepare = (sql: string) => {
    const statement = db.prepare(sql)
    statement.setReturnArrays(true)
    return statement
  }
  const prepared = new Map(Object.entries(reads).map(([name, sql]) => [name, prepare(sql)]))
  const caller = prepare(`${findCaller} ?`)
  const known = prepare('SELECT fingerprint, answer FROM bench_keys WHERE account_id = ? AND key = ?')
  const keep = db.prepare('INSERT INTO bench_keys (account_id, key, fingerprint, answer) VALUES (?, ?, ?, ?)')
  const insert = prepare(
    `INSERT INTO orders AS o (account_id, id, customer_id, currency, note, status, total, version, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, 'draft', 0, 1, ?6, ?6) RETURNING json_object('data', json_object(${own.replaceAll('o.', '')})), id`,
  )
  const tell = db.prepare(
    `INSERT INTO bench_events ${eventNames} VALUES (?, ?, 'created', 'orders', ?, 'v2', ?, ?)`,
  )
  // Not `get`, after which SQLite never checkpoints: its log would grow for as long as the server runs.
  const inserted = (values: readonly (string | null)[]) => insert.all(...values)[0] as unknown as Answer
  return {
    caller: (hash) => caller.get(hash) as string[] | undefined,
    read: (name, values) => prepared.get(name)?.get(...values) as unknown as Answer,
    create(values, keyed) {
      const account = values[0] ?? ''
      const before = keyed && (known.get(account, keyed.key) as string[] | undefined)
      if (before) return [before[1] ?? '', '']
      db.exec('BEGIN IMMEDIATE')
      const answer = inserted(values)
      tell.run(randomUUIDv7(), account, answer[1], Date.now(), answer[0])
      if (keyed) keep.run(account, keyed.key, keyed.fingerprint, answer[0])
      db.exec('COMMIT')
      return answer
    },
  }
}
