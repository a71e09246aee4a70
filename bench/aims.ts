import { firstSecond, steady } from './turns.ts'
import { workloads } from './workloads.ts'

export const v2 = 'nounkit v2'
export const v1 = 'nounkit v1'
export const v2Ruled = 'nounkit v2 with a rule'
export const v2Unruled = 'nounkit v2 without a rule'
export const v2TwoWorkers = 'nounkit v2 --workers 2'
export const floorInBun = 'floor in Bun'
export const v2InBun = 'nounkit v2 in Bun'
export const twoProcesses = 'one order, on two processors'
export const millionKeys = ', a million keys kept'

export interface Side {
  readonly contender: string
  readonly workload: string
}

/** A ratio of two lanes, and what is aimed at on each store. Null for a ratio that is only shown. */
export type Aim = readonly [
  what: string,
  mine: Side,
  theirs: Side,
  SQLite: number | null,
  PostgreSQL: number | null,
]

const at = (contender: string, workload: string): Side => ({ contender, workload })
const reads = workloads.filter(({ kind }) => kind === 'read' || kind === 'list').map(({ name }) => name)
const ruledWorkloads = workloads.filter(({ alsoRuled }) => alsoRuled)
const compared = workloads.filter(({ onlyNounkit }) => !onlyNounkit).map(({ name }) => name)

/** Ratios of requests per second, which must be at least this. */
export const paces: readonly Aim[] = [
  ...reads.map((name): Aim => [`${name} : floor`, at(v2, name), at('floor', name), 0.8, 0.75]),
  ['create : floor', at(v2, 'create'), at('floor', 'create'), 2, 0.75],
  ...compared.flatMap((name): readonly Aim[] => [
    [`${name}, Bun : its floor`, at(v2InBun, name), at(floorInBun, name), null, null],
    [`${name}, Bun : Node`, at(v2InBun, name), at(v2, name), null, null],
  ]),
  ['mix : floor', at(v2, 'mix'), at('floor', 'mix'), null, null],
  ...reads.map((name): Aim => [`${name}, v1 : v2`, at(v1, name), at(v2, name), 0.95, 0.95]),
  ...['', millionKeys].map(
    (more): Aim => [
      `keyed create : create${more}`,
      at(v2, `keyed create${more}`),
      at(v2, `create${more}`),
      0.65,
      0.75,
    ],
  ),
  ['keys by time : at random', at(v2, 'keyed create, keys by time'), at(v2, 'keyed create'), null, null],
  ['deep page : first page', at(v2, 'deep page'), at(v2, 'list of 25'), null, null],
  // A list with a rule reads other rows than the plain list, by another index, so it has an aim only where the rows are the same.
  ...ruledWorkloads.map(({ name, onlyNounkit }): Aim => {
    const aim = onlyNounkit ? 0.9 : null
    return [`${name}, with a rule : without`, at(v2Ruled, name), at(v2Unruled, name), aim, aim]
  }),
  ['first second : steady state', at(v2, firstSecond), at(v2, steady), 0.9, 0.9],
  ['two workers : one', at(v2TwoWorkers, twoProcesses), at(v2, twoProcesses), null, null],
]

/** Ratios of the 99th percentile of latency, which must be at most this. */
export const latencies: readonly Aim[] = [
  ...[...compared, firstSecond].map(
    (name): Aim => [`p99 of ${name} : floor`, at(v2, name), at('floor', name), 1.5, 1.5],
  ),
  ['p99 of the first second : steady state', at(v2, firstSecond), at(v2, steady), null, null],
]
