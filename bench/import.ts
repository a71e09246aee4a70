import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { finished } from 'node:stream/promises'
import { importCommand } from '../src/cli/import-command.ts'

/**
 * How fast `nounkit import` is: `node --conditions=nounkit-source bench/import.ts [rows]` imports orders of the shop into a new SQLite
 * store, with their events. Beside it the same rows are inserted by hand, so that the ratio does not depend on the machine.
 */
const rows = Number(process.argv[2] ?? 100_000)
const turns = 3
const batch = 1_000
const customers = Math.ceil(rows / 20)
const folder = mkdtempSync(join(tmpdir(), 'nounkit-bench-import-'))

const uuid = (kind: number, at: number): string =>
  `01900000-0000-7000-8${kind}00-${at.toString(16).padStart(12, '0')}`

async function writeLines(name: string, count: number, row: (at: number) => object): Promise<string> {
  const path = join(folder, `${name}.jsonl`)
  const stream = createWriteStream(path)
  for (let at = 0; at < count; at++)
    if (!stream.write(`${JSON.stringify(row(at))}\n`))
      await new Promise((resolve) => stream.once('drain', resolve))
  stream.end()
  await finished(stream)
  return path
}

/** A store that has the customers. */
async function newStore(name: string, people: string): Promise<string> {
  const file = join(folder, `${name}.db`)
  writeFileSync(file, '')
  process.env.DATABASE_URL = `sqlite:${file}`
  await importInto(people, 'customers')
  return file
}

const importInto = (path: string, resource: string): Promise<number> =>
  importCommand(['examples/shop', path, '--resource', resource, '--account', 'acme'])

/** Parses each line and inserts its row and its event into the tables and indexes that Nounkit made. Checks nothing. */
function insertByHand(path: string, file: string): void {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA synchronous = FULL; PRAGMA cache_size = -4000; PRAGMA mmap_size = 2147418112')
  db.exec('PRAGMA wal_autocheckpoint = 4000; PRAGMA temp_store = MEMORY')
  const insert = db.prepare(
    "INSERT INTO orders (account_id, id, customer_id, currency, note, status, total, created_at, updated_at) VALUES ('acme', ?, ?, ?, ?, ?, 0, ?, ?)",
  )
  const tell = db.prepare(
    "INSERT INTO nounkit_events (account_id, position, id, kind, resource, row_id, version, created_at, data) VALUES ('acme', ?, ?, 'created', 'orders', ?, 'v2', ?, ?)",
  )
  const now = Date.now()
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  for (const [at, line] of lines.entries()) {
    if (at % batch === 0) db.exec(at === 0 ? 'BEGIN IMMEDIATE' : 'COMMIT; BEGIN IMMEDIATE')
    const { id, customer_id, currency, note, status, created_at } = JSON.parse(line)
    insert.run(id, customer_id, currency, note, status, created_at, created_at)
    const data = { id, customer_id, currency, note, status, total: 0, created_at, updated_at: created_at }
    tell.run((now + 60_000) * 1_000 + at, uuid(3, at), id, now, JSON.stringify(data))
  }
  db.exec('COMMIT')
  db.close()
}

interface Measured {
  readonly seconds: number
  readonly cpuSeconds: number
}

async function measure(name: string, work: () => unknown): Promise<Measured> {
  const before = process.cpuUsage()
  const begin = performance.now()
  await work()
  const seconds = (performance.now() - begin) / 1_000
  const { user, system } = process.cpuUsage(before)
  const cpuSeconds = (user + system) / 1e6
  const perSecond = (time: number): string => Math.round(rows / time).toLocaleString('en')
  console.log(`${name}: ${perSecond(seconds)} rows a second, ${perSecond(cpuSeconds)} a second of CPU time`)
  return { seconds, cpuSeconds }
}

const least = (all: readonly Measured[], time: keyof Measured): number =>
  Math.min(...all.map((one) => one[time]))

try {
  const people = await writeLines('customers', customers, (at) => ({
    id: uuid(1, at),
    name: `Customer ${at}`,
    email: `customer-${at}@example.com`,
  }))
  const orders = await writeLines('orders', rows, (at) => ({
    id: uuid(2, at),
    customer_id: uuid(1, at % customers),
    currency: at % 3 === 0 ? 'USD' : 'EUR',
    note: `Please leave parcel ${at} at the door.`,
    status: ['draft', 'placed', 'paid', 'shipped'][at % 4],
    created_at: new Date(Date.UTC(2026, 0, 1) + at * 1_000).toISOString(),
  }))
  const [imports, byHand]: [Measured[], Measured[]] = [[], []]
  for (let turn = 0; turn < turns; turn++) {
    await newStore(`imported-${turn}`, people)
    imports.push(await measure('nounkit import', () => importInto(orders, 'orders')))
    const file = await newStore(`by-hand-${turn}`, people)
    byHand.push(await measure('by hand', () => insertByHand(orders, file)))
  }
  const ratio = (time: keyof Measured): string => (least(byHand, time) / least(imports, time)).toFixed(2)
  console.log(`nounkit import : by hand ${ratio('seconds')}, by CPU time ${ratio('cpuSeconds')}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
