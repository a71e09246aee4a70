import type { Turn } from './heat.ts'
import type { Latency } from './load.ts'

export interface Line {
  readonly workload: string
  readonly contender: string
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuMicros: number
  readonly memoryMb: number
  readonly toFloor: number | null
  readonly toFastify: number | null
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

export const laneName = (workload: string, contender: string): string => `${workload}\0${contender}`

/** Ratios are taken round by round, so that a slow moment of the machine hits both sides, and then the median. */
export function summarise(turns: readonly Turn[], latencies: ReadonlyMap<string, Latency>): readonly Line[] {
  const keys = [...new Set(turns.map((turn) => laneName(turn.workload, turn.contender)))]
  const of = (workload: string, contender: string) =>
    turns.filter((turn) => turn.workload === workload && turn.contender === contender)
  const ratio = (mine: readonly Turn[], theirs: readonly Turn[]): number | null =>
    theirs.length === 0 || mine === theirs
      ? null
      : median(mine.map((turn, at) => turn.perSecond / (theirs[at]?.perSecond ?? 1)))
  return keys.map((key) => {
    const [workload = '', contender = ''] = key.split('\0')
    const mine = of(workload, contender)
    const isOurs = contender.startsWith('nounkit')
    return {
      workload,
      contender,
      perSecond: median(mine.map((turn) => turn.perSecond)),
      p50Ms: latencies.get(key)?.p50Ms ?? 0,
      p99Ms: latencies.get(key)?.p99Ms ?? 0,
      cpuMicros: median(mine.map((turn) => turn.cpuMicros)),
      memoryMb: median(mine.map((turn) => turn.memoryMb)),
      toFloor: isOurs ? ratio(mine, of(workload, 'floor')) : null,
      toFastify: isOurs ? ratio(mine, of(workload, 'fastify')) : null,
    }
  })
}

/** What is held against another workload or version of Nounkit itself: the newer or plainer one is the measure. */
export interface Within {
  readonly what: string
  readonly ratio: number
}

export function within(turns: readonly Turn[]): readonly Within[] {
  const of = (workload: string, contender: string) =>
    turns.filter((turn) => turn.workload === workload && turn.contender === contender)
  const ratio = (what: string, mine: readonly Turn[], theirs: readonly Turn[]): Within[] =>
    mine.length === 0 || theirs.length === 0
      ? []
      : [{ what, ratio: median(mine.map((turn, at) => turn.perSecond / (theirs[at]?.perSecond ?? 1))) }]
  const reads = [...new Set(turns.map(({ workload }) => workload))].filter((name) =>
    /^(one|list|deep|not)/.test(name),
  )
  const keyed = ['keyed create', 'keyed create, keys by time']
  return [
    ...keyed.flatMap((name) => ratio(`${name} : create`, of(name, 'nounkit v2'), of('create', 'nounkit v2'))),
    ...ratio(
      'deep page : first page',
      of('deep page, row 90,000', 'nounkit v2'),
      of('list of 25', 'nounkit v2'),
    ),
    ...reads.flatMap((name) => ratio(`v1 : v2, ${name}`, of(name, 'nounkit v1'), of(name, 'nounkit v2'))),
  ]
}

export const withinTable = (all: readonly Within[]): string =>
  [
    '| within nounkit | ratio |',
    '|---|--:|',
    ...all.map(({ what, ratio }) => `| ${what} | ${ratio.toFixed(2)} |`),
  ].join('\n')

export function tableOf(lines: readonly Line[]): string {
  const number = (value: number, digits = 0) =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  const times = (value: number | null) => (value === null ? '' : value.toFixed(2))
  const head =
    '| workload | contender | requests/s | p50 ms | p99 ms | CPU µs | MB | : floor | : Fastify |\n|---|---|--:|--:|--:|--:|--:|--:|--:|'
  const rows = lines.map(
    (line) =>
      `| ${line.workload} | ${line.contender} | ${number(line.perSecond)} | ${number(line.p50Ms, 2)} | ${number(line.p99Ms, 2)} | ${number(line.cpuMicros)} | ${number(line.memoryMb)} | ${times(line.toFloor)} | ${times(line.toFastify)} |`,
  )
  return [head, ...rows].join('\n')
}

const colours: { readonly [contender: string]: string } = {
  floor: '#9aa4b2',
  fastify: '#d97706',
  'nounkit v2': '#2563eb',
  'nounkit v1': '#7c3aed',
}

/** A bar per contender and workload, as SVG that reads on light and dark pages. */
export function chartOf(lines: readonly Line[], title: string): string {
  const workloads = [...new Set(lines.map((line) => line.workload))]
  const most = Math.max(...lines.map((line) => line.perSecond))
  let y = 48
  let body = ''
  for (const workload of workloads) {
    body += `<text x="16" y="${y + 12}" font-weight="600">${workload}</text>`
    y += 20
    for (const line of lines.filter((one) => one.workload === workload)) {
      const width = Math.max(2, (line.perSecond / most) * 420)
      body += `<rect x="130" y="${y}" width="${width.toFixed(1)}" height="12" rx="2" fill="${colours[line.contender] ?? '#888'}"/><text x="122" y="${y + 10}" text-anchor="end">${line.contender}</text><text x="${(138 + width).toFixed(1)}" y="${y + 10}">${Math.round(line.perSecond).toLocaleString('en')}</text>`
      y += 16
    }
    y += 10
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 ${y}" role="img" aria-label="${title}" font-family="system-ui, sans-serif" font-size="11"><style>text{fill:#1f2937}@media (prefers-color-scheme: dark){text{fill:#e5e7eb}}</style><text x="16" y="24" font-size="14" font-weight="700">${title}, requests per second</text>${body}</svg>\n`
}
