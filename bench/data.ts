import { hash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import shop from '../examples/shop/api.ts'
import { systemClock } from '../src/clock.ts'
import { KeyRing } from '../src/guard/key-ring.ts'
import { openService } from '../src/serve/service.ts'

export interface Size {
  readonly customers: number
  readonly products: number
  readonly orders: number
  readonly itemsPerOrder: number
}

export const standard: Size = { customers: 1_000, products: 200, orders: 100_000, itemsPerOrder: 3 }

export const account = 'bench'
const folder = join(tmpdir(), 'nounkit-bench')

/** Rows of one table, column by column, in an order that satisfies foreign keys. */
export interface Table {
  readonly name: string
  readonly columns: readonly string[]
  rows(): Iterable<readonly (string | number)[]>
}

/** The same data for every store: ids grow with time, as real ones do. */
export function tables({ customers, products, orders, itemsPerOrder }: Size): readonly Table[] {
  const start = Date.UTC(2026, 0, 1)
  const idAt = (kind: number, index: number) => {
    const time = (start + index * 10).toString(16).padStart(12, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7${kind.toString(16).padStart(3, '0')}-8000-${index.toString(16).padStart(12, '0')}`
  }
  const at = (index: number) => new Date(start + index * 10).toISOString()
  return [
    {
      name: 'products',
      columns: ['id', 'sku', 'title', 'price', 'currency', 'active', 'version', 'created_at', 'updated_at'],
      *rows() {
        for (let i = 0; i < products; i++)
          yield [idAt(1, i), `SKU-${i}`, `Product number ${i}`, 100 + i, 'EUR', 1, 1, at(i), at(i)]
      },
    },
    {
      name: 'customers',
      columns: ['account_id', 'id', 'name', 'email', 'version', 'created_at', 'updated_at'],
      *rows() {
        for (let i = 0; i < customers; i++)
          yield [account, idAt(2, i), `Customer ${i}`, `customer-${i}@example.com`, 1, at(i), at(i)]
      },
    },
    {
      name: 'orders',
      columns: [
        'account_id',
        'id',
        'customer_id',
        'currency',
        'note',
        'status',
        'total',
        'version',
        'created_at',
        'updated_at',
      ],
      *rows() {
        for (let i = 0; i < orders; i++) {
          yield [
            account,
            idAt(3, i),
            idAt(2, (i * 7) % customers),
            'EUR',
            `Note of order ${i}`,
            i % 3 ? 'placed' : 'draft',
            300,
            1,
            at(i),
            at(i),
          ]
        }
      },
    },
    {
      name: 'order_items',
      columns: [
        'account_id',
        'id',
        'order_id',
        'product_id',
        'quantity',
        'unit_price',
        'version',
        'created_at',
        'updated_at',
      ],
      *rows() {
        for (let i = 0; i < orders * itemsPerOrder; i++) {
          yield [
            account,
            idAt(4, i),
            idAt(3, Math.floor(i / itemsPerOrder)),
            idAt(1, (i * 13) % products),
            1 + (i % 5),
            100,
            1,
            at(i),
            at(i),
          ]
        }
      },
    },
  ]
}

export interface Prepared {
  readonly url: string
  readonly key: string
}

const prepare = async (url: string, fill: () => Promise<void>): Promise<Prepared> => {
  const { seed: _, ...declaration } = shop
  const service = await openService({ declaration, databaseUrl: url, rate: 'off' })
  try {
    const row = await service.store.first('SELECT count(*) FROM "orders"', [])
    if (Number(row?.[0]) === 0) await fill()
    const ring = new KeyRing(service.store, systemClock)
    const { secret } = await ring.replace({ account, name: 'bench', scopes: ['*'], kind: 'internal' })
    return { url, key: secret }
  } finally {
    await service.close()
  }
}

/** A SQLite file with the data, made once per size and schema; each contender gets a copy, because writes change it. */
export async function sqliteData(size: Size, contender: string): Promise<Prepared> {
  mkdirSync(folder, { recursive: true })
  const own = join(folder, `${contender}-orders-${size.orders}-${size.itemsPerOrder}.db`)
  removeDatabase(own)
  const prepared = await prepare(`sqlite:${own}`, async () => {})
  const master = join(folder, `orders-${size.orders}-${size.itemsPerOrder}-${schemaMark(own)}.db`)
  if (!existsSync(`${master}.done`)) {
    removeDatabase(master)
    await prepare(`sqlite:${master}`, async () => fillSqlite(master, size))
    writeFileSync(`${master}.done`, '')
  }
  removeDatabase(own)
  copyFileSync(master, own)
  return prepare(prepared.url, async () => {})
}

export function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}

/** Tables that an older build made are not those that are to be measured. */
function schemaMark(path: string): string {
  const db = new DatabaseSync(path)
  const schema = db.prepare('SELECT "sql" FROM sqlite_schema ORDER BY "name"').all()
  db.close()
  return hash('sha256', JSON.stringify(schema)).slice(0, 8)
}

function fillSqlite(path: string, size: Size): void {
  const db = new DatabaseSync(path)
  db.exec('PRAGMA synchronous = OFF')
  for (const table of tables(size)) {
    const names = table.columns.map((column) => `"${column}"`).join(', ')
    const insert = db.prepare(
      `INSERT INTO "${table.name}" (${names}) VALUES (${table.columns.map(() => '?').join(', ')})`,
    )
    db.exec('BEGIN')
    for (const row of table.rows()) insert.run(...row)
    db.exec('COMMIT')
  }
  db.exec('ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

/** One PostgreSQL database for all contenders: the server is theirs in turn. */
export async function postgresData(size: Size, url: string): Promise<Prepared> {
  return prepare(url, async () => {
    const { default: postgres } = await import('postgres')
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    for (const table of tables(size)) {
      const names = table.columns.map((column) => `"${column}"`).join(', ')
      const writable = await sql.unsafe(`COPY "${table.name}" (${names}) FROM STDIN`).writable()
      let chunk = ''
      for (const row of table.rows()) {
        chunk += `${row.map((value, at) => (table.columns[at] === 'active' ? Boolean(value) : value)).join('\t')}\n`
        if (chunk.length > 100_000) {
          if (!writable.write(chunk)) await new Promise((resolve) => writable.once('drain', resolve))
          chunk = ''
        }
      }
      await new Promise<void>((resolve, reject) => {
        writable.once('error', reject)
        writable.once('finish', () => resolve())
        writable.end(chunk)
      })
    }
    await sql.unsafe('ANALYZE')
    await sql.end()
  })
}

/** Ids for random access, evenly spread. */
export const sampleIds = (size: Size, count = 2_000): readonly string[] => {
  const orders = tables(size)[2]
  if (!orders) throw new Error('there are no orders')
  const every = Math.max(1, Math.floor(size.orders / count))
  const ids: string[] = []
  let index = 0
  for (const row of orders.rows()) if (index++ % every === 0) ids.push(String(row[1]))
  return ids
}

export const customerIds = (size: Size): readonly string[] =>
  [...(tables(size)[1]?.rows() ?? [])].map((row) => String(row[1]))
