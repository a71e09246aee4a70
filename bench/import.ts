import { execFileSync } from 'node:child_process'
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { finished } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'

/**
 * How fast `nounkit import` is: `node bench/import.ts [rows]` imports orders of the shop into a new SQLite store, with their events. Beside
 * it the same rows are inserted by hand, so that the ratio does not depend on the machine. Both are processes that have just been
 * started, as users start them, and their start counts.
 */
const rows = Number(process.argv[2] ?? 100_000)
const turns = 5
const batch = 1_000
const customers = Math.ceil(rows / 20)

const uuid = (kind: number, at: number): string =>
  `01900000-0000-7000-8${kind}00-${at.toString(16).padStart(12, '0')}`

async function writeLines(
  folder: string,
  name: string,
  count: number,
  row: (at: number) => object,
): Promise<string> {
  const path = join(folder, `${name}.jsonl`)
  const stream = createWriteStream(path)
  for (let at = 0; at < count; at++)
    if (!stream.write(`${JSON.stringify(row(at))}\n`))
      await new Promise((resolve) => stream.once('drain', resolve))
  stream.end()
  await finished(stream)
  return path
}

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

/** The seconds that a process takes. */
function secondsOf(file: string, args: readonly string[], store: string): number {
  const begin = performance.now()
  execFileSync(file, args, { env: { ...process.env, DATABASE_URL: `sqlite:${store}` }, cwd: checkout })
  return (performance.now() - begin) / 1_000
}

const checkout = fileURLToPath(new URL('..', import.meta.url))

const importInto = (store: string, path: string, resource: string): number =>
  secondsOf(
    'bin/nounkit',
    ['import', 'examples/shop', path, '--resource', resource, '--account', 'acme'],
    store,
  )

/** A store that has the customers. */
function newStore(folder: string, name: string, people: string): string {
  const file = join(folder, `${name}.db`)
  secondsOf('bin/nounkit', ['migrate', 'examples/shop'], file)
  importInto(file, people, 'customers')
  return file
}

const middle = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[turns >> 1] ?? 0

async function measure(folder: string): Promise<void> {
  const people = await writeLines(folder, 'customers', customers, (at) => ({
    id: uuid(1, at),
    name: `Customer ${at}`,
    email: `customer-${at}@example.com`,
  }))
  const orders = await writeLines(folder, 'orders', rows, (at) => ({
    id: uuid(2, at),
    customer_id: uuid(1, at % customers),
    currency: at % 3 === 0 ? 'USD' : 'EUR',
    note: `Please leave parcel ${at} at the door.`,
    status: ['draft', 'placed', 'paid', 'shipped'][at % 4],
    created_at: new Date(Date.UTC(2026, 0, 1) + at * 1_000).toISOString(),
  }))
  const [imports, byHand]: [number[], number[]] = [[], []]
  for (let turn = 0; turn < turns; turn++) {
    imports.push(importInto(newStore(folder, `imported-${turn}`, people), orders, 'orders'))
    const store = newStore(folder, `by-hand-${turn}`, people)
    byHand.push(
      secondsOf(process.execPath, [fileURLToPath(import.meta.url), 'by-hand', orders, store], store),
    )
  }
  const perSecond = (seconds: number): string => Math.round(rows / seconds).toLocaleString('en')
  const show = (name: string, all: readonly number[]): void =>
    console.log(`${name}: ${perSecond(middle(all))} rows a second (${all.map(perSecond).join('; ')})`)
  show('nounkit import', imports)
  show('by hand', byHand)
  console.log(`nounkit import : by hand ${(middle(byHand) / middle(imports)).toFixed(2)}`)
}

const [, , task, path = '', store = ''] = process.argv
if (task === 'by-hand') insertByHand(path, store)
else {
  const folder = mkdtempSync(join(tmpdir(), 'nounkit-bench-import-'))
  try {
    await measure(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
