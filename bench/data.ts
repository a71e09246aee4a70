import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import postgres from 'postgres'

export interface Size {
  readonly customers: number
  readonly products: number
  readonly orders: number
  readonly itemsPerOrder: number
}

export const standard: Size = { customers: 1_000, products: 200, orders: 100_000, itemsPerOrder: 3 }

export const account = 'bench'
const kept = join(tmpdir(), 'nounkit-bench')

/** Rows of one table, column by column, in an order that satisfies foreign keys. */
export interface Table {
  readonly name: string
  readonly columns: readonly string[]
  readonly rows: () => Iterable<readonly (string | number)[]>
}

const unitPrice = 100
const quantityOf = (item: number): number => 1 + (item % 5)

/** What the items of an order add up to, as Nounkit keeps it. */
const totalOf = (order: number, itemsPerOrder: number): number => {
  let total = 0
  for (let item = 0; item < itemsPerOrder; item++)
    total += quantityOf(order * itemsPerOrder + item) * unitPrice
  return total
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
            totalOf(i, itemsPerOrder),
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
            quantityOf(i),
            unitPrice,
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

const run = promisify(execFile)
export const program = new URL('../bin/nounkit.js', import.meta.url).pathname
export const shop = new URL('../examples/shop', import.meta.url).pathname
export const ruledShop = new URL('ruled-shop', import.meta.url).pathname

/** Makes the tables as users do. Nothing is seeded. */
const migrate = (url: string) =>
  run(program, ['migrate', shop], { env: { ...process.env, DATABASE_URL: url } })

async function withKey(url: string, name = 'bench', more: readonly string[] = []): Promise<Prepared> {
  const words = ['keys', 'create', shop, '--account', account, '--name', name, '--kind', 'internal', ...more]
  const { stdout } = await run(program, words, { env: { ...process.env, DATABASE_URL: url } })
  return { url, key: stdout.trim().split(/\s/).at(-1) ?? '' }
}

/**
 * A SQLite file with the data, below `folder`. The rows are made once per size and schema and kept for later runs; each contender
 * gets a copy, because writes change it.
 */
export async function sqliteData(size: Size, folder: string, contender: string): Promise<Prepared> {
  const own = join(folder, `${contender}.db`)
  await migrate(`sqlite:${own}`)
  mkdirSync(kept, { recursive: true })
  const filled = join(kept, `summed-${size.orders}-${size.itemsPerOrder}-${schemaMark(own)}.db`)
  if (!existsSync(filled)) {
    // Renamed when it is complete: another run may be doing the same.
    const partial = `${filled}-${process.pid}`
    copyFileSync(own, partial)
    fillSqlite(partial, size)
    renameSync(partial, filled)
  }
  copyFileSync(filled, own)
  return withKey(`sqlite:${own}`)
}

/** The same data, with the key of a caller who sees only the orders of the first customer where there is a rule. */
export const withCustomerKey = ({ url }: Prepared, size: Size): Promise<Prepared> =>
  withKey(url, 'customer', ['--claim', `customer_id=${customerIds(size)[0]}`])

/** A file of an older build may have other tables than those to be measured. */
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

/** One PostgreSQL database, which all contenders use one after the other. */
export async function postgresData(size: Size, url: string): Promise<Prepared> {
  await migrate(url)
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  for (const table of tables(size)) {
    const names = table.columns.map((column) => `"${column}"`).join(', ')
    const into = await sql.unsafe(`COPY "${table.name}" (${names}) FROM STDIN`).writable()
    await pipeline(Readable.from(copyText(table)), into)
  }
  await sql.unsafe('ANALYZE')
  await sql.end()
  return withKey(url)
}

/** Rows as COPY reads them, some hundred at a time. */
function* copyText({ columns, rows }: Table): Iterable<string> {
  let chunk = ''
  for (const row of rows()) {
    chunk += `${row.map((value, at) => (columns[at] === 'active' ? Boolean(value) : value)).join('\t')}\n`
    if (chunk.length > 100_000) {
      yield chunk
      chunk = ''
    }
  }
  yield chunk
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

/** The orders of the first customer. */
export const ownIds = (size: Size): readonly string[] => {
  const [customer] = customerIds(size)
  const ids: string[] = []
  for (const row of tables(size)[2]?.rows() ?? []) if (row[2] === customer) ids.push(String(row[1]))
  return ids
}

export const customerIds = (size: Size): readonly string[] =>
  [...(tables(size)[1]?.rows() ?? [])].map((row) => String(row[1]))
