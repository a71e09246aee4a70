import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from './answers.ts'
import { type Contender, startContender } from './contender.ts'
import { customerIds, removeDatabase, type Size, sampleIds, sqliteData, standard } from './data.ts'
import { runHeat } from './heat.ts'
import type { Sample } from './load.ts'
import { processors } from './processors.ts'
import { median } from './report.ts'
import type { Workload } from './workloads.ts'

interface Variant {
  readonly label: string
  start(): Promise<{ readonly contender: Contender; readonly sample: Sample }>
}

/** One call against several sizes of the same thing; the first is what the others are compared with. */
interface Comparison {
  readonly what: string
  readonly path: string
  readonly variants: readonly Variant[]
}

export interface GrowthLine {
  readonly what: string
  readonly size: string
  readonly perSecond: number
  readonly toFirst: number
}

/** Several workers are not kept to one processor. */
const ofSize = (label: string, size: Size, workers: number | null = null): Variant => ({
  label,
  async start() {
    const { url, key } = await sqliteData(size, `growth-${label.replaceAll(/\W/g, '')}`)
    const kind =
      workers === null
        ? { script: 'nounkit.ts', processor: processors.server }
        : { script: 'workers.ts', more: String(workers), processor: null }
    const contender = await startContender({ name: label, database: url, key, ...kind })
    return { contender, sample: { ids: sampleIds(size, 1_000), customers: customerIds(size), cursors: {} } }
  },
})

const ofResources = (count: number): Variant => ({
  label: `${count} resources`,
  async start() {
    const file = join(tmpdir(), 'nounkit-bench', `many-${count}.db`)
    removeDatabase(file)
    const contender = await startContender({
      name: `${count} resources`,
      script: 'many.ts',
      database: `sqlite:${file}`,
      key: '',
      more: String(count),
      processor: processors.server,
    })
    const body = JSON.stringify({ name: 'one', size: 1, colour: 'red' })
    const response = await call(contender, '/kind-0-things', { method: 'POST', body })
    const { data } = (await response.json()) as { data: { id: string } }
    return { contender, sample: { ids: [data.id], customers: [], cursors: {} } }
  },
})

const rows = [1_000, 10_000, 100_000, 1_000_000].map((orders) =>
  ofSize(`${orders.toLocaleString('en')} orders`, { ...standard, orders, itemsPerOrder: 1 }),
)
const children = [1, 10, 50].map((itemsPerOrder) =>
  ofSize(`${itemsPerOrder} items`, { ...standard, orders: 2_000, itemsPerOrder }),
)
const small = { ...standard, orders: 10_000, itemsPerOrder: 1 }
const workers = [1, 4].map((count) => ofSize(`${count} workers`, small, count))

const comparisons: readonly Comparison[] = [
  { what: 'one order', path: '/orders/{id}', variants: rows },
  { what: 'first page', path: '/orders?limit=25', variants: rows },
  { what: 'one order with items', path: '/orders/{id}?include=items', variants: children },
  { what: 'one row', path: '/kind-0-things/{id}', variants: [10, 100].map(ofResources) },
  { what: 'first page', path: '/orders?limit=25', variants: workers },
]

/** The same calls on more rows, children, resources and processes, in turns, so that a noisy machine hits all alike. */
export async function growth(rounds: number, seconds: number): Promise<readonly GrowthLine[]> {
  const lines: GrowthLine[] = []
  for (const { what, path, variants } of comparisons) {
    const workload: Workload = { name: what, method: 'GET', path, writes: false }
    const started = await Promise.all(variants.map((variant) => variant.start()))
    const turns: number[][] = variants.map(() => [])
    try {
      for (let round = 0; round <= rounds; round++) {
        const lanes = started.map((one) => ({ ...one, workload }))
        const heat = await runHeat(lanes, seconds)
        // The first round warms up.
        if (round > 0) for (const [at, { perSecond }] of heat.entries()) turns[at]?.push(perSecond)
      }
    } finally {
      for (const { contender } of started) contender.process.kill('SIGTERM')
    }
    variants.forEach(({ label }, at) => {
      const mine = turns[at] ?? []
      const ratios = mine.map((perSecond, round) => perSecond / (turns[0]?.[round] ?? 1))
      lines.push({ what, size: label, perSecond: median(mine), toFirst: median(ratios) })
    })
  }
  return lines
}

export const growthTable = (lines: readonly GrowthLine[]): string =>
  [
    '| call | with | requests/s | : first |',
    '|---|---|--:|--:|',
    ...lines.map(({ what, size, perSecond, toFirst }) => {
      const shown = Math.round(perSecond).toLocaleString('en')
      return `| ${what} | ${size} | ${shown} | ${toFirst.toFixed(2)} |`
    }),
  ].join('\n')
