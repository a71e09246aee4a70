import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { importCommand } from '../src/cli/import-command.ts'

/**
 * How fast `nounkit import` is: `node --conditions=nounkit-source bench/import.ts [rows]` imports orders of the shop into a new SQLite store,
 * with their events. Where other programs use the machine too, the CPU time counts.
 */
const rows = Number(process.argv[2] ?? 100_000)
const customers = Math.ceil(rows / 20)
const folder = mkdtempSync(join(tmpdir(), 'nounkit-bench-import-'))
process.env.DATABASE_URL = `sqlite:${join(folder, 'shop.db')}`

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

async function measure(path: string, resource: string, count: number): Promise<void> {
  const before = process.cpuUsage()
  const begin = performance.now()
  await importCommand([
    'examples/shop',
    path,
    '--resource',
    resource,
    '--account',
    'acme',
    ...process.argv.slice(3),
  ])
  const seconds = (performance.now() - begin) / 1_000
  const { user, system } = process.cpuUsage(before)
  const cpu = (user + system) / 1e6
  const perSecond = (time: number): string => Math.round(count / time).toLocaleString('en')
  console.log(
    `${resource}: ${perSecond(seconds)} rows a second, ${perSecond(cpu)} a second of CPU time (${seconds.toFixed(1)} s, ${cpu.toFixed(1)} s)`,
  )
}

try {
  writeFileSync(join(folder, 'shop.db'), '')
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
  await measure(people, 'customers', customers)
  await measure(orders, 'orders', rows)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
