import { type Contender, startContender } from './contender.ts'
import { type Size, sampleCustomer, sampleIds, sqliteData, standard } from './data.ts'
import { load } from './load.ts'
import type { Workload } from './workloads.ts'

interface GrowthLine {
  readonly what: string
  readonly size: string
  readonly perSecond: number
}

const one: Workload = { name: 'one order', method: 'GET', path: '/orders/{id}', writes: false }
const page: Workload = { name: 'first page', method: 'GET', path: '/orders?limit=25', writes: false }
const children: Workload = {
  name: 'one order with items',
  method: 'GET',
  path: '/orders/{id}?include=items',
  writes: false,
}

const sizes: readonly {
  readonly size: Size
  readonly label: string
  readonly workloads: readonly Workload[]
}[] = [
  ...[1_000, 10_000, 100_000, 1_000_000].map((orders) => ({
    size: { ...standard, orders, itemsPerOrder: orders === standard.orders ? standard.itemsPerOrder : 1 },
    label: `${orders.toLocaleString('en')} orders`,
    workloads: [one, page],
  })),
  ...[1, 10, 50].map((itemsPerOrder) => ({
    size: { ...standard, orders: 2_000, itemsPerOrder },
    label: `${itemsPerOrder} items`,
    workloads: [children],
  })),
]

/** The same calls on more rows, and on more children: what an index and a bounded statement promise. */
export async function growth(
  seconds: number,
): Promise<{ readonly lines: readonly GrowthLine[]; readonly table: string }> {
  const lines: GrowthLine[] = []
  for (const { size, label, workloads } of sizes) {
    const { url, key } = await sqliteData(size, 'growth')
    const contender: Contender = await startContender('nounkit v2', 'nounkit.ts', url, key)
    const sample = { ids: sampleIds(size, 1_000), customer: sampleCustomer(size), cursors: {} }
    try {
      for (const workload of workloads) {
        await load(contender, workload, sample, 1)
        const { perSecond } = await load(contender, workload, sample, seconds)
        lines.push({ what: workload.name, size: label, perSecond })
      }
    } finally {
      contender.process.kill('SIGTERM')
    }
  }
  const rows = lines.map(
    (line) => `| ${line.what} | ${line.size} | ${Math.round(line.perSecond).toLocaleString('en')} |`,
  )
  return { lines, table: ['| call | on | requests/s |', '|---|---|--:|', ...rows].join('\n') }
}
