import { type Aim, latencies, paces } from './aims.ts'
import type { EventsRow } from './events/measure.ts'
import type { Measured } from './load.ts'
import type { Store } from './stores.ts'
import type { Result } from './turns.ts'

/** The median of many figures, and their quartiles, between which half of them lie. */
export interface Spread {
  readonly median: number
  readonly lower: number
  readonly upper: number
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => {
    const place = (sorted.length - 1) * share
    const below = sorted[Math.floor(place)] ?? 0
    const above = sorted[Math.ceil(place)] ?? 0
    return below + (above - below) * (place % 1)
  }
  return { median: at(0.5), lower: at(0.25), upper: at(0.75) }
}

const median = (values: readonly number[]): number => spreadOf(values).median

/** Divided turn by turn, so that a slow moment of the host hits both sides. */
const ratios = (mine: Result, theirs: Result, figure: keyof Measured): Spread =>
  spreadOf(mine.turns.map((turn, at) => turn[figure] / (theirs.turns[at]?.[figure] ?? Number.NaN)))

const find = (results: readonly Result[], workload: string, contender: string): Result | undefined =>
  results.find((result) => result.workload === workload && result.contender === contender)

export interface Line extends Measured {
  readonly workload: string
  readonly contender: string
  readonly leastCpuMicros: number
  /** The share of one processor that the server had. Where it is far below 100 %, the host limits the rate, and only CPU time can be compared. */
  readonly busyPercent: number
  readonly toFloor: Spread | null
  readonly toFastify: Spread | null
}

export function linesOf(results: readonly Result[]): readonly Line[] {
  return results.map((result) => {
    const { workload, contender, turns } = result
    const of = (figure: keyof Measured) => turns.map((turn) => turn[figure])
    const to = (name: string) => {
      const theirs = contender === name ? undefined : find(results, workload, name)
      return theirs ? ratios(result, theirs, 'perSecond') : null
    }
    return {
      workload,
      contender,
      perSecond: median(of('perSecond')),
      p50Ms: median(of('p50Ms')),
      p99Ms: median(of('p99Ms')),
      cpuMicros: median(of('cpuMicros')),
      leastCpuMicros: Math.min(...of('cpuMicros')),
      busyPercent: median(turns.map((turn) => (turn.cpuMicros * turn.perSecond) / 10_000)),
      memoryMb: median(of('memoryMb')),
      loadMicros: median(of('loadMicros')),
      toFloor: to('floor'),
      toFastify: contender === 'floor' ? null : to('fastify'),
    }
  })
}

export interface Judged {
  readonly what: string
  readonly ratio: Spread
  /** The same ratio of the least CPU time a request took: the host's other work disturbs it least. */
  readonly byLeastCpu: number | null
  readonly aim: number | null
  readonly atMost: boolean
  readonly met: boolean | null
}

/** The ratios of which this run has measured both sides. An aim is met by the median. */
export const judge = (store: Store, results: readonly Result[]): readonly Judged[] => [
  ...paces.flatMap((aim) => judgeOne(aim, store, results, 'perSecond')),
  ...latencies.flatMap((aim) => judgeOne(aim, store, results, 'p99Ms')),
]

function judgeOne(
  [what, mine, theirs, onSqlite, onPostgres]: Aim,
  store: Store,
  results: readonly Result[],
  figure: 'perSecond' | 'p99Ms',
): readonly Judged[] {
  const ours = find(results, mine.workload, mine.contender)
  const other = find(results, theirs.workload, theirs.contender)
  if (!ours || !other) return []
  const aim = store === 'SQLite' ? onSqlite : onPostgres
  const ratio = ratios(ours, other, figure)
  const atMost = figure === 'p99Ms'
  const least = ({ turns }: Result) => Math.min(...turns.map(({ cpuMicros }) => cpuMicros))
  const byLeastCpu = atMost ? null : least(other) / least(ours)
  const met = aim === null ? null : atMost ? ratio.median <= aim : ratio.median >= aim
  return [{ what, ratio, byLeastCpu, aim, atMost, met }]
}

/** Of several runs, each row is that of the run in the middle. */
export const middle = <Row>(
  runs: readonly (readonly Row[])[],
  figure: (row: Row) => number,
): readonly Row[] =>
  (runs[0] ?? []).map((first, at) => {
    const rows = runs.map((run) => run[at] ?? first).sort((a, b) => figure(a) - figure(b))
    return rows[Math.floor((rows.length - 1) / 2)] ?? first
  })

const number = (value: number, digits = 0): string =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
const spread = (ratio: Spread | null): string =>
  ratio ? `${number(ratio.median, 2)} (${number(ratio.lower, 2)}–${number(ratio.upper, 2)})` : ''

/** The first columns are text, the others numbers. */
const table = (texts: number, head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map((_, at) => (at < texts ? '---' : '--:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')

export const lineTable = (lines: readonly Line[]): string =>
  table(
    2,
    [
      'workload',
      'contender',
      'requests/s',
      'p50 ms',
      'p99 ms',
      'CPU µs',
      'least',
      'busy %',
      'load µs',
      'MB',
      ': floor',
      ': Fastify',
    ],
    lines.map((line) => [
      line.workload,
      line.contender,
      number(line.perSecond),
      number(line.p50Ms, 2),
      number(line.p99Ms, 2),
      number(line.cpuMicros),
      number(line.leastCpuMicros),
      number(line.busyPercent),
      number(line.loadMicros),
      number(line.memoryMb),
      spread(line.toFloor),
      spread(line.toFastify),
    ]),
  )

export const aimTable = (judged: readonly Judged[]): string =>
  table(
    1,
    ['ratio', 'aim', 'measured (quartiles)', 'by least CPU', 'met'],
    judged.map(({ what, aim, atMost, ratio, byLeastCpu, met }) => [
      what,
      aim === null ? '' : `${atMost ? '≤' : '≥'} ${number(aim, 2)}`,
      spread(ratio),
      byLeastCpu === null ? '' : number(byLeastCpu, 2),
      met === null ? '' : met ? 'yes' : 'no',
    ]),
  )

export const eventTable = (rows: readonly EventsRow[]): string =>
  table(
    1,
    ['events', 'aim', 'measured', 'CPU µs', 'met'],
    rows.map(({ what, aim, atMost, measured, cpuMicros, met }) => [
      what,
      `${atMost ? '≤' : '≥'} ${number(aim, aim < 1 ? 2 : 0)}`,
      number(measured, aim < 1 ? 2 : 0),
      cpuMicros === null ? '' : number(cpuMicros),
      met ? 'yes' : 'no',
    ]),
  )
